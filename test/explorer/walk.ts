/** Requests that a document offers, and requests that it does not offer. */
import type {
  ExplorerDescription, FieldDescription, IncludeDescription, OperatorDescription, ResourceDescription, ValueDescription,
} from '../../plugins/explorer.ts'
import { OPERATOR_NAMES } from '../../src/operators/index.ts'

/** A query string of a list. */
export type Query = string

const query = (name: string, value: string): Query => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

/** The query strings that the description of a resource offers. */
export function offered (resource: ResourceDescription): Query[] {
  const { filters, sorts, fields, includes, paging, lookup, name, defaultSort, facets, combinesFilters } = resource
  return [
    '',
    ...facets.map((facet) => query('facets', facet.name)),
    ...combinesFilters ? groupsOf(filters) : [],
    ...filters.flatMap(({ operators, default: value }) => [
      ...operators.flatMap((operator) => samplesOf(operator).map((sample) => query(operator.parameter, sample))),
      ...value === null ? [] : [query(operators[0]!.parameter, [value].flat().join())],
    ]),
    ...sorts.flatMap((sort) => [sort.name, `-${sort.name}`, `+${sort.name}`].map((value) => query('sort', value))),
    ...sorts.filter(({ cursor }) => cursor).map((sort) => `cursor=&${query('sort', sort.name)}`),
    ...defaultSort.every((sort) => sort.name !== null)
      ? [query('sort', defaultSort.map(({ name, descending }) => `${descending ? '-' : '+'}${name}`).join())]
      : [],
    ...selectable(fields).flatMap((field) => [query('fields', field), query(`fields[${name}]`, field)]),
    ...flat(includes).flatMap((include) => [
      ...include.kind === 'aggregate' || include.allowed ? [query('include', include.path)] : [],
      ...include.kind === 'relation' && include.allowed
        ? selectable(include.fields).map((field) =>
          `${query('include', include.path)}&${query(`fields[${include.path}]`, field)}`
        )
        : [],
    ]),
    `page=2&per_page=${paging.maxPerPage}`,
    `limit=${paging.maxPerPage}&offset=${paging.maxOffset}`,
    ...paging.cursor ? ['cursor=&per_page=1'] : [],
    ...lookup === null
      ? []
      : [[
          ...lookup.parameter === null ? [] : [query(lookup.parameter, 'a')],
          ...lookup.fields === null ? [] : [query('fields', lookup.fields)],
          ...lookup.sort === null ? [] : [query('sort', lookup.sort)],
        ].join('&')],
  ]
}

/** Query strings just outside of what the description of a resource offers. */
export function refused (resource: ResourceDescription): Query[] {
  const { filters, sorts, fields, includes, paging, combinesFilters } = resource
  const named = new Set(sorts.map(({ name }) => name))
  const filtered = new Set(filters.map(({ name }) => name))
  return [
    ...filters.flatMap(({ name, operators }) => {
      const known = operators.map((operator) => operator.name)
      return OPERATOR_NAMES.filter((operator) => !known.includes(operator)).map((operator) =>
        query(`filter[${name}][${operator}]`, '1')
      )
    }),
    ...fields.filter(({ select }) => select === null).map((field) => query('fields', field.name)),
    ...fields.filter(({ name }) => !named.has(name) && !sorts.some(({ field }) => field === name))
      .map((field) => query('sort', field.name)),
    ...fields.filter(({ name }) => !filtered.has(name) && !filters.some(({ field }) => field === name))
      .map((field) => query(`filter[${field.name}]`, '1')),
    ...sorts.filter(({ cursor }) => !cursor).map((sort) => `cursor=&${query('sort', sort.name)}`),
    ...flat(includes).flatMap((include) =>
      include.kind === 'aggregate'
        ? []
        : include.fields.filter(({ select }) => select === null)
          .map((field) => `${query('include', include.path)}&${query(`fields[${include.path}]`, field.name)}`)
    ),
    ...paging.cursor ? [] : ['cursor='],
    `per_page=${paging.maxPerPage + 1}`,
    `offset=${paging.maxOffset + 1}`,
    query('include', 'absent'),
    query('facets', 'absent'),
    ...combinesFilters ? [] : filters.slice(0, 1).map(({ name }) => query(`filter[or][0][${name}]`, '1')),
  ]
}

/** Each filter that may stand in a group, in one. */
function groupsOf (filters: ResourceDescription['filters']): Query[] {
  return filters.filter(({ kind }) => kind !== 'custom' && kind !== 'trashed').map(({ operators: [first] }) =>
    query(first!.parameter.replace('filter', 'filter[or][0][not]'), samplesOf(first!)[0] ?? '')
  )
}

/** The query strings of aggregates that a resource offers: each group and each number, with what orders by it. */
export function offeredNumbers ({ groups, numbers, groupPaging }: ResourceDescription): Query[] {
  return [
    ...groups.map(({ name }) => `${query('group', name)}&${query('sort', `-${name}`)}`),
    ...numbers.map(({ name }) => `${query('aggregate', name)}&${query('sort', name)}`),
    ...groups.slice(0, 1).map(({ name }) => `${query('group', name)}&per_page=${groupPaging.maxPerPage}`),
  ]
}

export const refusedNumbers = ({ groups, groupPaging }: ResourceDescription): Query[] => [
  query('group', 'absent'),
  query('aggregate', 'absent'),
  ...groups.slice(0, 1).map(({ name }) => `${query('group', name)}&per_page=${groupPaging.maxPerPage + 1}`),
]

const selectable = (fields: readonly FieldDescription[]): string[] =>
  fields.flatMap(({ select }) => select === null ? [] : [select])

/** The includes of all levels. */
export function flat (includes: readonly IncludeDescription[]): IncludeDescription[] {
  return includes.flatMap((include) => [include, ...include.kind === 'relation' ? flat(include.includes) : []])
}

/** Values that an operator takes: the example of the document, and values that follow from their description. */
function samplesOf ({ takes, value, parts, example }: OperatorDescription): string[] {
  const samples = example === null ? [] : [example]
  switch (takes) {
    case 'boolean':
      return [...samples, 'true', 'false']
    case 'tuple':
      return [...samples, parts!.map((part) => sampleOf(part.value)).join()]
    case 'pair':
      return [...samples, `${quoted(sampleOf(value!))},${quoted(sampleOf(value!))}`]
    case 'list':
      return [...samples, '', `${quoted(sampleOf(value!))},${quoted(sampleOf(value!))}`]
    default:
      if (value === null) return [...samples, '3']
      return value.type === 'custom' ? samples : [...samples, ...value.items?.map(String) ?? [sampleOf(value)]]
  }
}

const quoted = (text: string): string => /[",]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text

/** A value of a type, as a page that knows only the description would write it. */
function sampleOf ({ type, minimum, maximum, items, element }: ValueDescription): string {
  switch (type) {
    case 'integer':
      return String(Math.min(maximum!, Math.max(minimum!, 7)))
    case 'bigint':
    case 'decimal':
    case 'float':
      return '3'
    case 'boolean':
      return 'true'
    case 'enum':
      return String(items!.at(-1))
    case 'uuid':
      return '3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10'
    case 'date':
      return '2024-02-29'
    case 'datetime':
      return '2024-02-29T12:30:00.000Z'
    case 'time':
      return '12:30'
    case 'range':
      return `[${sampleOf(element!)},)`
    default:
      return '1'
  }
}

/** The resources of a document with a list, by their paths. */
export const listed = ({ resources }: ExplorerDescription): readonly ResourceDescription[] =>
  resources.filter(({ operations }) => operations.list)
