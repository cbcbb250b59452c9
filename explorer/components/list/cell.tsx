/** A value in the grid: cut to one line, with links to related records and lists. */
import { useContext } from 'preact/hooks'
import type { RelatedList, RelationDescription } from '../../../src/explorer/description.ts'
import { contentOf, firstNames, relatedText, valueAt } from '../../api/cells.ts'
import { recordOf, type Column } from '../../api/columns.ts'
import { countText, type Json } from '../../api/format.ts'
import { isRow, keyOf, resourceAt, type Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { NamesContext } from '../../state/names.ts'
import type { Address } from '../../url/address.ts'
import { Link } from '../basics/link.tsx'

interface CellProps {
  readonly column: Column
  readonly row: Row
}

/** Texts of this length may be cut. */
const SHORT = 14

export function Cell ({ column, row }: CellProps) {
  const { description } = useApi()
  const { field, relation } = column
  const { kind, text } = contentOf(column, row, description)
  const value = valueAt(column, row) ?? null
  switch (kind) {
    case 'note':
      return <span class='null'>{text}</span>
    case 'many':
      return <Many relation={relation!} items={value as readonly Json[]} row={recordOf(column, row)!} />
    case 'one':
      return <ToOne path={(relation?.reference ?? field!.reference!).resource} value={value} />
    case 'count':
      return <Counted value={value} text={text} list={column.list} row={row} />
    case 'tag':
      return <span class={`tag tag-${(field!.value.items?.indexOf(value as string) ?? 0) % 5}`}>{text}</span>
    case 'id':
      return <span class='mono' title={String(value)}>{text}</span>
    case 'code':
      return <span class={typeof value === 'object' ? 'mono quiet' : 'mono'}>{text}</span>
    default:
      return <bdi title={text.length > SHORT ? text : undefined}>{text}</bdi>
  }
}

/** The address of a record: its resource, with the record in the drawer. */
const addressOfRecord = (path: string, key: string): Address => ({ path, params: [], own: { open: key } })

/** A related record, or its key: a link to it. A key is shown by the name of its record, if that is known. */
export function ToOne ({ path, value }: { readonly path: string | null, readonly value: Json }) {
  const { description } = useApi()
  const nameOf = useContext(NamesContext)
  const resource = resourceAt(description, path)
  const name = isRow(value) ? undefined : nameOf(path, String(value))
  const text = name ?? relatedText(description, path, value)
  const key = !isRow(value) ? encodeURIComponent(String(value)) : resource && keyOf(resource, value)
  const isKey = !isRow(value) && name === undefined
  if (!resource?.operations.get || key === undefined) return <span class={isKey ? 'mono' : undefined}>{text}</span>
  return (
    <Link
      class={isKey ? 'ref mono' : 'ref'}
      to={addressOfRecord(resource.path, key)}
      title={`${resource.title}: ${[...isKey ? [] : [text], ...isRow(value) ? [] : [String(value)]].join(', ')}`}
      tabIndex={-1}
    >
      {text}
    </Link>
  )
}

interface ManyProps {
  readonly relation: RelationDescription
  readonly items: readonly Json[]
  readonly row: Row
}

/** Related records: their number leads to their list, and the first ones are named. */
function Many ({ relation, items, row }: ManyProps) {
  const { description } = useApi()
  const to = addressOfList(relation.list, row)
  const count = <>{countText(items.length)}</>
  return (
    <span class='many'>
      {to && items.length > 0
        ? <Link class='chip' to={to} tabIndex={-1} title={`Open the list of ${relation.name}`}>{count}</Link>
        : <span class='chip chip-still'>{count}</span>}
      <span class='quiet'>{firstNames(description, relation.reference.resource, items)}</span>
    </span>
  )
}

/** The address of the list of related records. */
export function addressOfList (list: RelatedList | null | undefined, row: Row): Address | undefined {
  const value = list && row[list.field]
  if (!list || value === null || value === undefined || typeof value === 'object') return undefined
  return { path: list.resource, params: [[list.parameter, String(value)]], own: {} }
}

interface CountedProps {
  readonly value: Json
  readonly text: string
  readonly list: RelatedList | undefined
  readonly row: Row
}

/** A number about related records, which leads to their list. */
function Counted ({ value, text, list, row }: CountedProps) {
  const to = addressOfList(list, row)
  return to && value !== 0 && value !== false
    ? <Link class='chip' to={to} tabIndex={-1}>{text}</Link>
    : <span>{text}</span>
}
