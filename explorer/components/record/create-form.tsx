/** The form for a new record, or the JSON of several ones where the resource takes lists. */
import { useMemo, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { toError } from '../../api/ask.ts'
import { changesOf, propertiesOf, type Drafts } from '../../api/drafts.ts'
import type { Json, Row } from '../../api/records.ts'
import { useApi } from '../../state/context.ts'
import { write } from '../../state/record.ts'
import { ErrorNotice } from '../basics/notice.tsx'
import { Fields } from './fields.tsx'
import { FormError, FormFoot, useFocusOnError } from './form-foot.tsx'

interface CreateFormProps {
  readonly resource: ResourceDescription
  /** Called with the new record, or without one if there are several. */
  readonly onCreated: (record: Row | undefined) => void
}

export function CreateForm ({ resource, onCreated }: CreateFormProps) {
  const api = useApi()
  const form = useRef<HTMLFormElement>(null)
  const { createMany, maxBatch } = resource.operations
  const properties = useMemo(() => propertiesOf(resource, resource.bodies.create ?? {}), [resource])
  const [drafts, setDrafts] = useState<Drafts>({})
  const [json, setJson] = useState<string>()
  const [error, setError] = useState<CrudError>()
  const [busy, setBusy] = useState(false)
  useFocusOnError(form, error)

  const body: Json | undefined = json === undefined ? changesOf(properties, {}, drafts) : parsed(json)
  const send = async (): Promise<void> => {
    if (body === undefined || busy) return
    setBusy(true)
    setError(undefined)
    try {
      const { data } = await write(api, resource, '', { method: 'POST', body })
      onCreated(Array.isArray(data) ? undefined : data)
    } catch (error) {
      setError(toError(error))
    }
    setBusy(false)
  }
  return (
    <form
      class='form'
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send() // eslint-disable-line no-void
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
      }}
    >
      <div class='drawer-body'>
        <div class='row'>
          <button
            type='button'
            class='button button-small'
            onClick={() => setJson(json === undefined ? JSON.stringify(body, null, 2) : undefined)}
          >
            {json === undefined
              ? (createMany ? 'Paste JSON, of one record or several' : 'Paste JSON')
              : 'Back to the form'}
          </button>
        </div>
        {error &&
          (json === undefined ? <FormError error={error} properties={properties} /> : <ErrorNotice error={error} />)}
        {json === undefined
          ? (
            <Fields
              properties={properties}
              drafts={drafts}
              before={{}}
              error={error}
              onDraft={(name, draft) => setDrafts((drafts) => ({ ...drafts, [name]: draft }))}
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
                onInput={({ currentTarget }) => setJson(currentTarget.value)}
              />
              {body === undefined && <span class='bad'>This text is not JSON yet.</span>}
            </label>
            )}
      </div>
      <FormFoot
        method='POST'
        path={resource.path}
        body={body}
        action={Array.isArray(body) ? `Create ${body.length}` : 'Create'}
        busy={busy}
        isOff={body === undefined}
      />
    </form>
  )
}

function parsed (text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
