/** A value in the grid: cut to one line, with links to related records and lists. */
import type { RelatedList, RelationDescription } from '../../../src/explorer/description.ts'
import { recordOf, type Column } from '../../api/columns.ts'
import { isRow, keyOf, labelOf, resourceAt, type Json, type Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import type { Address } from '../../url/address.ts'
import { Link } from '../basics/link.tsx'
import { countText, foldedJson, textOf } from '../../api/format.ts'

interface CellProps {
  readonly column: Column
  readonly row: Row
}

export function Cell ({ column, row: outer }: CellProps) {
  const row = recordOf(column, outer)
  const value = row?.[column.key]
  const { field, relation, aggregate } = column
  if (row === undefined || value === undefined) return <span class='null'>absent</span>
  if (relation?.many && Array.isArray(value)) return <Many relation={relation} items={value} row={row} />
  if (value === null) return <span class='null'>null</span>
  const reference = relation?.reference ?? field?.reference
  if (reference) return <ToOne path={reference.resource} value={value} />
  if (aggregate) return <Counted value={value} list={column.list} row={row} />
  if (value === '') return <span class='null'>empty text</span>
  if (field?.value.type === 'enum') {
    const index = field.value.items?.indexOf(value as string) ?? 0
    return <span class={`tag tag-${index % 5}`}>{String(value)}</span>
  }
  if (field?.value.type === 'uuid' && typeof value === 'string') {
    return <span class='mono' title={value}>{value.slice(0, 8)}…</span>
  }
  if (typeof value === 'object') return <span class='mono quiet'>{foldedJson(value)}</span>
  const text = textOf(value, field?.value)
  return (
    <bdi class={typeof value === 'boolean' ? 'mono' : undefined} title={text.length > 40 ? text : undefined}>
      {text}
    </bdi>
  )
}

/** The address of a record: its resource, with the record in the drawer. */
export const addressOfRecord = (path: string, key: string): Address => ({ path, params: [], own: { open: key } })

/** The key of a related record, or the record: a link to it. */
export function ToOne ({ path, value }: { readonly path: string | null, readonly value: Json }) {
  const { description } = useApi()
  const resource = resourceAt(description, path)
  const text = isRow(value) ? labelOf(resource?.lookup, value) ?? foldedJson(value) : shortKey(value)
  const key = !isRow(value) ? encodeURIComponent(String(value)) : resource && keyOf(resource, value)
  if (!resource?.operations.get || key === undefined) {
    return <span class={isRow(value) ? undefined : 'mono'}>{text}</span>
  }
  return (
    <Link
      class={isRow(value) ? 'ref' : 'ref mono'}
      to={addressOfRecord(resource.path, key)}
      title={`${resource.title}: ${isRow(value) ? text : String(value)}`}
      tabIndex={-1}
    >
      {text}
    </Link>
  )
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-/i
const shortKey = (value: Json): string => {
  const text = textOf(value)
  return UUID.test(text) ? `${text.slice(0, 8)}…` : text
}

interface ManyProps {
  readonly relation: RelationDescription
  readonly items: readonly Json[]
  readonly row: Row
}

/** Related records: their number leads to their list, and the first ones are named. */
function Many ({ relation, items, row }: ManyProps) {
  const { description } = useApi()
  const resource = resourceAt(description, relation.reference.resource)
  const names = items.slice(0, 4).flatMap((item) => isRow(item) ? labelOf(resource?.lookup, item) ?? [] : [])
  const to = addressOfList(relation.list, row)
  const count = <>{countText(items.length)}</>
  return (
    <span class='many'>
      {to && items.length > 0
        ? <Link class='chip' to={to} tabIndex={-1} title={`Open the list of ${relation.name}`}>{count}</Link>
        : <span class='chip chip-still'>{count}</span>}
      <span class='quiet'>{names.join(', ')}</span>
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
  readonly list: RelatedList | undefined
  readonly row: Row
}

/** A number about related records, which leads to their list. */
function Counted ({ value, list, row }: CountedProps) {
  const to = addressOfList(list, row)
  const text = textOf(value)
  return to && value !== 0 && value !== false
    ? <Link class='chip' to={to} tabIndex={-1}>{text}</Link>
    : <span>{text}</span>
}
