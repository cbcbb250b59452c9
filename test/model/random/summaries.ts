/** Facets, and the groups and numbers of aggregates, for any entity. */
import fc from 'fast-check'
import type { Entity, Facet, GroupEntry, GroupFunction, NumberEntry, ValueType } from '../reference/description.ts'
import { facetName } from '../reference/facets.ts'
import { groupNames, numberNames } from '../reference/groups.ts'
import { alias, places, withoutRepeats, type Place } from './places.ts'

/** Columns whose values can be compared, behind to-one relations only. */
const grouping = (entity: Entity): Place[] =>
  places(entity, 2).filter(({ single, property }) => single && property.type !== 'json')

export function facets (entity: Entity): fc.Arbitrary<Facet[]> {
  const one = fc.record({
    place: fc.constantFrom(...grouping(entity)),
    named: alias('v'),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
  }).map(({ place: { path }, named, limit }): Facet => ({ path, ...named, ...limit !== null && { limit } }))
  return fc.array(one, { maxLength: 5 }).map((found) => withoutRepeats(found, (facet) => [facetName(facet)]))
}

const UNITS = ['day', 'week', 'month', 'year'] as const
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia']

export function groups (entity: Entity): fc.Arbitrary<GroupEntry[]> {
  const all = grouping(entity)
  const values = fc.tuple(fc.constantFrom(...all), alias('g')).map(([{ path }, named]): GroupEntry => ({
    path,
    ...named,
  }))
  const dated = all.filter(({ property: { type } }) => type === 'date' || type === 'datetime')
  const periods = fc.record({
    place: fc.constantFrom(...dated.length === 0 ? all : dated),
    named: alias('d'),
    units: fc.shuffledSubarray([...UNITS], { minLength: 1 }),
    timeZone: fc.constantFrom(undefined, ...ZONES),
  }).map(({ place: { path, property }, named, units, timeZone }): GroupEntry => ({
    path, ...named, periods: { units, ...timeZone !== undefined && property.type === 'datetime' && { timeZone } },
  }))
  const one = dated.length === 0
    ? values
    : fc.oneof({ weight: 2, arbitrary: values }, { weight: 1, arbitrary: periods })
  // a path has one name in items, whatever its alias is
  return fc.array(one, { maxLength: 6 }).map((found) =>
    withoutRepeats(found, (entry) => [...groupNames(entry), `${entry.path} ${entry.periods === undefined}`])
  )
}

/** The functions of a type. The sums of floating-point numbers depend on the order of rows. */
function functionsOf (type: ValueType): readonly GroupFunction[] {
  switch (type) {
    case 'integer':
    case 'bigint':
    case 'decimal':
      return ['sum', 'avg', 'min', 'max', 'countDistinct']
    case 'float':
    case 'text':
    case 'date':
    case 'datetime':
      return ['min', 'max', 'countDistinct']
    default:
      return ['countDistinct']
  }
}

export function numbers (entity: Entity): fc.Arbitrary<NumberEntry[]> {
  const one = fc.constantFrom(...grouping(entity)).chain(({ path, property: { type }, relation }) => {
    const functions = fc.shuffledSubarray(relation ? ['countDistinct' as const] : [...functionsOf(type)], {
      minLength: 1,
    })
    return fc.tuple(functions, alias('n')).map(([functions, named]): NumberEntry => ({ path, functions, ...named }))
  })
  return fc.array(one, { maxLength: 5 }).map((found) => {
    const entries: NumberEntry[] = [{ functions: [] }, ...found]
    return withoutRepeats(entries, (entry) => [...numberNames(entry), entry.path ?? ''])
  })
}
