/** Random query strings that the nursery's widest whitelist allows. */
import fc from 'fast-check'
import { AllowedFilters } from '../../src/config/index.ts'
import { type Names } from '../helpers/resource.ts'

const TEXT = [
  'eq', 'ne', 'lt', 'gte', 'ieq', 'like', 'ilike', 'contains', 'starts', 'ends', 'in', 'nin', 'between', 'isnull',
] as const
const NUMBER = ['eq', 'ne', 'lt', 'gte', 'in', 'nin', 'between', 'isnull'] as const
const TEXTS = [
  'name', 'description', 'supplier.name', 'supplier.country', 'tags.name', 'group.name', 'group.parent.name',
  'label.text', 'offers.title', 'orderItems.order.note',
] as const
const NUMBERS = [
  'id', 'position', 'nameLength', 'supplier', 'group', 'tags.weight', 'shelf.capacity', 'orderItems.quantity',
] as const
const SORTS = [
  'id', 'name', 'price', 'supplier', 'supplier.name', 'supplier.address.city', 'group.name', 'group.parent.name',
  'shelf.capacity',
] as const
const FIELDS = ['id', 'name', 'price', 'created_at', 'supplier', 'shelf', 'nameLength'] as const
const INCLUDES = [
  'supplier', 'group', 'group.parent', 'tags', 'tags.plants', 'label', 'offers', 'orderItems', 'orderItems.order',
  'shelf',
] as const

/** The whitelist of the plant. */
export const wide: Names = {
  allowedFilters: [
    ...TEXTS.map((name) => new AllowedFilters(name, 'eq', TEXT)),
    ...NUMBERS.map((name) => new AllowedFilters(name, 'eq', NUMBER)),
    AllowedFilters.search('q', ['name', 'supplier.name', 'tags.name', 'tags.plants.description']),
    AllowedFilters.anyOf('ref', [
      AllowedFilters.exact('id'), AllowedFilters.exact('name'), new AllowedFilters('tags.weight', 'gte'),
    ]),
    AllowedFilters.trashed(),
    { 'specimens.synonyms': ['contains', 'overlap', 'isnull'] },
    new AllowedFilters('specimens.readings.sensor', 'eq', ['eq', 'contains', 'in', 'isnull'], { type: 'string' }),
    new AllowedFilters('specimens.readings.depth', 'gte', ['eq', 'gte', 'in', 'between', 'isnull'], { type: 'number' }),
  ],
  allowedSorts: SORTS,
  allowedFields: [
    ...FIELDS, 'supplier.id', 'supplier.name', 'tags.id', 'tags.name', 'group.id', 'group.name', 'offers.id',
    'label.id', 'label.text',
  ],
  allowedIncludes: INCLUDES,
}

const subset = <T extends string>(names: readonly T[], maxLength: number) =>
  fc.uniqueArray(fc.constantFrom(...names), { maxLength })

function filterOf (
  names: readonly string[],
  operators: readonly string[],
  value: fc.Arbitrary<string>
): fc.Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...names), fc.constantFrom(...operators),
    fc.array(value, { minLength: 2, maxLength: 2 }), fc.boolean()).map(([name, operator, values, flag]) => {
    const key = `filter[${name}][${operator}]`
    if (operator === 'isnull') return `${key}=${flag}`
    const written = values.map((value) => encodeURIComponent(value))
    return operator === 'in' || operator === 'nin' || operator === 'between'
      ? written.map((value) => `${key}[]=${value}`).join('&')
      : `${key}=${written[0]}`
  })
}

/** Filters without operators, arrays, and JSON. */
function otherFilter (text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const value = text.map(encodeURIComponent)
  return fc.oneof(
    value.map((value) => `filter[q]=${value}`),
    fc.oneof(value, fc.integer({ min: 0, max: 5 }).map(String)).map((value) => `filter[ref]=${value}`),
    fc.constantFrom('with', 'only', 'without').map((value) => `filter[trashed]=${value}`),
    fc.tuple(fc.constantFrom('contains', 'overlap'), value).map(([operator, value]) =>
      `filter[specimens.synonyms][${operator}][]=${value}`
    ),
    fc.tuple(fc.constantFrom('eq', 'contains'), value).map(([operator, value]) =>
      `filter[specimens.readings.sensor][${operator}]=${value}`
    ),
    fc.tuple(fc.constantFrom('eq', 'gte'), fc.integer()).map(([operator, value]) =>
      `filter[specimens.readings.depth][${operator}]=${value}`
    )
  )
}

/** @param text generates the values of texts, without backslashes, which some patterns refuse */
export function queryOf (text: fc.Arbitrary<string> = fc.constantFrom('a', 'Lavender', '%')): fc.Arbitrary<string> {
  const filters = fc.uniqueArray(
    fc.oneof(filterOf(TEXTS, TEXT, text), filterOf(NUMBERS, NUMBER, fc.integer({ min: -5, max: 50 }).map(String)),
      otherFilter(text)),
    { maxLength: 3, selector: (query) => query.split('=')[0]!.replace('[]', '') }
  )
  const sort = subset(SORTS, 2).chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`))))
  const selection = fc.tuple(subset(FIELDS, 3), subset(INCLUDES, 3)).chain(([fields, includes]) =>
    fc.constantFrom('supplier', 'tags', 'label').map((chosen) => [
      `fields=${fields.join()}`,
      `include=${includes.join()}`,
      ...(includes.includes(chosen as never) ? [`fields[${chosen}]=id`] : []),
    ])
  )
  const window = fc.oneof(
    fc.constant(''),
    fc.record({ page: fc.integer({ min: 1, max: 3 }), per_page: fc.integer({ min: 1, max: 20 }) }).map((page) =>
      `page=${page.page}&per_page=${page.per_page}`
    )
  )
  return fc.tuple(filters, sort, selection, window).map(([filters, sort, selection, window]) =>
    [...filters, `sort=${sort.join()}`, ...selection, window].filter(Boolean).join('&')
  )
}
