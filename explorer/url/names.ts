/** Reads and changes the parameters of a query string, and those that hold lists of names: `include`, `fields`. */
import type { Pair } from './address.ts'

/** The order of parameters in a query string. All others come last: those of pages, and those of the application. */
const ORDER = ['group', 'aggregate', 'filter', 'sort', 'include', 'fields', 'facets']

const rank = ([name]: Pair): number => {
  const index = ORDER.indexOf(name.replace(/\[[^]*$/, ''))
  return index === -1 ? ORDER.length : index
}

/** Sorts parameters in the order of the documentation. Those of one kind keep their order. */
export function inOrder (params: readonly Pair[]): Pair[] {
  return [...params].sort((a, b) => rank(a) - rank(b))
}

/** The value of a parameter, or `undefined` if the query string lacks it. */
export function valueOf (params: readonly Pair[], name: string): string | undefined {
  return params.find(([key]) => key === name)?.[1]
}

/** The names in all occurrences of a parameter. Returns `undefined` if it is not given. */
export function namesOf (params: readonly Pair[], parameter: string): string[] | undefined {
  const found = params.filter(([name]) => name === parameter || name === `${parameter}[]`)
  if (found.length === 0) return undefined
  return found.flatMap(([, text]) => text.split(',')).map((name) => name.trim()).filter((name) => name !== '')
}

/** Replaces a list of names. An empty list removes the parameter. */
export function withNames (params: readonly Pair[], parameter: string, names: readonly string[]): Pair[] {
  const others = params.filter(([name]) => name !== parameter && name !== `${parameter}[]`)
  return inOrder(names.length === 0 ? others : [...others, [parameter, names.join()]])
}

/** Includes a relation, or removes it together with everything below it. */
export function withInclude (params: readonly Pair[], path: string, on: boolean): Pair[] {
  const includes = namesOf(params, 'include') ?? []
  if (on) return withNames(params, 'include', includes.includes(path) ? includes : [...includes, path])
  const isBelow = (other: string): boolean => other === path || other.startsWith(`${path}.`)
  const fields = params.filter(([name]) => {
    const relation = /^fields\[([^\]]*)\]/.exec(name)?.[1]
    return relation === undefined || !isBelow(relation)
  })
  return withNames(fields, 'include', includes.filter((other) => !isBelow(other)))
}

/** The parameter with the fields of the resource, or of an included relation. */
export const fieldsParameter = (path: string): string => path === '' ? 'fields' : `fields[${path}]`
