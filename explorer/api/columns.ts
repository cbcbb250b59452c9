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
import { includeAt, isMaintained, isNumeric, isRow, relationsOf, titleOf, type Row } from './records.ts'

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
  /** Whether it has the name of the record, which stays in sight while the others scroll. */
  readonly isLabel?: boolean
  /** Whether two compared lists differ in it. */
  readonly differs?: boolean
}

/**
 * The columns of a list, in the order in which people read them: the name of the record, its values, its relations and
 * the numbers about them, and at the end ids and what the server maintains.
 */
export function columnsOf (resource: ResourceDescription, params: readonly Pair[], rows: readonly Row[]): Column[] {
  const includes = includedPaths(params).flatMap((path) => includeAt(resource.includes, path) ?? [])
  const selected = namesOf(params, 'fields')
  const fields = resource.fields.filter(({ select }) =>
    selected === undefined || (select !== null && selected.includes(select))
  )
  const described = fields.map((field): Column => ({
    name: field.name,
    key: field.name,
    title: titleOf(field.name),
    field,
    isNumeric: isNumeric(field) && !field.key && field.reference === null,
    ...field.name === resource.lookup?.label && { isLabel: true },
    ...optional('relation', relationNamed(includes, field.name)),
    ...sortOf(resource, field.name),
    ...optional('filter', resource.filters.find((filter) => filter.field === field.name)?.name),
  }))
  const included = includes.flatMap((include): Column[] => [
    ...described.some(({ name }) => name === include.name) ? [] : [includeColumn(resource, include)],
    ...include.kind === 'relation' && !include.many ? nestedColumns(include, params) : [],
  ])
  const known = new Set([...described, ...included].map(({ name }) => name))
  const others = new Set(rows.slice(0, 20).flatMap((row) => Object.keys(row)).filter((name) => !known.has(name)))
  const isLast = ({ isLabel, field }: Column): boolean =>
    !isLabel && field !== undefined && (isId(field) || isMaintained(field, resource))
  return [
    ...described.filter(({ isLabel }) => isLabel),
    ...described.filter((column) => !column.isLabel && !isLast(column)),
    ...included,
    ...[...others].map((name): Column => ({ name, key: name, title: titleOf(name), isNumeric: false })),
    ...described.filter(isLast),
  ]
}

/** Whether a field has a key that says nothing to a person: a number or a UUID. */
const isId = ({ key, reference, value: { type } }: FieldDescription): boolean =>
  key && reference === null && (type === 'uuid' || type === 'integer' || type === 'bigint')

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
