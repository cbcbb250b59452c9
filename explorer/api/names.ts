/** The requests for the names of related records, of which a list has only the keys. */
import type { ExplorerDescription, ResourceDescription } from '../../src/explorer/description.ts'
import { encode, type Pair } from '../url/address.ts'
import { joinItems } from '../url/items.ts'
import { keyFilterOf } from '../url/many.ts'
import type { Column } from './columns.ts'
import type { Json } from './format.ts'
import { keyOf, labelOf, resourceAt, type Row } from './records.ts'

/** The records of a resource whose names are wanted. */
export interface Wanted {
  /** The path of the resource. `null` if the caller has no such resource. */
  readonly path: string | null
  readonly keys: readonly string[]
}

/** A request for the names of several records. */
interface NamesRequest {
  readonly params: readonly Pair[]
  /** The keys that it asks for. */
  readonly keys: readonly string[]
}

/** Room in a query string for everything but the keys. */
const FRAME = 500

/**
 * One request for the names of as many records as the API allows at once.
 *
 * @returns `undefined` if no filter finds records by a list of keys, or if records have no names but their keys
 */
export function namesRequest (
  resource: ResourceDescription,
  keys: readonly string[],
  { listItems, queryLength }: ExplorerDescription['limits']
): NamesRequest | undefined {
  const { operations, lookup, paging } = resource
  const filter = operations.list ? keyFilterOf(resource) : undefined
  if (filter === undefined || lookup === null || lookup.label === filter.field) return undefined
  let length = FRAME
  const asked = keys.slice(0, Math.min(listItems, paging.maxPerPage)).filter((key) => {
    length += encode(joinItems([key])).length + 1
    return length <= queryLength
  })
  return {
    params: [
      [`filter[${filter.name}][in]`, joinItems(asked)],
      ['per_page', String(asked.length)],
      ...lookup.fields === null ? [] : [['fields', lookup.fields] as Pair],
    ],
    keys: asked,
  }
}

/** The names of records, by key. */
export function labelsOf (resource: ResourceDescription, rows: readonly Row[]): Map<string, string> {
  return new Map(rows.flatMap((row): Array<[string, string]> => {
    const key = keyOf(resource, row)
    const label = labelOf(resource.lookup, row)
    return key === undefined || label === undefined ? [] : [[decodeURIComponent(key), label]]
  }))
}

/** The resource of the records to which a column refers by key: it can be asked for their names. */
export function namingResource (
  { field, relation }: Column,
  description: ExplorerDescription
): ResourceDescription | undefined {
  const { resource } = (relation?.many ? undefined : relation?.reference) ?? field?.reference ?? { resource: null }
  const found = resourceAt(description, resource)
  return found && namesRequest(found, [], description.limits) && found
}

/** The related records of which rows have only the keys, and that the API can be asked to name. */
export function wantedNames (
  columns: readonly Column[],
  rows: readonly Row[],
  description: ExplorerDescription
): readonly Wanted[] {
  const named = columns.filter(({ parent }) => parent === undefined).map((column) =>
    [column.key, namingResource(column, description)?.path ?? null] as const
  )
  return wantedOf(named.flatMap(([key, path]) => rows.map((row) => [path, row[key]] as const)))
}

/** Gathers keys by the path of their resource. What has no path, or is no key, is left out. */
export function wantedOf (
  keys: ReadonlyArray<readonly [path: string | null, key: Json | undefined]>
): readonly Wanted[] {
  const wanted = new Map<string, Set<string>>()
  for (const [path, key] of keys) {
    if (path === null) continue
    const known = wanted.get(path) ?? new Set()
    wanted.set(path, known)
    if (key !== null && key !== undefined && key !== '' && typeof key !== 'object') known.add(String(key))
  }
  return [...wanted].map(([path, keys]) => ({ path, keys: [...keys] }))
}
