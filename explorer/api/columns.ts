/** The columns of the grid, from the description and the parameters. */
import type {
  AggregateDescription,
  FieldDescription,
  IncludeDescription,
  RelatedList,
  RelationDescription,
  ResourceDescription,
  SortDescription,
} from '../../src/explorer/description.ts'
import type { Pair } from '../url/address.ts'
import { namesOf } from '../url/names.ts'
import { includeAt, inReadingOrder, isMaintained, isNumeric, isRow, relationsOf, titleOf, type Row } from './records.ts'

export interface Column {
  /** The keys on the way from the record to the value, joined by dots. */
  readonly name: string
  /** The key of an included record that has the value. Absent if the record itself has it. */
  readonly parent?: string
  /** The key of the value in its record. */
  readonly key: string
  readonly title: string
  /** A property, or the key of a related record. */
  readonly field?: FieldDescription
  /** A relation that is included. */
  readonly relation?: RelationDescription
  readonly aggregate?: AggregateDescription
  /** The list of the records that the aggregate counts. */
  readonly list?: RelatedList
  /** The order that a click on the header asks for. */
  readonly sort?: SortDescription
  /** The name of the filter that compares the property. */
  readonly filter?: string
  readonly isNumeric: boolean
  /** Whether two compared lists differ in it. */
  readonly differs?: boolean
}

/** The columns of a list: selected fields, then included relations, then aggregates and keys that are not described. */
export function columnsOf (resource: ResourceDescription, params: readonly Pair[], rows: readonly Row[]): Column[] {
  const includes = includedPaths(params).flatMap((path) => includeAt(resource.includes, path) ?? [])
  const selected = namesOf(params, 'fields')
  const fields = inReadingOrder(resource.fields, resource).filter(({ select }) =>
    selected === undefined || (select !== null && selected.includes(select))
  )
  const described = fields.map((field): Column => ({
    name: field.name,
    key: field.name,
    title: titleOf(field.name),
    field,
    isNumeric: isNumeric(field) && !field.key && field.reference === null,
    ...optional('relation', relationNamed(includes, field.name)),
    ...sortOf(resource, field.name),
    ...optional('filter', resource.filters.find((filter) => filter.field === field.name)?.name),
  }))
  // relations and numbers come before the fields that the server maintains
  const end = described.findIndex(({ field }) => field !== undefined && isMaintained(field, resource))
  const columns = end === -1 ? described : described.slice(0, end)
  for (const include of includes) {
    if (!described.some(({ name }) => name === include.name)) columns.push(includeColumn(resource, include))
    if (include.kind === 'relation' && !include.many) columns.push(...nestedColumns(include, params))
  }
  if (end !== -1) columns.push(...described.slice(end))
  const known = new Set(columns.map(({ name }) => name))
  const others = new Set(rows.slice(0, 20).flatMap((row) => Object.keys(row)).filter((name) => !known.has(name)))
  return [
    ...columns,
    ...[...others].map((name): Column => ({ name, key: name, title: titleOf(name), isNumeric: false })),
  ]
}

function includeColumn (resource: ResourceDescription, include: IncludeDescription): Column {
  return {
    name: include.name,
    key: include.name,
    title: titleOf(include.name),
    isNumeric: include.kind === 'aggregate' && isNumeric(include),
    ...(include.kind === 'relation'
      ? { relation: include }
      : {
          aggregate: include,
          ...optional('list', countedList(resource, include)),
          ...optional('filter', resource.filters.find((filter) => filter.field === include.name)?.name),
        }),
    ...sortOf(resource, include.name),
  }
}

/** The relations of an included record that are included as well: the tags of a product's category. */
function nestedColumns (parent: RelationDescription, params: readonly Pair[]): Column[] {
  const chosen = namesOf(params, 'include') ?? []
  const isChosen = ({ path }: IncludeDescription): boolean =>
    chosen.some((other) => other === path || other.startsWith(`${path}.`))
  return relationsOf(parent.includes).filter(isChosen).map((relation) => ({
    name: `${parent.name}.${relation.name}`,
    parent: parent.name,
    key: relation.name,
    title: `${titleOf(parent.name)} › ${titleOf(relation.name).toLowerCase()}`,
    relation,
    isNumeric: false,
  }))
}

/** The record that has the value of a column: the record itself, or an included one. */
export function recordOf ({ parent }: Column, row: Row): Row | undefined {
  if (parent === undefined) return row
  const record = row[parent]
  return isRow(record) ? record : undefined
}

function countedList ({ includes }: ResourceDescription, { relation, property }: AggregateDescription) {
  if (property !== null) return undefined
  return relationsOf(includes).find(({ name }) => name === relation)?.list ?? undefined
}

/** The paths of included relations at the first level: `a.b` implies `a`. */
function includedPaths (params: readonly Pair[]): string[] {
  return [...new Set((namesOf(params, 'include') ?? []).map((path) => path.split('.')[0]!))]
}

function relationNamed (
  includes: ReadonlyArray<RelationDescription | AggregateDescription>,
  name: string
): RelationDescription | undefined {
  return includes.find((include): include is RelationDescription =>
    include.kind === 'relation' && include.name === name
  )
}

function sortOf ({ sorts }: ResourceDescription, name: string): { readonly sort?: SortDescription } {
  return optional('sort', sorts.find((sort) => sort.field === name) ?? sorts.find((sort) => sort.name === name))
}

function optional<Name extends string, Value> (
  name: Name,
  value: Value | undefined
): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value }
}

const CHARACTER = 7.4
const PADDING = 24
const WIDEST = 300
const NARROWEST = 72
/** The parts of a header beside its text: the mark of the order. */
const HEADER = 26

/** The width of a column in pixels, from its type and a sample of its values. */
export function widthOf (column: Column, rows: readonly Row[]): number {
  const header = column.title.length * CHARACTER + HEADER
  const type = column.field?.value.type
  const content = column.relation?.many
    ? 30
    : column.relation || column.field?.reference
      ? 22
      : type === 'datetime'
        ? 20
        : type === 'uuid'
          ? 12
          : Math.max(0, ...rows.slice(0, 50).map((row) => lengthOf(row[column.name])))
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, header, content * CHARACTER)) + PADDING)
}

function lengthOf (value: unknown): number {
  if (typeof value === 'string') return Math.min(value.length, 60)
  return value === null || value === undefined ? 4 : JSON.stringify(value).slice(0, 60).length
}
