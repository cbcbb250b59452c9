/**
 * The names of related records, of which a page has only the keys. They are kept until the page is reloaded, so that
 * turning pages does not ask for them again. After a write, they are shown until they have been asked for once more.
 */
import { createContext } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { ExplorerDescription, ResourceDescription } from '../../src/explorer/description.ts'
import { ask } from '../api/ask.ts'
import { labelsOf, namesRequest, type Wanted } from '../api/names.ts'
import { pathOfRecord, resourceAt, type PageAnswer, type Row } from '../api/records.ts'
import { urlOf, useApi, type Api } from './context.ts'

/** The name of a record, by the path of its resource and its key. `undefined` if it is not known. */
export type NameOf = (path: string | null, key: string) => string | undefined

/** The names that the present part of the page knows. */
export const NamesContext = createContext<NameOf>(() => undefined)

interface Kept {
  /** `null` if the caller does not see such a record. */
  readonly name: string | null
  readonly round: number
}

/** The names by caller and path, and then by key. */
const kept = new Map<string, Map<string, Kept>>()
/** The number of writes so far: a name from before the last one may have changed. */
let round = 0
/** The keys that are being asked for, with caller and path. */
const asking = new Set<string>()
const listeners = new Set<() => void>()

/** The key of a resource's names in `kept`. The caller is a part of it, because others may see other records. */
const placeOf = ({ profile: { headers } }: Api, path: string): string => `${path} ${JSON.stringify(headers)}`

function keep (place: string, names: Iterable<readonly [string, Kept]>): void {
  const known = kept.get(place) ?? new Map<string, Kept>()
  kept.set(place, known)
  for (const [key, name] of names) known.set(key, name)
  for (const listener of listeners) listener()
}

/** Keeps the name of a record that the page has met in another way. */
export const keepName = (api: Api, path: string, key: string, name: string): void =>
  keep(placeOf(api, path), [[key, { name, round }]])

/** Asks for names once more where they are still wanted, because something was written. */
export function renewNames (): void {
  round++
}

/** The most records that are read one by one, if no filter finds several of them. */
const SINGLE = 5

interface UseNamesOptions {
  /**
   * The rows that have the keys. With them, each resource is asked at most once for each answer. Without them, it is
   * asked until all names are known.
   */
  readonly of?: readonly Row[]
}

/**
 * Looks up the names of records. A record whose name is not known yet, or that the caller does not see, has none. If a
 * request fails, its records have none until other keys are wanted.
 */
export function useNames (wanted: readonly Wanted[], { of }: UseNamesOptions = {}): NameOf {
  const api = useApi()
  const [version, setVersion] = useState({})
  useLayoutEffect(() => {
    const update = (): void => setVersion({})
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
  const missing = missingOf(api, wanted)
  const { headers } = api.profile
  useEffect(() => {
    // names may have arrived since
    for (const { path, keys } of missingOf(api, missing)) {
      const place = placeOf(api, path)
      const resource = resourceAt(api.description, path)
      const free = keys.filter((key) => !asking.has(`${place} ${key}`))
      // eslint-disable-next-line no-void
      if (resource && free.length > 0) void look(api, resource, place, free, of !== undefined)
    }
  }, [JSON.stringify([headers, of ? missing.length > 0 : missing]), of])
  return useCallback(
    (path, key) => path === null ? undefined : kept.get(placeOf(api, path))?.get(key)?.name ?? undefined,
    [api, version]
  )
}

type Missing = Wanted & { readonly path: string }

/** The records whose names are not known, or may have changed. */
function missingOf (api: Api, wanted: readonly Wanted[]): readonly Missing[] {
  return wanted.flatMap(({ path, keys }): readonly Missing[] => {
    if (path === null) return []
    const known = kept.get(placeOf(api, path))
    const unknown = keys.filter((key) => key !== '' && known?.get(key)?.round !== round)
    return unknown.length === 0 ? [] : [{ path, keys: unknown }]
  })
}

/** Asks for the names of some records and keeps them. */
async function look (
  { description, profile: { headers } }: Api,
  resource: ResourceDescription,
  place: string,
  keys: readonly string[],
  isList: boolean
): Promise<void> {
  const request = namesRequest(resource, keys, description.limits)
  const isSingle = request === undefined && !isList && resource.operations.get
  const asked = request?.keys ?? (isSingle ? keys.slice(0, SINGLE) : [])
  if (asked.length === 0) return
  const marks = asked.map((key) => `${place} ${key}`)
  for (const mark of marks) asking.add(mark)
  const began = round
  try {
    const rows = request
      ? (await ask<PageAnswer>({ url: urlOf(description, resource.path, request.params), headers })).data.items
      : await readEach(description, resource, asked, headers)
    const found = labelsOf(resource, rows)
    keep(place, asked.map((key) => [key, { name: found.get(key) ?? null, round: began }]))
  } catch {
    // the page shows the keys: a name is a help, and the list of the records says what is wrong with it
  } finally {
    for (const mark of marks) asking.delete(mark)
  }
}

/** Reads each record by its key. A key without a record is shown as it is. */
async function readEach (
  description: ExplorerDescription,
  resource: ResourceDescription,
  keys: readonly string[],
  headers: Api['profile']['headers']
): Promise<Row[]> {
  const rows = await Promise.all(keys.map(async (key) => {
    const url = urlOf(description, pathOfRecord(resource, encodeURIComponent(key)))
    return (await ask<Row>({ url, headers }).catch(() => undefined))?.data
  }))
  return rows.filter((row) => row !== undefined)
}
