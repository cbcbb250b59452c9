/** Beside the list: the form that changes or deletes all selected records. It counts them before it writes them. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { toError } from '../../api/ask.ts'
import { changesOf, propertiesOf, type Drafts } from '../../api/drafts.ts'
import { recordsText } from '../../api/format.ts'
import { useApi } from '../../state/context.ts'
import { writeMany } from '../../state/record.ts'
import { useKept } from '../../state/unsaved.ts'
import type { Pair } from '../../url/address.ts'
import { DrawerFrame, DrawerHead } from '../record/drawer-frame.tsx'
import { Fields } from '../record/fields.tsx'
import { Form } from '../record/form.tsx'
import { FormError, FormFoot, type FormFailure } from '../record/form-foot.tsx'
import { RestoredNotice } from '../record/unsaved-notice.tsx'
import { AddProperty } from './add-property.tsx'
import type { ManyKind } from './many-bar.tsx'

interface ManyDrawerProps {
  readonly resource: ResourceDescription
  readonly kind: ManyKind
  /** The parameters that select the records. */
  readonly target: readonly Pair[]
  /** The selected records, in words. */
  readonly words: string
  /** Called after the records are written, with what has happened. */
  readonly onDone: (words: string) => void
  readonly onClose: () => void
}

/** The properties to change, in the order in which they were chosen. A value may be missing still. */
interface Chosen {
  readonly names: readonly string[]
  readonly drafts: Drafts
}

/** The result of a dry run. */
interface Counted {
  /** The request without `dry_run`. */
  readonly of: string
  readonly affected: number
}

const NONE: Chosen = { names: [], drafts: {} }

export function ManyDrawer ({ resource, kind, target, words, onDone, onClose }: ManyDrawerProps) {
  const api = useApi()
  const isUpdate = kind === 'update'
  const { path, softDelete, operations: { hardDelete } } = resource
  // many records do not have the same children
  const all = useMemo(
    () => propertiesOf(resource, resource.bodies.update ?? {}).filter(({ children }) => children === undefined),
    [resource]
  )
  const [chosen, keep] = useKept(`${path} many`, NONE)
  const [isRestored] = useState(isUpdate && chosen !== NONE)
  const [isHard, setHard] = useState(false)
  const [counted, setCounted] = useState<Counted>()
  const [failure, setFailure] = useState<FormFailure>()
  const [busy, setBusy] = useState(false)

  const properties = chosen.names.flatMap((name) => all.find((property) => property.name === name) ?? [])
  const body = isUpdate ? changesOf(properties, {}, chosen.drafts) : undefined
  const isComplete = !isUpdate ||
    (properties.length > 0 && properties.every(({ name }) => chosen.drafts[name] !== undefined))
  const params: readonly Pair[] = isHard ? [...target, ['hard', 'true']] : target
  const of = JSON.stringify([api.profile.headers, params, body])
  const isCounted = counted?.of === of
  const request = {
    method: isUpdate ? 'PATCH' : 'DELETE',
    path,
    params: isCounted ? params : [...params, ['dry_run', 'true'] as const],
    body,
    call: { name: isUpdate ? 'updateMany' : 'deleteMany' },
  } as const

  const send = async (): Promise<void> => {
    setBusy(true)
    setFailure(undefined)
    try {
      const { affected } = (await writeMany(api, resource, request)).data
      if (isCounted) {
        if (isUpdate) keep(undefined)
        return onDone(`${recordsText(affected)} ${isUpdate ? 'changed' : 'deleted'}.`)
      }
      setCounted({ of, affected })
    } catch (error) {
      // after a refused write, the count is in doubt
      setCounted(undefined)
      setFailure({ error: toError(error), wasWrite: isCounted })
    }
    setBusy(false)
  }
  // there is nothing to fill in before records are deleted
  useEffect(() => {
    if (!isUpdate) void send() // eslint-disable-line no-void
  }, [isUpdate, of])

  const isOff = !isComplete || (isCounted && counted.affected === 0)
  const title = isUpdate ? 'Edit records' : 'Delete records'
  const count = (
    <p role='status' class={isCounted ? 'notice' : 'quiet'}>
      {isCounted
        ? countedWords(counted.affected, isUpdate, softDelete !== null && !isHard)
        : busy
          ? 'Counting…'
          : ''}
    </p>
  )
  return (
    <DrawerFrame label={`${title} of ${resource.title}`} onClose={onClose}>
      <DrawerHead title={title} detail={`${resource.title}: ${words.toLowerCase()}`} onClose={onClose} />
      <Form error={failure?.error} isOff={isOff || busy} onSend={send}>
        <div class='drawer-body'>
          {isRestored && chosen !== NONE && <RestoredNotice />}
          {failure && <FormError resource={resource} {...failure} properties={properties} />}
          {isUpdate
            ? (
              <>
                <Fields
                  properties={properties}
                  drafts={chosen.drafts}
                  before={{}}
                  error={failure?.error}
                  onDraft={(name, draft) => keep({ ...chosen, drafts: { ...chosen.drafts, [name]: draft } })}
                  onRemove={(name) => {
                    const names = chosen.names.filter((other) => other !== name)
                    const { [name]: _, ...drafts } = chosen.drafts
                    keep(names.length === 0 ? undefined : { names, drafts })
                  }}
                />
                <AddProperty
                  properties={all.filter(({ name }) => !chosen.names.includes(name))}
                  onAdd={(name) => keep({ ...chosen, names: [...chosen.names, name] })}
                />
                <p class='quiet'>All selected records get the same values. Properties that you do not add stay.</p>
              </>
              )
            : (
              <>
                {count}
                {softDelete !== null && hardDelete && (
                  <label class='check-line'>
                    <input
                      type='checkbox'
                      checked={isHard}
                      onChange={({ currentTarget }) => setHard(currentTarget.checked)}
                    />
                    Delete them for ever, instead of marking them as deleted
                  </label>
                )}
              </>
              )}
        </div>
        <FormFoot
          resource={resource}
          request={request}
          action={isCounted ? `${isUpdate ? 'Save' : 'Delete'} ${recordsText(counted.affected)}` : 'Dry run'}
          isBad={!isUpdate && isCounted}
          busy={busy}
          isOff={isOff}
          onCancel={onClose}
        >
          {isUpdate && count}
        </FormFoot>
      </Form>
    </DrawerFrame>
  )
}

function countedWords (affected: number, isUpdate: boolean, isUndoable: boolean): string {
  if (affected === 0) return 'No record matches any more. Nothing would change.'
  if (isUpdate) return `This changes ${recordsText(affected)}. Nothing is changed yet.`
  if (isUndoable) return `This marks ${recordsText(affected)} as deleted. Nothing is changed yet.`
  return `This deletes ${recordsText(affected)} for ever. Nothing is deleted yet.`
}
