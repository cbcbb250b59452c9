/** Downloads all records of the list, in the forms that the resource streams. */
import { useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { download, toError } from '../../api/ask.ts'
import { urlOf, useApi } from '../../state/context.ts'
import type { Pair } from '../../url/address.ts'
import { withNames } from '../../url/names.ts'
import { withoutPage } from '../../url/pages.ts'
import { Icon } from '../basics/icon.tsx'
import { ErrorNotice } from '../basics/notice.tsx'
import { Popover } from '../basics/popover.tsx'

interface DownloadMenuProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
}

const FORMS = {
  'text/csv': ['CSV', 'csv'],
  'application/x-ndjson': ['NDJSON: one record a line', 'ndjson'],
} as const

export function DownloadMenu ({ resource, params }: DownloadMenuProps) {
  const { description, profile } = useApi()
  const [error, setError] = useState<CrudError>()
  const [busy, setBusy] = useState(false)
  const start = async (accept: keyof typeof FORMS): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const url = urlOf(description, resource.path, withNames(withoutPage(params), 'facets', []))
      const file = URL.createObjectURL(await download({ url, headers: profile.headers, accept }))
      const link = document.createElement('a')
      link.href = file
      link.download = `${resource.name}.${FORMS[accept][1]}`
      link.click()
      setTimeout(() => URL.revokeObjectURL(file), 60_000)
    } catch (error) {
      setError(toError(error))
    }
    setBusy(false)
  }
  const name = busy ? 'Downloading…' : 'Download'
  const label = (
    <>
      <Icon name='download' />
      <span class='wide'>{name}</span>
    </>
  )
  return (
    <Popover name='Download' title={name} label={label}>
      {() => (
        <div class='menu'>
          <p class='label'>All records that match</p>
          {resource.downloads.map((type) => (
            <button
              type='button'
              class='menu-item'
              key={type}
              disabled={busy}
              onClick={() => start(type)}
            >
              {FORMS[type][0]}
            </button>
          ))}
          {error && <ErrorNotice error={error} />}
        </div>
      )}
    </Popover>
  )
}
