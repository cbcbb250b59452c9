/** The content of records: the included relations, and the selected keys. */
import type { Entity, Include, Whitelist, World } from './description.ts'

import type { Problem } from './problems.ts'
import type { WrittenName, WrittenQuery } from './query-string.ts'

/** The records at one place: the resource's own, or those of an included relation. */
export interface Selection {
  /** `undefined`: all visible columns. */
  readonly fields: ReadonlySet<string> | undefined
  readonly relations: Readonly<
    Record<string, { readonly include: RelationInclude | undefined, readonly selection: Selection }>
  >
  readonly aggregates: readonly AggregateInclude[]
}

export type RelationInclude = Extract<Include, { kind: 'relation' }>
export type AggregateInclude = Extract<Include, { kind: 'aggregate' }>

const MAX_DEPTH = 3
const MAX_INCLUDES = 10

/** The name in URLs. An alias replaces the last name of its path, also if the path continues. */
export function includeName (whitelist: Whitelist, include: Include): string {
  if (include.kind === 'aggregate') {
    const { parents, key } = aggregateKey(include)
    return [...urlNames(whitelist, parents), key].join('.')
  }
  return urlNames(whitelist, include.path.split('.')).join('.')
}

function urlNames ({ includes }: Whitelist, path: readonly string[]): string[] {
  return path.map((name, index) => {
    const prefix = path.slice(0, index + 1).join('.')
    const entry = includes.find((include) => include.kind === 'relation' && include.path === prefix) as
      | RelationInclude
      | undefined
    return entry?.alias ?? name
  })
}

/** `products.tags` counted is `tagsCount` in each of `products`. The sum of `products.stock` is `productsStockSum`. */
export function aggregateKey (
  { function: fn, path }: AggregateInclude
): { parents: string[], relation: string, property: string | undefined, key: string } {
  const names = path.split('.')
  const property = fn === 'count' || fn === 'exists' ? undefined : names.pop()!
  const relation = names.pop()!
  const capital = (text: string): string => text.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())
  return { parents: names, relation, property, key: relation + capital(property ?? '') + capital(fn) }
}

export function readSelection (world: World, query: WrittenQuery, problems: Problem[]): Selection {
  const { whitelist } = world
  const included = readIncludes(whitelist, query.include, problems)
  const fields = readFields(world, query, included, problems)
  return selectionAt(whitelist, [], included, fields)
}

/** The requested entries, each once. */
function readIncludes (whitelist: Whitelist, written: readonly WrittenName[], problems: Problem[]): Include[] {
  const found = new Set<Include>()
  for (const { name, parameter } of written) {
    const entry = whitelist.includes.find((include) => includeName(whitelist, include) === name)
    if (entry) found.add(entry)
    else if (name.split('.').length > MAX_DEPTH) problems.push({ kind: 'include', parameter, limit: true })
    else {
      problems.push({
        kind: 'include', parameter, allowed: whitelist.includes.map((include) => includeName(whitelist, include)),
      })
    }
  }
  if (found.size > MAX_INCLUDES) problems.push({ kind: 'include', parameter: written[0]!.parameter, limit: true })
  return [...found]
}

/** The paths of relations that the includes pass through or end at. */
function relationPaths (included: readonly Include[]): Set<string> {
  const paths = included.flatMap((include) => {
    const names = include.kind === 'relation' ? include.path.split('.') : aggregateKey(include).parents
    return names.map((_, index) => names.slice(0, index + 1).join('.'))
  })
  return new Set(paths)
}

/** The selected keys by path of relations. The resource's own are under the empty path. */
function readFields (
  world: World,
  query: WrittenQuery,
  included: readonly Include[],
  problems: Problem[]
): Map<string, Set<string>> {
  const { whitelist } = world
  const selected = new Map<string, Set<string>>()
  const select = (path: string, written: readonly WrittenName[]): void => {
    const entries = whitelist.fields.map(({ path, alias }) => {
      const names = path.split('.')
      const name = names.pop()!
      return { place: names.join('.'), name, url: alias ?? name }
    }).filter(({ place }) => place === path)
    for (const { name, parameter } of written) {
      const entry = entries.find(({ url }) => url === name)
      if (entry) selected.set(path, new Set([...selected.get(path) ?? [], entry.name]))
      else problems.push({ kind: 'field', parameter, allowed: entries.map(({ url }) => url) })
    }
  }
  select('', query.fields)
  const places = new Map(
    [...relationPaths(included)].map((path) => [urlNames(whitelist, path.split('.')).join('.'), path])
  )
  for (const [name, written] of Object.entries(query.fieldsByInclude)) {
    if (written.length === 0) continue
    const place = name === whitelist.resource ? '' : places.get(name)
    if (place === undefined) {
      problems.push({
        kind: 'field', parameter: written[0]!.parameter, allowed: [whitelist.resource, ...places.keys()],
      })
    } else select(place, written)
  }
  return selected
}

function selectionAt (
  whitelist: Whitelist,
  place: readonly string[],
  included: readonly Include[],
  fields: ReadonlyMap<string, ReadonlySet<string>>
): Selection {
  const here = [...relationPaths(included)].map((path) => path.split('.'))
    .filter((path) => path.length === place.length + 1 && path.slice(0, -1).join('.') === place.join('.'))
  const relations = here.map((path) =>
    [path.at(-1)!, {
      include: whitelist.includes.find((entry) => entry.kind === 'relation' && entry.path === path.join('.')) as
        | RelationInclude
        | undefined,
      selection: selectionAt(whitelist, path, included, fields),
    }] as const
  )
  return {
    fields: fields.get(place.join('.')),
    relations: Object.fromEntries(relations),
    aggregates: included.filter((include) => include.kind === 'aggregate')
      .filter((include) => aggregateKey(include).parents.join('.') === place.join('.')),
  }
}

/** The columns of an entity that clients may see: properties and to-one relations. */
export function visibleColumns (entity: Entity): string[] {
  const properties = Object.keys(entity.properties).filter((name) => !entity.properties[name]!.hidden)
  return [...properties, ...Object.keys(entity.relations).filter((name) => entity.relations[name]!.kind === 'one')]
}
