/** The columns of a stream's records, for formats with columns such as CSV. */
import { isObject } from '../../base/is-object.ts'
import { wireTypeOf, type Property } from '../../model/index.ts'
import type { AggregatePlan, Selection, Whitelist } from '../../plan/index.ts'
import type { QueryParams } from '../../query/index.ts'

/** A column of a stream, or the columns of an included record. */
export interface StreamColumn {
  readonly name: string
  /** Whether its values are numbers, dates or times. */
  readonly numeric: boolean
  /** The columns of the record or null that is the value. */
  readonly columns?: readonly StreamColumn[]
}

/**
 * The keys of a stream's records. Those that `fields` names come first, in its order, and then the others in the order
 * of declaration. A to-one include has the columns of its record.
 */
export function streamColumns (
  selection: Selection,
  params: QueryParams,
  whitelist: Whitelist
): readonly StreamColumn[] {
  const columnsOf = ({ properties, includes, aggregates }: Selection, path?: string): StreamColumn[] => {
    const fields = namedFields(params, whitelist, path)
    const place = (property: Property): number => {
      const index = fields.indexOf(property)
      return index < 0 ? fields.length : index
    }
    const columns = [
      ...properties.map((property) => ({ property, column: columnOf(property) })),
      ...includes.map(({ relation, path, selection }) => ({
        property: relation,
        column: {
          name: relation.publicName,
          numeric: false,
          ...(!relation.many && { columns: columnsOf(selection, path) }),
        },
      })),
    ]
    return [
      ...columns.sort((a, b) => place(a.property) - place(b.property)).map(({ column }) => column),
      ...aggregates.map(({ name, type, property }) => ({
        name,
        numeric: property?.codec === undefined && wireTypeOf(type).numeric,
      })),
    ]
  }
  return columnsOf(selection)
}

/** The properties that a request names as fields of its records, or of those of an include, in the order of the URL. */
function namedFields (
  { fields, fieldsByInclude }: QueryParams,
  whitelist: Whitelist,
  path: string | undefined
): readonly (Property | undefined)[] {
  if (path !== undefined) {
    const entry = whitelist.includes.get(path)
    return entry?.kind === 'relation' ? (fieldsByInclude[path] ?? []).map((name) => entry.fields.get(name)) : []
  }
  const own = Object.keys(fieldsByInclude).filter((name) => whitelist.names.has(name))
  return [...fields, ...own.flatMap((name) => fieldsByInclude[name]!)].map((name) => whitelist.fields.get(name))
}

/** A property with a custom type is not numeric, since the custom type may write any value. */
function columnOf (property: Selection['properties'][number]): StreamColumn {
  if (property.kind === 'embedded') return { name: property.publicName, numeric: false }
  const { codec, type } = property.kind === 'scalar' ? property : property.key[0]!
  return { name: property.publicName, numeric: codec === undefined && wireTypeOf(type).numeric }
}

/** The columns of the groups of an aggregate: their values, and then the numbers about them. */
export function groupColumns ({ groups, numbers }: AggregatePlan): readonly StreamColumn[] {
  return [...groups, ...numbers].map(({ key, operand, type }) => ({
    name: key,
    numeric: (operand?.kind !== 'scalar' || operand.codec === undefined) && wireTypeOf(type).numeric,
  }))
}

/** The columns of records that a hook changes, as the first one shows them. What the hook adds comes last. */
export function changedColumns (known: readonly StreamColumn[], record: object): readonly StreamColumn[] {
  const values = new Map(Object.entries(record))
  const kept = known.filter(({ name }) => values.has(name)).map((column): StreamColumn => {
    const value: unknown = values.get(column.name)
    values.delete(column.name)
    if (column.columns === undefined || value === null) return column
    return isObject(value)
      ? { ...column, columns: changedColumns(column.columns, value) }
      : { name: column.name, numeric: false }
  })
  return [...kept, ...[...values.keys()].map((name) => ({ name, numeric: false }))]
}
