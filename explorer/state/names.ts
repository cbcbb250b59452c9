/** The names of related records, of which a page has only the keys. */
import { useState } from 'preact/hooks'
import type { Reference } from '../../src/explorer/description.ts'
import { ask } from '../api/ask.ts'
import { keyOf, labelOf, resourceAt, type PageAnswer, type Row } from '../api/records.ts'
import type { Pair } from '../url/address.ts'
import { joinItems } from '../url/items.ts'
import { keyFilterOf } from '../url/many.ts'
import { urlOf, useApi } from './context.ts'
import { useLoad } from './load.ts'

type Names = Readonly<Record<string, string>>

/** The most records that are read one by one, if no filter finds several of them. */
const SINGLE = 5

/**
 * Looks up the names of records. A key that has no record, or whose record is not named yet, has none.
 *
 * @param known the names that are known already, by key
 * @returns the names by key, and a function that adds some
 */
export function useNames (
  reference: Reference | null,
  keys: readonly string[],
  known: Names = {}
): readonly [Names, (names: Names) => void] {
  const { description, profile: { headers } } = useApi()
  const resource = resourceAt(description, reference?.resource)
  const [names, setNames] = useState(known)
  const add = (more: Names): void => setNames((names) => ({ ...names, ...more }))
  const filter = resource?.operations.list ? keyFilterOf(resource) : undefined
  const missing = keys.filter((key) => key !== '' && names[key] === undefined)
    .slice(0, filter ? Math.min(description.limits.listItems, resource!.paging.maxPerPage) : SINGLE)
  const canAsk = missing.length > 0 && (filter !== undefined || resource?.operations.get === true)
  useLoad(canAsk ? missing.join() : undefined, async (signal) => {
    const { path, lookup } = resource!
    const nameOf = (row: Row): readonly [string, string] | undefined => {
      const key = keyOf(resource!, row)
      const label = labelOf(lookup, row)
      return key === undefined || label === undefined ? undefined : [decodeURIComponent(key), label]
    }
    const rows = filter
      ? (await ask<PageAnswer>({
          url: urlOf(description, path, [
            [`filter[${filter.name}][in]`, joinItems(missing)], ['per_page', String(missing.length)],
            ...lookup?.fields ? [['fields', lookup.fields] as Pair] : [],
          ]),
          headers,
          signal,
        })).data.items
      : await Promise.all(missing.map(async (key) => {
        const url = urlOf(description, `${path}/${encodeURIComponent(key)}`)
        // a key without a record is shown as it is
        return (await ask<Row>({ url, headers, signal }).catch(() => undefined))?.data
      }))
    const found = Object.fromEntries(rows.flatMap((row) => row && nameOf(row) ? [nameOf(row)!] : []))
    add(Object.fromEntries(missing.map((key) => [key, found[key] ?? key])))
  })
  return [names, add]
}
