/** The form of a record. It sends the changes only, and with the version that was read. */
import { useMemo, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { ask, toError } from '../../api/ask.ts'
import { atChildren, inWords, restOf } from '../../api/children.ts'
import {
  changesOf, differencesOf, draftOf, isSameDraft, propertiesOf, type Draft, type Drafts,
} from '../../api/drafts.ts'
import { includesOfForm } from '../../api/form-includes.ts'
import { clientKeyOf, pathOfRecord, type Row } from '../../api/records.ts'
import { urlOf, useApi } from '../../state/context.ts'
import { withVersion, write } from '../../state/record.ts'
import { keepUnsaved, unsavedOf } from '../../state/unsaved.ts'
import type { Address } from '../../url/address.ts'
import { Conflict } from './conflict.tsx'
import { FormFields } from './form-fields.tsx'
import { Form } from './form.tsx'
import { FormError, FormFoot, type FormFailure } from './form-foot.tsx'
import { RestoredNotice } from './unsaved-notice.tsx'

interface EditFormProps {
  readonly resource: ResourceDescription
  readonly address: Address
  readonly path: string
  /** The name of the record. */
  readonly title: string
  readonly record: Row
  readonly etag: string | undefined
  /** Called after a change is saved. The form is done unless it has further changes. */
  readonly onSaved: (isDone: boolean) => void
  readonly onCancel: () => void
}

/** A record as it was read, with the version of that moment. */
interface Base {
  readonly record: Row
  readonly etag: string | undefined
}

/** What is kept of the form until it is saved. */
export interface EditDraft {
  readonly touched: Drafts
  /** The record to which the changes belong. */
  readonly base: Base
}

export function EditForm ({ resource, address, path, title, record, etag, onSaved, onCancel }: EditFormProps) {
  const api = useApi()
  const name = pathOfRecord(resource, path)
  const draft = (): EditDraft | undefined => unsavedOf<EditDraft>(name)?.content
  const properties = useMemo(() => propertiesOf(resource, resource.bodies.update ?? {}), [resource])
  const [isRestored] = useState(draft() !== undefined)
  const [failure, setFailure] = useState<FormFailure>()
  const [theirs, setTheirs] = useState<Base>()
  const [busy, setBusy] = useState(false)

  // changes stay with the version for which they were typed; its relations may arrive later
  const { touched = {}, base: former } = draft() ?? {}
  const base = former !== undefined && former.etag !== etag ? former : { record, etag }

  const draftsOf = (row: Row): Drafts =>
    Object.fromEntries(properties.map((property) => [property.name, draftOf(property, row[property.name])]))
  const before = draftsOf(base.record)
  const drafts = { ...before, ...touched }
  const changes = changesOf(properties, before, drafts)
  const isEmpty = Object.keys(changes).length === 0
  const keep = (touched: Drafts, base: Base): void => {
    const before = draftsOf(base.record)
    const isSame = Object.entries(touched).every(([name, text]) => isSameDraft(before[name], text))
    keepUnsaved(name, isSame ? undefined : { content: { touched, base }, form: { title, address } })
  }

  const save = async (): Promise<void> => {
    const sent = draft()
    setBusy(true)
    setFailure(undefined)
    try {
      const { data, etag } = await write(api, resource, path, { method: 'PATCH', body: changes, ifMatch: base.etag })
      const isDone = draft() === sent
      if (isDone) keepUnsaved(name, undefined)
      // what was typed before the answer is kept, on top of what is saved
      else {
        const rest = restOf(properties, base.record, data, drafts, draft()?.touched ?? {})
        keep(rest.touched, { record: rest.record, etag })
      }
      onSaved(isDone)
    } catch (thrown) {
      const error = toError(thrown)
      setFailure({ error: atChildren(error, properties, drafts), wasWrite: true })
      if (error.status === 412) await readTheirs()
    }
    setBusy(false)
  }
  const readTheirs = async (): Promise<void> => {
    try {
      const include = includesOfForm(resource)
      const url = urlOf(
        api.description,
        pathOfRecord(resource, path),
        include.length > 0 ? [['include', include.join()]] : []
      )
      const { data, etag } = withVersion(resource, await ask<Row>({ url, headers: api.profile.headers }))
      setTheirs({ record: data, etag })
    } catch (error) {
      setFailure({ error: toError(error), wasWrite: false })
    }
  }

  if (theirs !== undefined) {
    return (
      <Conflict
        differences={differencesOf(
          properties,
          inWords(properties, base.record, before),
          inWords(properties, theirs.record, draftsOf(theirs.record)),
          inWords(properties, base.record, drafts)
        )}
        onBack={(chosen) => {
          // the form goes on from the present record, with the choices of the person
          setTheirs(undefined)
          setFailure(undefined)
          if (chosen.length > 0) return keep(Object.fromEntries(chosen.map((name) => [name, drafts[name]])), theirs)
          keepUnsaved(name, undefined)
          onSaved(true)
        }}
      />
    )
  }
  return (
    <Form error={failure?.error} isOff={isEmpty || busy} onSend={save}>
      <div class='drawer-body'>
        {isRestored && !isEmpty && <RestoredNotice isStale={base.etag !== etag} />}
        {failure && <FormError resource={resource} {...failure} properties={properties} />}
        <FormFields
          resource={resource}
          properties={properties}
          drafts={drafts}
          before={before}
          error={failure?.error}
          record={base.record}
          onDraft={(property: string, text: Draft) => keep({ ...draft()?.touched, [property]: text }, base)}
        />
      </div>
      <FormFoot
        resource={resource}
        request={{
          method: 'PATCH',
          path: name,
          params: [],
          body: isEmpty ? undefined : changes,
          ifMatch: base.etag,
          call: { name: 'update', key: clientKeyOf(resource, path) },
        }}
        action='Save'
        busy={busy}
        isOff={isEmpty}
        onCancel={onCancel}
      />
    </Form>
  )
}
