/** What can be done with a record: edit, delete, restore, copy. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { toError } from '../../api/ask.ts'
import { pathOfRecord, type Row } from '../../api/records.ts'
import { urlOf, useApi } from '../../state/context.ts'
import { write } from '../../state/record.ts'
import { Copy } from '../basics/copy.tsx'
import { Icon } from '../basics/icon.tsx'
import { ErrorNotice } from '../basics/notice.tsx'
import { RoleHint } from '../profiles/role-hint.tsx'

interface RecordActionsProps {
  readonly resource: ResourceDescription
  readonly path: string
  readonly etag: string | undefined
  /** The record, after it was deleted. */
  readonly gone: Row | undefined
  readonly onEdit: () => void
  readonly onGone: (record: Row) => void
  readonly onBack: () => void
}

export function RecordActions ({ resource, path, etag, gone, onEdit, onGone, onBack }: RecordActionsProps) {
  const api = useApi()
  const { operations, softDelete } = resource
  const [isSure, setSure] = useState(false)
  const [error, setError] = useState<CrudError>()
  const [busy, setBusy] = useState(false)
  // a button that is gone after its click must not take the focus along
  const asking = useRef<HTMLButtonElement>(null)
  const harmless = useRef<HTMLButtonElement>(null)
  const wasSure = useRef(false)
  useLayoutEffect(() => {
    if (isSure !== wasSure.current) (isSure ? harmless : asking).current?.focus()
    wasSure.current = isSure
  }, [isSure])
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (error) {
      setError(toError(error))
    }
    setBusy(false)
    setSure(false)
  }
  const remove = (isHard: boolean) => () =>
    run(async () => {
      const call = { method: 'DELETE', ifMatch: etag } as const
      onGone((await write(api, resource, path, call, isHard ? [['hard', 'true']] : [])).data)
    })
  const restore = () =>
    run(async () => {
      await write(api, resource, `${path}/restore`, { method: 'POST' })
      onBack()
    })

  if (gone) {
    return (
      <div class='notice' role='status'>
        <p>The record is deleted.</p>
        {operations.restore && softDelete && (
          <button type='button' class='button' disabled={busy} onClick={restore}>
            <Icon name='undo' />
            <span>Restore</span>
          </button>
        )}
        {error && <ErrorNotice error={error} />}
      </div>
    )
  }
  return (
    <>
      <div class='row actions'>
        {operations.update && (
          <button type='button' class='button button-main' onClick={onEdit}>
            <Icon name='edit' />
            <span>Edit</span>
          </button>
        )}
        {operations.delete && !isSure && (
          <button type='button' class='button' ref={asking} onClick={() => setSure(true)}>
            <Icon name='trash' />
            <span>Delete</span>
          </button>
        )}
        <Copy text={urlOf(api.description, pathOfRecord(resource, path))}>Copy URL</Copy>
      </div>
      {isSure && (
        <div
          class='notice'
          role='alert'
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            // the record stays open
            event.preventDefault()
            setSure(false)
          }}
        >
          <p>{softDelete ? 'Mark this record as deleted?' : 'Delete this record? This cannot be undone.'}</p>
          <div class='row'>
            <button type='button' class='button button-bad' disabled={busy} onClick={remove(false)}>Delete</button>
            {operations.hardDelete && (
              <button type='button' class='button button-bad' disabled={busy} onClick={remove(true)}>
                Delete for ever
              </button>
            )}
            <button type='button' class='button' ref={harmless} onClick={() => setSure(false)}>Keep it</button>
          </div>
        </div>
      )}
      {!operations.update && <RoleHint action='change this record' />}
      {error && <ErrorNotice error={error} />}
    </>
  )
}
