/** Whitelists: for any entity, any selection of what may be allowed. */
import fc from 'fast-check'
import type {
  Entity, Field, Filter, Include, Operator, OperatorFilter, Sort, ValueType, Where, Whitelist,
} from '../reference/description.ts'
import { follow } from '../reference/entities.ts'
import { filterName } from '../reference/conditions.ts'
import { aggregateKey, includeName } from '../reference/selection.ts'
import { sortNames } from '../reference/sorting.ts'
import { tableName } from './database.ts'
import { entities } from './graph.ts'
import { alias, places, withoutRepeats, type Place } from './places.ts'
import { facets, groups, numbers } from './summaries.ts'
import { valueOf, written } from './values.ts'

const ORDERED: readonly Operator[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'nin', 'between', 'isnull']
const TEXTUAL: readonly Operator[] = [...ORDERED, 'ieq', 'like', 'ilike', 'contains', 'starts', 'ends']
const EQUAL: readonly Operator[] = ['eq', 'ne', 'in', 'nin', 'isnull']
const OPERATORS: Readonly<Record<ValueType, readonly Operator[]>> = {
  integer: ORDERED, bigint: ORDERED, decimal: ORDERED, float: ORDERED, date: ORDERED, datetime: ORDERED, text: TEXTUAL,
  boolean: EQUAL, enum: EQUAL, uuid: EQUAL, json: ['isnull'],
}

function relationPaths (
  entity: Entity,
  depth: number,
  prefix = ''
): Array<{ path: string, target: Entity, single: boolean }> {
  return Object.entries(entity.relations).flatMap(([name, { kind, target }]) => [
    { path: prefix + name, target: entities[target]!, single: kind === 'one' },
    ...depth === 1 ? [] : relationPaths(entities[target]!, depth - 1, `${prefix}${name}.`),
  ])
}

/** Own columns are drawn more often than those of the many related entities. */
const somewhere = (all: readonly Place[]): fc.Arbitrary<Place> => {
  const own = all.filter(({ path }) => !path.includes('.'))
  const behind = all.filter(({ path }) => path.includes('.'))
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...own) }, {
    weight: 2,
    arbitrary: fc.constantFrom(...behind),
  })
}

const some = <T>(items: readonly T[]): fc.Arbitrary<[T, ...T[]]> =>
  fc.shuffledSubarray([...items], { minLength: 1 }) as fc.Arbitrary<[T, ...T[]]>

function operatorFilter (all: readonly Place[]): fc.Arbitrary<OperatorFilter> {
  return somewhere(all).chain(({ path, property, relation }) =>
    fc.record({
      kind: fc.constant('operators' as const),
      path: fc.constant(path),
      operators: some(relation ? EQUAL : OPERATORS[property.type]),
      named: alias('f'),
      text: valueOf({ ...property, nullable: false }).chain((value) => written(value, property.type)),
      settings: fc.integer({ min: 0, max: 15 }),
    }).map(({ named, text, settings, operators, ...filter }): OperatorFilter => {
      // a default is read by the default operator, which must take one value of the property's type
      const fits = ['ne', 'lte', 'gte'].includes(operators[0])
      return {
        ...filter, operators, ...named, ...fits && settings < 2 && { default: text },
        ...settings % 5 === 1 && { ignore: ['all'] },
      }
    })
  )
}

function jsonFilter (entity: Entity): fc.Arbitrary<Filter>[] {
  const names = Object.keys(entity.properties).filter((name) => entity.properties[name]!.type === 'json')
  const operators: readonly Operator[] = ['eq', 'ne', 'lte', 'gt', 'in', 'nin', 'isnull']
  return names.map((name) =>
    fc.record({
      kind: fc.constant('operators' as const),
      path: fc.constantFrom(`${name}.k`, `${name}.n.m`),
      jsonType: fc.constantFrom('string' as const, 'number' as const, 'boolean' as const),
      operators: some(operators),
    }).map((filter) =>
      filter.jsonType === 'boolean' ? { ...filter, operators: ['eq', 'isnull'] as [Operator, Operator] } : filter
    )
  )
}

/** Two filters through one relation to many rows, whose conditions may have to hold for one and the same row. */
function togetherFilters (entity: Entity): fc.Arbitrary<OperatorFilter[]> {
  const many = Object.keys(entity.relations).filter((name) => entity.relations[name]!.kind !== 'one')
  if (many.length === 0) return fc.constant([])
  return fc.constantFrom(...many).chain((relation) => {
    const columns = places(entities[entity.relations[relation]!.target]!, 0, `${relation}.`)
      .filter(({ property, relation }) => property.type !== 'json' && !relation)
    const both = fc.shuffledSubarray(columns, { minLength: 2, maxLength: 2 })
    return both.map((columns) =>
      columns.map(({ path }): OperatorFilter => ({ kind: 'operators', path, operators: ['eq', 'in'] }))
    )
  })
}

