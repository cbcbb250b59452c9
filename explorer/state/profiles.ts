/**
 * The profiles: named lists of headers with which requests are sent. They contain credentials, so they are kept in the
 * session's storage, which ends with the tab.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Pair } from '../url/address.ts'

export interface Profile {
  readonly name: string
  readonly headers: readonly Pair[]
}

interface Profiles {
  readonly list: readonly Profile[]
  /** The name of the profile in use. */
  readonly current: string
}

const KEY = 'fastify-crud-kit/explorer/profiles'

/** The profile without headers. Requests have the cookies of the page, as with every profile. */
export const PLAIN: Profile = { name: 'No headers', headers: [] }

const isProfile = (value: unknown): value is Profile => {
  const { name, headers } = (value ?? {}) as Partial<Profile>
  return typeof name === 'string' && Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string'))
}

function read (): Profiles {
  try {
    const { list, current } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Profiles>
    if (Array.isArray(list) && list.every(isProfile)) return { list, current: String(current ?? PLAIN.name) }
  } catch {
    // a storage that is blocked or holds something else is as good as an empty one
  }
  return { list: [], current: PLAIN.name }
}

let profiles = read()
const listeners = new Set<() => void>()

/** Replaces the profiles and remembers them for this tab. */
export function saveProfiles (next: Profiles): void {
  profiles = next
  try {
    sessionStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // without a storage, the profiles last until the page is reloaded
  }
  for (const listener of listeners) listener()
}

/** Uses another profile. */
export function chooseProfile (name: string): void {
  saveProfiles({ ...profiles, current: name })
}

/** All profiles, the plain one first. */
export const allProfiles = ({ list }: Profiles): readonly Profile[] => [PLAIN, ...list]

/** The profile with a name, or the plain one. */
export function profileNamed (profiles: Profiles, name: string): Profile {
  return profiles.list.find((profile) => profile.name === name) ?? PLAIN
}

/** The profiles, whenever they change. */
export function useProfiles (): Profiles {
  const [state, setState] = useState(profiles)
  useEffect(() => {
    const update = (): void => setState(profiles)
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
  return state
}
