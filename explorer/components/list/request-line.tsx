/** The request of the page: its URL, which can be edited and copied, and what it cost. */
import { useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { currentAddress, go } from '../../state/address.ts'
import { rootOf, useApi } from '../../state/context.ts'
import type { List } from '../../state/list.ts'
import { formatQuery, parseAddress, type Address } from '../../url/address.ts'
import type { ClientMethod } from '../../url/code.ts'
import { Icon } from '../basics/icon.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { CostMenu } from './cost-menu.tsx'

interface RequestLineProps {
  readonly resource: ResourceDescription
  readonly address: Address
  readonly list: List
  readonly call: ClientMethod
}

export function RequestLine ({ resource, address, list, call }: RequestLineProps) {
  const { description } = useApi()
  const [draft, setDraft] = useState<string>()
  const { path, params } = address
  const { pathname } = new URL(rootOf(description))
  const root = pathname === '/' ? '' : pathname
  if (draft !== undefined) {
    return (
      <form
        class='request'
        onSubmit={(event) => {
          event.preventDefault()
          const text = draft.trim()
          const next = parseAddress(text.startsWith(root) ? text.slice(root.length) : text)
          setDraft(undefined)
          go({ ...next, own: currentAddress().own })
        }}
        onKeyDown={({ key }) => key === 'Escape' && setDraft(undefined)}
      >
        <span class='method'>GET</span>
        <input
          class='mono request-input'
          aria-label='URL of the request'
          value={draft}
          spellcheck={false}
          ref={(input) => input?.focus()}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
        <button class='button button-main'>Ask</button>
        <button type='button' class='button' onClick={() => setDraft(undefined)}>Cancel</button>
      </form>
    )
  }
  return (
    <div class='request'>
      <span class='method'>GET</span>
      <code class='url' role='group' tabIndex={0} aria-label='The request of this page'>
        <span class='url-root'>{root}</span>
        <span class='url-path'>{path}</span>
        {params.map(([name, text], index) => (
          <span key={index}>
            <span class='url-mark'>{index === 0 ? '?' : '&'}</span>
            <span class='url-name'>{name}</span>
            <span class='url-mark'>=</span>
            {text.length > 60 ? `${text.slice(0, 60)}…` : text}
          </span>
        ))}
      </code>
      <button
        type='button'
        class='button button-bare'
        title='Edit the URL'
        aria-label='Edit the URL'
        onClick={() => setDraft(root + path + formatQuery(params))}
      >
        <Icon name='edit' />
      </button>
      <CostMenu list={list} address={address} />
      <CopyMenu resource={resource} request={{ method: 'GET', path, params, call }} />
    </div>
  )
}
