/** The form for a new record, or the JSON of several ones where the resource takes lists. */
import { useMemo, useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { toError } from '../../api/ask.ts'
import { atChildren } from '../../api/children.ts'
import { changesOf, draftsOfBody, propertiesOf, type Drafts } from '../../api/drafts.ts'
import type { Json } from '../../api/format.ts'
import type { Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { write } from '../../state/record.ts'
import { keepUnsaved, unsavedOf } from '../../state/unsaved.ts'
import type { Address } from '../../url/address.ts'
import { ErrorNotice } from '../basics/notice.tsx'
import { FormFields } from './form-fields.tsx'
import { Form } from './form.tsx'
import { FormError, FormFoot } from './form-foot.tsx'
import { RestoredNotice } from './unsaved-notice.tsx'

interface CreateFormProps {
  readonly resource: ResourceDescription
  readonly address: Address
  /** Called with the new record, or without one if there are several. */
  readonly onCreated: (record: Row | undefined) => void
  readonly onCancel: () => void
}

/** What is kept of the form until it is sent. */
interface CreateDraft {
  readonly drafts: Drafts
  /** The text of the JSON, if it differs from the one that the form stands for. */
  readonly json?: string | undefined
}

export function CreateForm ({ resource, address, onCreated, onCancel }: CreateFormProps) {
  const api = useApi()
  const { createMany, maxBatch } = resource.operations
  const properties = useMemo(() => propertiesOf(resource, resource.bodies.create ?? {}), [resource])
  const draft = (): CreateDraft | undefined => unsavedOf<CreateDraft>(resource.path)?.content
  const { drafts = {}, json: typed } = draft() ?? {}
  const [isRestored] = useState(draft() !== undefined)
  const [isJson, setJson] = useState(typed !== undefined)
  const [error, setError] = useState<CrudError>()
  const [busy, setBusy] = useState(false)

  const plain = changesOf(properties, {}, drafts)
  const json = typed ?? JSON.stringify(plain, null, 2)
  const body: Json | undefined = isJson ? parsed(json) : plain
  const asForm = body === undefined ? undefined : draftsOfBody(properties, body)
  // the form would lose a part of the JSON
  const isStuck = isJson && typed !== undefined && asForm === undefined
  const keep = (drafts: Drafts, json?: string): void => {
    const isEmpty = Object.keys(drafts).length === 0 && json === undefined
    const form = { title: 'New record', address }
    keepUnsaved(resource.path, isEmpty ? undefined : { content: { drafts, json }, form })
  }
  const send = async (): Promise<void> => {
    const sent = draft()
    setBusy(true)
    setError(undefined)
    try {
      const { data } = await write(api, resource, '', { method: 'POST', body })
      // what was typed before the answer is another record
      if (draft() === sent) keepUnsaved(resource.path, undefined)
      onCreated(Array.isArray(data) ? undefined : data)
    } catch (error) {
      setError(isJson ? toError(error) : atChildren(toError(error), properties, drafts))
    }
    setBusy(false)
  }
  return (
    <Form error={error} isOff={body === undefined || busy} onSend={send}>
      <div class='drawer-body'>
        <div class='row'>
          <button
            type='button'
            class='button button-small'
            aria-disabled={isStuck}
            onClick={() => {
              if (isStuck) return
              if (typed !== undefined && asForm) keep(asForm)
              setJson(!isJson)
            }}
          >
            {isJson ? 'Back to the form' : createMany ? 'Paste JSON, of one record or several' : 'Paste JSON'}
          </button>
          {isStuck && body !== undefined && (
            <span class='quiet'>The form has room for one record of known properties.</span>
          )}
        </div>
        {isRestored && draft() && <RestoredNotice />}
        {error &&
          (isJson
            ? <ErrorNotice error={error} />
            : <FormError resource={resource} error={error} wasWrite properties={properties} />)}
        {!isJson
          ? (
            <FormFields
              resource={resource}
              properties={properties}
              drafts={drafts}
              before={{}}
              error={error}
              onDraft={(name, text) => keep({ ...draft()?.drafts, [name]: text })}
            />
            )
          : (
            <label class='stack'>
              {createMany ? `A record, or a list of at most ${maxBatch}` : 'A record'}
              <textarea
                class='mono'
                rows={18}
                spellcheck={false}
                aria-invalid={body === undefined || error !== undefined}
                value={json}
                onInput={({ currentTarget: { value } }) => keep(drafts, value)}
              />
              {body === undefined && <span class='bad'>This text is not JSON yet.</span>}
            </label>
            )}
      </div>
      <FormFoot
        resource={resource}
        request={{ method: 'POST', path: resource.path, params: [], body, call: { name: 'create' } }}
        action={Array.isArray(body) ? `Create ${body.length}` : 'Create'}
        busy={busy}
        isOff={body === undefined}
        onCancel={onCancel}
      />
    </Form>
  )
}

function parsed (text: string): Json | undefined {
  try {
    return JSON.parse(text.trim() || '{}') as Json
  } catch {
    return undefined
  }
}
