/** Requests whose answer needs behaviour that is described and not yet built. */
import type { World } from '../reference/description.ts'
import { filterName } from '../reference/conditions.ts'
import { readQueryString } from '../reference/query-string.ts'
import { encoded, type Parameter } from './requests.ts'

const SHOWS = {
  'unknown parameters are refused': (_: World, parameters: readonly Parameter[]) =>
    readQueryString(encoded(parameters)).unknown.length > 0,
  'values inside of JSON have the declared type': (
    { whitelist: { filters } }: World,
    parameters: readonly Parameter[]
  ) =>
    filters.some((filter) =>
      filter.kind === 'operators' && filter.jsonType !== undefined &&
      parameters.some(([name]) => name.startsWith(`filter[${filterName(filter)}]`))
    ),
  'a default operator that takes a list is meant by a repeated filter': (
    { whitelist: { filters } }: World,
    parameters: readonly Parameter[]
  ) =>
    filters.some((filter) =>
      filter.kind === 'operators' && ['nin', 'between'].includes(filter.operators[0]) &&
      repeated(parameters, `filter[${filterName(filter)}]`)
    ),
}

/** Whether a parameter is repeated, or given as an item. */
function repeated (parameters: readonly Parameter[], name: string): boolean {
  return parameters.filter(([other]) => other === name).length > 1 ||
    parameters.some(([other]) => other === `${name}[]`)
}

export type Pending = keyof typeof SHOWS

export function waitsFor (pending: readonly Pending[], world: World, parameters: readonly Parameter[]): boolean {
  return pending.some((name) => SHOWS[name](world, parameters))
}
