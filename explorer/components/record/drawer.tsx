/** The record beside the list: its values, a form to change it, and the form for a new record. */
import { useRef, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { includesOfForm } from '../../api/form-includes.ts'
import { hasPath, labelOf, pathOfRecord, type Row } from '../../api/records.ts'
import { go } from '../../state/address.ts'
import { recordKey, useRecord } from '../../state/record.ts'
import { keepUnsaved, unsavedOf, useUnsaved } from '../../state/unsaved.ts'
import type { Address } from '../../url/address.ts'
import { namesOf } from '../../url/names.ts'
import { Confirm } from '../basics/confirm.tsx'
import { Empty, ErrorNotice } from '../basics/notice.tsx'
import { CreateForm } from './create-form.tsx'
import { DrawerFrame, DrawerHead } from './drawer-frame.tsx'
import { EditForm, type EditDraft } from './edit-form.tsx'
import { RecordActions } from './record-actions.tsx'
import { RecordView } from './record-view.tsx'
import { KeptNotice } from './unsaved-notice.tsx'

interface DrawerProps {
  readonly resource: ResourceDescription
  readonly address: Address
  /** Called after a write, so that the list shows it. */
  readonly onChanged: () => void
  readonly onClose: () => void
}

/** Leaves a form, after a question if it has changes. */
type Leave = (then: () => void) => void

export function Drawer (props: DrawerProps) {
  const { resource, address: { own }, onClose } = props
  const root = useRef<HTMLElement>(null)
  const [leaving, setLeaving] = useState<{ readonly then: () => void }>()
  useUnsaved()
  const name = own.open === undefined ? resource.path : pathOfRecord(resource, own.open)
  const form = unsavedOf(name)?.form
  const leave: Leave = (then) => unsavedOf(name) === undefined ? then() : setLeaving({ then })
  const close = (): void => leave(onClose)
  // a button or a form that is replaced must not take the focus along
  const focus = (): void => root.current?.focus()
  return (
    <DrawerFrame
      root={root}
      label={own.open === undefined ? `New record of ${resource.title}` : `Record of ${resource.title}`}
      onClose={close}
    >
      {own.open === undefined
        ? <NewRecord {...props} onClose={close} />
        : hasPath(own.open)
          ? <OneRecord {...props} path={own.open} focus={focus} onClose={close} leave={leave} />
          : <NoPath {...props} />}
      {leaving && form && (
        <Confirm
          question={own.open === undefined ? 'Discard the new record?' : `Discard changes to ${form.title}?`}
          no='Keep editing'
          yes='Discard'
          onAnswer={(isYes) => {
            setLeaving(undefined)
            if (!isYes) return
            keepUnsaved(name, undefined)
            leaving.then()
          }}
        >
          <p>What you typed is not saved.</p>
        </Confirm>
      )}
    </DrawerFrame>
  )
}

/** A record that the API cannot be asked for. */
function NoPath ({ resource, onClose }: DrawerProps) {
  return (
    <>
      <DrawerHead title='Record without a path' detail={resource.title} onClose={onClose} />
      <div class='drawer-body'>
        <Empty title='No URL leads to this record'>
          <p>A part of its key is empty, cannot be decoded, or is one or two points, which browsers remove.</p>
        </Empty>
      </div>
    </>
  )
}

function NewRecord ({ resource, address, onChanged, onClose }: DrawerProps) {
  return (
    <>
      <DrawerHead title='New record' detail={resource.title} onClose={onClose} />
      <CreateForm
        resource={resource}
        address={address}
        onCreated={(record) => {
          onChanged()
          const { create: _, ...own } = address.own
          const key = record && recordKey(resource, record)
          go({ ...address, own: key === undefined || !resource.operations.get ? own : { ...own, open: key } })
        }}
        onCancel={onClose}
      />
    </>
  )
}

interface OneRecordProps extends DrawerProps {
  readonly leave: Leave
  /** The key of the record, as the end of its path. */
  readonly path: string
  /** Moves the focus to the drawer. */
  readonly focus: () => void
}

function OneRecord ({ resource, address, path, focus, onChanged, onClose, leave }: OneRecordProps) {
  const name = pathOfRecord(resource, path)
  const unsaved = unsavedOf<EditDraft>(name)
  const [isEdited, setEdited] = useState(unsaved !== undefined)
  // the form needs the present links of relations that it can change
  const [extra, setExtra] = useState<readonly string[]>(isEdited ? includesOfForm(resource) : [])
  const [gone, setGone] = useState<Row>()
  const includes = [...new Set([...namesOf(address.params, 'include') ?? [], ...extra])]
  const [{ value, error, busy }, reload] = useRecord(resource, path, includes)
  const record = value?.data
  const title = record
    ? labelOf(resource.lookup, record) || decodeURIComponent(path)
    : busy
      ? '…'
      : decodeURIComponent(path)
  const finish = (isDone: boolean): void => {
    reload()
    onChanged()
    if (!isDone) return
    setEdited(false)
    focus()
  }
  const isForm = isEdited && resource.operations.update
  const kept = unsaved && !gone && <KeptNotice typed={unsaved.content.touched} onDiscard={() => leave(focus)} />
  return (
    <>
      <DrawerHead title={title} detail={`${resource.title} / ${decodeURIComponent(path)}`} onClose={onClose} />
      {error && gone === undefined && (
        <div class='drawer-body'>
          <ErrorNotice error={error} onRetry={reload}>
            {error.status === 404 && <p>It may be deleted, or this caller may not see it.</p>}
          </ErrorNotice>
          {kept}
        </div>
      )}
      {record && !error && (
        isForm
          ? (
            <EditForm
              resource={resource}
              address={address}
              path={path}
              title={title}
              record={record}
              etag={value.etag}
              onSaved={finish}
              onCancel={() =>
                leave(() => {
                  setEdited(false)
                  focus()
                })}
            />
            )
          : (
            <div class='drawer-body' aria-busy={busy}>
              {kept}
              <RecordActions
                resource={resource}
                path={path}
                etag={value.etag}
                gone={gone}
                onEdit={() => {
                  setExtra([...extra, ...includesOfForm(resource)])
                  setEdited(true)
                }}
                onGone={(row) => {
                  setGone(row)
                  focus()
                  onChanged()
                }}
                onBack={() => {
                  setGone(undefined)
                  finish(true)
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
