/** The page: loads the description of the API, and shows the resource of the address. */
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { recordAt, resourceAt, resourceOfNumbers } from '../api/records.ts'
import { go, useAddress } from '../state/address.ts'
import { ApiContext, useDescription } from '../state/context.ts'
import { currentProfile, useProfiles } from '../state/profiles.ts'
import type { Address } from '../url/address.ts'
import { Empty, ErrorNotice } from './basics/notice.tsx'
import { ProfileMenu } from './profiles/profile-menu.tsx'
import { ResourcePage } from './list/resource-page.tsx'
import { NumbersPage } from './numbers/numbers-page.tsx'
import { Shell } from './shell/shell.tsx'
import { Start } from './shell/start.tsx'

/** Why the page cannot begin, by the status of the answer. A request without an answer has the status 0. */
const REASONS: Readonly<Record<number, string>> = {
  0: 'The server does not answer',
  401: 'The API needs credentials',
  403: 'The API refuses this caller',
}

export function App () {
  const address = useAddress()
  const profiles = useProfiles()
  const profile = currentProfile(profiles)
  const [{ value: description, error }, retry] = useDescription(profile)
  const api = useMemo(() => description && { description, profile }, [description, profile])
  const listed = description && resourceAt(description, address.path)
  const counted = description && resourceOfNumbers(description, address.path)
  const resource = listed ?? counted
  const typed = description && resource === undefined ? recordAt(description, address.path) : undefined
  useLayoutEffect(() => {
    if (typed === undefined) return
    go({ ...address, path: typed.resource.path, own: { ...address.own, open: typed.key } }, 'replace')
  }, [typed?.resource, typed?.key])
  useEffect(() => {
    document.title = [resource?.title, description?.title ?? 'Explorer'].filter(Boolean).join(' · ')
  }, [resource, description])

  if (error) {
    const isRefused = error.status === 401 || error.status === 403
    return (
      <main class='alone'>
        <h1>{REASONS[error.status] ?? 'The API did not describe itself'}</h1>
        <ErrorNotice error={error} onRetry={retry} />
        {isRefused && <p>Add the headers that carry your credentials. They stay in this tab.</p>}
        <ProfileMenu description={description} opened={isRefused} />
      </main>
    )
  }
  if (api === undefined) {
    return (
      <main class='alone' aria-busy='true'>
        <p class='quiet'>Loading…</p>
      </main>
    )
  }
  return (
    <ApiContext.Provider value={api}>
      <Shell resource={resource} address={address}>
        <Shown address={address} listed={listed} counted={counted} />
      </Shell>
    </ApiContext.Provider>
  )
}

interface ShownProps {
  readonly address: Address
  /** The resource whose records have the address. */
  readonly listed: ResourceDescription | undefined
  /** The resource whose numbers have the address. */
  readonly counted: ResourceDescription | undefined
}

/** What has an address: records, numbers about them, or nothing. */
function Shown ({ address, listed, counted }: ShownProps) {
  if (listed) return <ResourcePage key={listed.path} resource={listed} address={address} />
  if (counted?.operations.aggregate) return <NumbersPage key={counted.path} resource={counted} address={address} />
  if (counted) {
    return (
      <Empty title={`There are no numbers about ${counted.title}`}>
        <p>This role may not use the operation aggregate, or the resource does not offer it.</p>
      </Empty>
    )
  }
  if (address.path === '') return <Start />
  return (
    <Empty title={`There is no resource ${address.path}`}>
      <p>This role may not use it, or the link is old. Choose a resource from the menu.</p>
    </Empty>
  )
}
