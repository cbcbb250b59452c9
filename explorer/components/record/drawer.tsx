/** The record beside the list: its values, a form to change it, and the form for a new record. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { labelOf, type Row } from '../../api/records.ts'
import { go } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { recordKey, useRecord } from '../../state/record.ts'
import type { Address } from '../../url/address.ts'
import { namesOf } from '../../url/names.ts'
import { Icon } from '../basics/icon.tsx'
import { ErrorNotice } from '../basics/notice.tsx'
import { CreateForm } from './create-form.tsx'
import { EditForm } from './edit-form.tsx'
import { RecordActions } from './record-actions.tsx'
import { RecordView } from './record-view.tsx'

interface DrawerProps {
  readonly resource: ResourceDescription
  readonly address: Address
  /** Called after a write, so that the list shows it. */
  readonly onChanged: () => void
  readonly onClose: () => void
}

export function Drawer (props: DrawerProps) {
  const { resource, address: { own }, onClose } = props
  const root = useRef<HTMLElement>(null)
  // a button or a form that is replaced must not take the focus along
  const focus = (): void => root.current?.focus()
  useEffect(focus, [])
  return (
    <aside
      class='drawer'
      tabIndex={-1}
      ref={root}
      aria-label={own.open === undefined ? `New record of ${resource.title}` : `Record of ${resource.title}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.stopPropagation()
        onClose()
      }}
    >
      {own.open === undefined ? <NewRecord {...props} /> : <OneRecord {...props} path={own.open} focus={focus} />}
    </aside>
  )
}

function Head (
  { title, detail, onClose }: { readonly title: string, readonly detail: string, readonly onClose: () => void }
) {
  return (
    <header class='drawer-head'>
      <div class='drawer-title'>
        <p class='quiet'>{detail}</p>
        <h2>{title}</h2>
      </div>
      <button type='button' class='button button-bare' title='Close (Escape)' aria-label='Close' onClick={onClose}>
        <Icon name='close' />
      </button>
    </header>
  )
}

function NewRecord ({ resource, address, onChanged, onClose }: DrawerProps) {
  return (
    <>
      <Head title='New record' detail={resource.title} onClose={onClose} />
      <CreateForm
        resource={resource}
        onCreated={(record) => {
          onChanged()
          const { create: _, ...own } = address.own
          const key = record && recordKey(resource, record)
          go({ ...address, own: key === undefined || !resource.operations.get ? own : { ...own, open: key } })
        }}
      />
    </>
  )
}

interface OneRecordProps extends DrawerProps {
  /** The key of the record, as the end of its path. */
  readonly path: string
  /** Moves the focus to the drawer. */
  readonly focus: () => void
}

function OneRecord ({ resource, address, path, focus, onChanged, onClose }: OneRecordProps) {
  const { profile } = useApi()
  const [isEdited, setEdited] = useState(false)
  const [extra, setExtra] = useState<readonly string[]>([])
  const [gone, setGone] = useState<Row>()
  const includes = [...new Set([...namesOf(address.params, 'include') ?? [], ...extra])]
  const [{ value, error, busy }, reload] = useRecord(resource, path, includes)
  const record = value?.data
  const title = record
    ? labelOf(resource.lookup, record) || decodeURIComponent(path)
    : busy
      ? '…'
      : decodeURIComponent(path)
  const finish = (): void => {
    setEdited(false)
    focus()
    reload()
    onChanged()
  }
  return (
    <>
      <Head title={title} detail={`${resource.title} / ${decodeURIComponent(path)}`} onClose={onClose} />
      {error && gone === undefined && (
        <div class='drawer-body'>
          <ErrorNotice error={error} onRetry={reload}>
            {error.status === 404 && <p>It may be deleted, or “{profile.name}” may not see it.</p>}
          </ErrorNotice>
        </div>
      )}
      {record && !error && (
        isEdited
          ? (
            <EditForm
              resource={resource}
              path={path}
              record={record}
              etag={value.etag}
              onSaved={finish}
              onCancel={() => {
                setEdited(false)
                focus()
              }}
            />
            )
          : (
            <div class='drawer-body' aria-busy={busy}>
              <RecordActions
                resource={resource}
                path={path}
                etag={value.etag}
                gone={gone}
                onEdit={() => {
                  // the form needs the present links of relations that it can change
                  setExtra([...extra, ...writableRelations(resource)])
                  setEdited(true)
                }}
                onGone={(row) => {
                  setGone(row)
                  focus()
                  onChanged()
                }}
                onBack={() => {
                  setGone(undefined)
                  finish()
                }}
              />
              <RecordView
                resource={resource}
                record={gone ?? record}
                includes={includes}
                onInclude={(name) => {
                  setExtra([...extra, name])
                  focus()
                }}
              />
            </div>
            )
      )}
    </>
  )
}

/** The paths of to-many relations that the body of an update may set, and that can be included. */
function writableRelations ({ bodies, includes }: ResourceDescription): string[] {
  const writable = Object.keys(bodies.update?.properties ?? {})
  return includes.flatMap((include) =>
    include.kind === 'relation' && include.many && include.allowed && writable.includes(include.name)
      ? include.path
      : []
  )
}
