/** What all components share: the description of the API, and the caller's headers. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ExplorerDescription } from '../../src/explorer/description.ts'
import { ask } from '../api/ask.ts'
import { formatQuery, type Pair } from '../url/address.ts'
import { explorerRoot } from './address.ts'
import { useLoad } from './load.ts'
import type { Profile } from './profiles.ts'

/** Loads the description as a profile may see it. */
export function useDescription (profile: Profile | undefined) {
  return useLoad(profile && JSON.stringify(profile.headers), async (signal) => {
    const url = new URL('resources.json', explorerRoot).href
    return (await ask<ExplorerDescription>({ url, headers: profile!.headers, signal })).data
  })
}

export interface Api {
  readonly description: ExplorerDescription
  readonly profile: Profile
}

export const ApiContext = createContext<Api | undefined>(undefined)

/** The API. Only components below the loaded description use it. */
export function useApi (): Api {
  const api = useContext(ApiContext)
  if (api === undefined) throw new Error('This component is not below ApiContext.')
  return api
}

/** The root of the API, without a slash at its end. */
export function rootOf ({ root }: Pick<ExplorerDescription, 'root'>): string {
  return new URL(root, explorerRoot).href.replace(/\/$/, '')
}

/** The URL of a request of the API. */
export function urlOf (description: ExplorerDescription, path: string, params: readonly Pair[] = []): string {
  return rootOf(description) + path + formatQuery(params)
}
