/** The form of a record. It sends the changes only, and with the version that was read. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { ask, toError } from '../../api/ask.ts'
import {
  changesOf,
  differencesOf,
  draftOf,
  propertiesOf,
  type Draft,
  type Drafts,
  type Property,
} from '../../api/drafts.ts'
import { pathOfRecord, relationsOf, resourceAt, type Row } from '../../api/records.ts'
import { urlOf, useApi } from '../../state/context.ts'
import { write } from '../../state/record.ts'
import { Conflict } from './conflict.tsx'
import { Fields } from './fields.tsx'
import { FormFoot, FormError, useFocusOnError } from './form-foot.tsx'

interface EditFormProps {
  readonly resource: ResourceDescription
  readonly path: string
  readonly record: Row
  readonly etag: string | undefined
  readonly onSaved: () => void
  readonly onCancel: () => void
}

/** A record as it was read, with the version of that moment. */
interface Base {
  readonly record: Row
  readonly etag: string | undefined
}

export function EditForm ({ resource, path, record, etag, onSaved, onCancel }: EditFormProps) {
  const api = useApi()
  const form = useRef<HTMLFormElement>(null)
  const properties = useMemo(() => propertiesOf(resource, resource.bodies.update ?? {}), [resource])
  const [base, setBase] = useState<Base>({ record, etag })
  const [touched, setTouched] = useState<Drafts>({})
  const [error, setError] = useState<CrudError>()
  const [theirs, setTheirs] = useState<Base>()
  const [busy, setBusy] = useState(false)
  // relations arrive after the form has opened
  useEffect(() => setBase({ record, etag }), [record, etag])
  useFocusOnError(form, error)

  const draftsOf = (row: Row): Drafts =>
    Object.fromEntries(
      properties.map((
        property
      ) => [property.name, draftOf(property, row[property.name], keyOfReference(api.description, property))])
    )
  const before = draftsOf(base.record)
  const drafts = { ...before, ...touched }
  const changes = changesOf(properties, before, drafts)
  const isEmpty = Object.keys(changes).length === 0

  const save = async (body: Row, version: string | undefined): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await write(api, resource, path, { method: 'PATCH', body, ifMatch: version })
      onSaved()
    } catch (thrown) {
      const error = toError(thrown)
      setError(error)
      if (error.status === 412) await readTheirs()
    }
    setBusy(false)
  }
  const readTheirs = async (): Promise<void> => {
    try {
      const include = relationsOf(resource.includes).filter(({ name }) => Array.isArray(base.record[name])).map((
        { path }
      ) => path)
      const url = urlOf(
        api.description,
        pathOfRecord(resource, path),
        include.length > 0 ? [['include', include.join()]] : []
      )
      const { data, etag } = await ask<Row>({ url, headers: api.profile.headers })
      setTheirs({ record: data, etag })
    } catch (error) {
      setError(toError(error))
    }
  }

  if (theirs !== undefined) {
    return (
      <Conflict
        differences={differencesOf(properties, before, draftsOf(theirs.record), drafts)}
        onBack={(chosen) => {
          // the form goes on from the present record, with the choices of the person
          setBase(theirs)
          setTouched(chosen)
          setTheirs(undefined)
          setError(undefined)
        }}
      />
    )
  }
  return (
    <form
      class='form'
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty && !busy) void save(changes, base.etag) // eslint-disable-line no-void
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
      }}
    >
      <div class='drawer-body'>
        {error && <FormError error={error} properties={properties} />}
        <Fields
          properties={properties}
          drafts={drafts}
          before={before}
          error={error}
          record={base.record}
          onDraft={(name: string, draft: Draft) => setTouched((touched) => ({ ...touched, [name]: draft }))}
        />
      </div>
      <FormFoot
        method='PATCH'
        path={pathOfRecord(resource, path)}
        body={isEmpty ? undefined : changes}
        ifMatch={base.etag}
        action='Save'
        busy={busy}
        isOff={isEmpty}
        onCancel={onCancel}
      />
    </form>
  )
}

/** The name of the key in records to which a property refers. */
export function keyOfReference (
  description: Parameters<typeof resourceAt>[0],
  { reference }: Property
): string | undefined {
  return resourceAt(description, reference?.resource)?.key[0]?.field
}