function filters (entity: Entity, numbers: readonly Place[]): fc.Arbitrary<Filter[]> {
  const all = places(entity, 2)
  const texts = all.filter(({ property, relation }) => property.type === 'text' && !relation)
  const text = texts.length === 0
    ? []
    : [
        fc.tuple(fc.constantFrom(...texts), alias('p')).map(([{ path }, named]): Filter => ({
          kind: 'partial', path, ...named,
        })),
        fc.shuffledSubarray(texts, { minLength: 1, maxLength: Math.min(3, texts.length) }).map((found): Filter => ({
          kind: 'search', alias: 'q', paths: found.map(({ path }) => path),
        })),
      ]
  const any = fc.uniqueArray(operatorFilter(all.filter(({ property }) => property.type !== 'json')), {
    minLength: 2, maxLength: 3, selector: ({ path }) => path,
  })
    .map((found): Filter => ({
      kind: 'anyOf', alias: 'ref', filters: found.map(({ path }) => ({ kind: 'operators', path, operators: ['eq'] })),
    }))
  const trashed = 'deleted_at' in entity.properties ? [fc.constant<Filter>({ kind: 'trashed' })] : []
  const one = fc.oneof(
    { weight: 12, arbitrary: operatorFilter([...all, ...numbers]) as fc.Arbitrary<Filter> },
    ...numbers.length === 0
      ? []
      : [{ weight: 1, arbitrary: operatorFilter([...numbers, ...all.filter(({ path }) => path.includes('.'))]) }],
    ...[...text, any, ...trashed, ...jsonFilter(entity)].map((arbitrary) => ({ weight: 1, arbitrary }))
  )
  const several = fc.uniqueArray(one, { minLength: 3, maxLength: 12, selector: filterName })
  return fc.tuple(several, fc.oneof(fc.constant([]), togetherFilters(entity)))
    .map(([found, together]) => withoutRepeats([...found, ...together], (filter) => [filterName(filter)]))
}

function sorts (entity: Entity, numbers: readonly Place[]): fc.Arbitrary<Sort[]> {
  const all = [...places(entity, 2), ...numbers]
    .filter(({ single, property }) => single && property.type !== 'json')
  const one = fc.record({
    paths: fc.uniqueArray(fc.constantFrom(...all.map(({ path }) => path)), { minLength: 1, maxLength: 3 }),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    named: alias('s'),
  }).map(({ named, ...sort }): Sort => ({ ...sort, ...named }))
  return fc.array(one, { minLength: 1, maxLength: 6 }).map((found) =>
    withoutRepeats(found, (sort) => sortNames([sort]))
  )
}

/** A condition that some rows of an entity match. */
function condition (target: Entity): fc.Arbitrary<Where> {
  const simple: readonly ValueType[] = ['boolean', 'enum', 'integer', 'text']
  const own = places(target, 0).filter(({ property, relation }) => simple.includes(property.type) && !relation)
  return fc.constantFrom(...own).chain(({ path, property }) =>
    valueOf(property).map((equals) => ({ property: path, equals }))
  )
}

