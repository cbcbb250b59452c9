/**
 * The profiles: named lists of headers with which requests are sent. They contain credentials, so they are kept in the
 * session's storage, which ends with the tab.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ExplorerDescription } from '../../src/explorer/description.ts'
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
export const PLAIN: Profile = { name: 'Without headers', headers: [] }

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

/** Adds a profile, or replaces the one with its name. */
export function keepProfile (profile: Profile): void {
  const others = profiles.list.filter(({ name }) => name !== profile.name)
  saveProfiles({ ...profiles, list: [...others, profile] })
}

/** Asks as a profile from now on. A profile that is new is kept. */
export function askAs (profile: Profile): void {
  if (profile !== PLAIN && !profiles.list.includes(profile)) keepProfile(profile)
  saveProfiles({ ...profiles, current: profile.name })
}

/** The profile in use. */
export const currentProfile = ({ list, current }: Profiles): Profile =>
  list.find(({ name }) => name === current) ?? PLAIN

/**
 * All profiles: the plain one, those that the description suggests, which are one for each value that a header may
 * have, and those of this tab.
 */
export function knownProfiles ({ list }: Profiles, description: ExplorerDescription | undefined): readonly Profile[] {
  const suggested = (description?.headers ?? []).flatMap(({ name, prefix, values }) =>
    values.map((value): Profile => ({ name: value, headers: [[name, prefix + value]] }))
  )
  const named = (profiles: readonly Profile[], name: string) => profiles.find((profile) => profile.name === name)
  return [
    PLAIN,
    ...suggested.map((profile) => named(list, profile.name) ?? profile),
    ...list.filter(({ name }) => named(suggested, name) === undefined),
  ]
}

/** Who asks, in words. */
export const callerWords = (profile: Profile): string => profile === PLAIN ? PLAIN.name : `As ${profile.name}`

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
