/** Maps in the session's storage. They survive a reload, and end with the tab. */
import { explorerRoot } from './address.ts'

/** A map that outlives a reload, if `store` is called after its changes. */
interface StoredMap<Value> {
  readonly map: Map<string, Value>
  readonly store: () => void
}

/** Reads a map. Explorers with other prefixes show other APIs, and have other maps. */
export function storedMap<Value> (name: string): StoredMap<Value> {
  const key = `fastify-crud-kit/explorer/${name}${explorerRoot.pathname}`
  const map = new Map(entriesOf<Value>(key))
  return {
    map,
    store () {
      try {
        sessionStorage.setItem(key, JSON.stringify([...map]))
      } catch {
        // without a storage, it lasts until the page is reloaded
      }
    },
  }
}

function entriesOf<Value> (key: string): ReadonlyArray<readonly [string, Value]> {
  try {
    const entries = JSON.parse(sessionStorage.getItem(key) ?? '[]') as unknown
    if (Array.isArray(entries)) return entries as ReadonlyArray<readonly [string, Value]>
  } catch {
    // a storage that is blocked or holds something else is as good as an empty one
  }
  return []
}