function includes (entity: Entity): fc.Arbitrary<Include[]> {
  const paths = relationPaths(entity, 3)
  const relation = fc.constantFrom(...paths).chain(({ path, target, single }) => {
    const columns = places(target, 0).filter(({ property }) => property.type !== 'json').map(({ path }) => path)
    const order = fc.uniqueArray(fc.constantFrom(...columns), { minLength: 1, maxLength: 2 }).chain((names) =>
      fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`)))
    )
    const many = single
      ? fc.constant({})
      : fc.record({ limit: fc.integer({ min: 1, max: 3 }), sort: order, where: condition(target) }, {
        requiredKeys: [],
        noNullPrototype: true,
      })
    return fc.tuple(alias('i'), fc.option(many, { freq: 3 })).map(([named, options]): Include => ({
      kind: 'relation', path, ...named, ...options ?? {},
    }))
  })
  const at = (depth: number) => fc.constantFrom(...paths.filter(({ path }) => path.split('.').length === depth))
  const aggregates = fc.oneof(at(1), at(2)).chain(({ path, target, single }) => {
    const of = (types: readonly ValueType[]): string[] =>
      places(target, 0).filter(({ property, relation }) => types.includes(property.type) && !relation).map(({ path }) =>
        path
      )
    const summed = of(['integer', 'bigint', 'decimal']).map((name) => ['sum', name] as const)
    const least = of(['integer', 'bigint', 'decimal', 'float', 'text', 'date', 'datetime']).flatMap((name) =>
      [['min', name], ['max', name]] as const
    )
    const mean = of(['integer']).map((name) => ['avg', name] as const)
    const [count, exists] = [['count', ''], ['exists', '']] as const
    // of one record, there is nothing but whether it exists
    const possible = single
      ? fc.constant(exists)
      : fc.oneof(fc.constantFrom(count, exists), fc.constantFrom(...summed, ...least, ...mean))
    const aggregate = fc.tuple(possible, fc.option(condition(target), { freq: 3 })).map((
      [[fn, name], where]
    ): Include => ({
      kind: 'aggregate', function: fn, path: name === '' ? path : `${path}.${name}`, ...where !== null && { where },
    }))
    // numbers about the same rows are computed together, others apart
    return fc.array(aggregate, { minLength: 1, maxLength: 2 })
  })
  const relations = fc.array(relation, { maxLength: 6 })
  const numbers = fc.array(aggregates, { minLength: 2, maxLength: 4 }).map((several) => several.flat())
  return fc.tuple(relations, numbers).map((all) => all.flat()).map((found) =>
    withoutRepeats(
      found,
      (
        include
      ) => [
        include.path + (include.kind === 'aggregate' ? include.function : ''),
        includeName({ includes: found } as never, include),
      ]
    )
  )
}

/** Fields of records, and of the relations that may be included. */
function fields (entity: Entity, allowed: readonly Include[]): fc.Arbitrary<Field[]> {
  const paths = allowed.flatMap((include) =>
    include.kind === 'relation' ? [include.path] : aggregateKey(include).parents.join('.') || []
  )
  const columns = places(entity, 3).map(({ path }) => path)
  const possible = columns.filter((path) => {
    const place = path.split('.').slice(0, -1).join('.')
    return place === '' || paths.some((other) => other === place || other.startsWith(`${place}.`))
  })
  return fc.shuffledSubarray(possible, { maxLength: Math.min(14, possible.length) }).chain((found) =>
    fc.tuple(...found.map((path) => alias('c').map((named) => ({ path, ...named }))))
  )
    .map((found) => withoutRepeats(found, ({ path, alias }) => [alias ? `${alias}` : path]))
}

/** The numbers about relations that filters and sorts may name. A mean is not exact enough to be compared. */
function numberPlaces (entity: Entity, found: readonly Include[]): Place[] {
  const world = { entities, whitelist: { entity: entity.name, includes: found } } as never
  return found.flatMap((include) => {
    if (include.kind !== 'aggregate' || include.function === 'avg') return []
    const { parents, key: path } = aggregateKey(include)
    if (parents.length > 0) return []
    return [{ path, property: follow(world, entity, path).property, single: true, relation: false }]
  })
}

function whitelistOf (entity: Entity): fc.Arbitrary<Whitelist> {
  const resource = tableName(entity.name)
  return includes(entity).chain((allowedIncludes) => {
    const numbers = numberPlaces(entity, allowedIncludes)
    return fc.tuple(sorts(entity, numbers), filters(entity, numbers), fc.constant(allowedIncludes))
  }).chain(([allowedSorts, allowedFilters, allowedIncludes]) => {
    const columns = places(entity, 0).filter(({ property }) => property.type !== 'json').map(({ path }) => path)
    const defaults = fc.uniqueArray(fc.constantFrom(...columns, ...sortNames(allowedSorts)), { maxLength: 2 })
      .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`, `+${name}`))))
    const maxPerPage = fc.integer({ min: 2, max: 12 })
    return maxPerPage.chain((maxPerPage) =>
      fc.record({
        entity: fc.constant(entity.name), resource: fc.constant(resource), filters: fc.constant(allowedFilters),
        sorts: fc.constant(allowedSorts), fields: fields(entity, allowedIncludes),
        includes: fc.constant(allowedIncludes), facets: facets(entity), groups: groups(entity),
        numbers: numbers(entity), defaultSort: defaults,
        ignoreInvalid: fc.integer({ min: 0, max: 4 }).map((n) => n === 4), maxPerPage: fc.constant(maxPerPage),
        perPage: fc.integer({ min: 1, max: maxPerPage }), maxOffset: fc.constantFrom(5, 20, 100_000),
        count: fc.constantFrom('exact' as const, 'none' as const), countParameter: fc.boolean(),
      }, { noNullPrototype: true }).map((whitelist) => ({
        ...whitelist,
        // a list without totals cannot leave them out
        countParameter: whitelist.countParameter && whitelist.count === 'exact',
      }))
    )
  })
}

export const whitelists: fc.Arbitrary<Whitelist> = fc.constantFrom(
  'Book', 'Author', 'Book', 'Publisher', 'Tag', 'Copy', 'Book', 'Author'
).chain((name) => whitelistOf(entities[name]!))
