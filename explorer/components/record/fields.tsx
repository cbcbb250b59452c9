/** The inputs of a form, and the errors beside them. */
import { useId } from 'preact/hooks'
import type { CrudError, CrudErrorItem } from '../../../src/client/error.ts'
import { errorsAt, pointerTo } from '../../api/children.ts'
import { isSameDraft, type Draft, type Drafts, type Property } from '../../api/drafts.ts'
import type { Json } from '../../api/format.ts'
import { isRow, labelOf, type Row } from '../../api/records.ts'
import { Lookup } from '../basics/lookup.tsx'
import { ValueInput } from '../basics/value-input.tsx'

interface FieldsProps {
  readonly properties: readonly Property[]
  readonly drafts: Drafts
  readonly before: Drafts
  readonly error: CrudError | undefined
  /** The place of the properties in the body, as a JSON pointer. Default: the body itself. */
  readonly at?: string
  /** The record, for the names of related records. */
  readonly record?: Row
  readonly onDraft: (name: string, draft: Draft) => void
  /** Present if the form has only the properties that a person has chosen. */
  readonly onRemove?: (name: string) => void
}

export function Fields ({ properties, drafts, before, error, at = '', record, onDraft, onRemove }: FieldsProps) {
  return (
    <div class='form-fields'>
      {properties.map((property) => (
        <Field
          key={property.name}
          property={property}
          draft={drafts[property.name]}
          isChanged={!isSameDraft(drafts[property.name], before[property.name])}
          errors={errorsAt(error, at + pointerTo(property.name))}
          related={record?.[property.name]}
          onDraft={(draft) => onDraft(property.name, draft)}
          onRemove={onRemove && (() => onRemove(property.name))}
        />
      ))}
    </div>
  )
}

/** The errors that belong to none of the inputs. If the inputs are those at a place of the body, the errors there. */
export function otherErrors (
  error: CrudError | undefined,
  properties: readonly Property[],
  at?: string
): readonly CrudErrorItem[] {
  const errors = at === undefined ? error?.errors ?? [] : errorsAt(error, at)
  const shown = new Set(properties.flatMap(({ name }) => errorsAt(error, (at ?? '') + pointerTo(name))))
  return errors.filter((item) => !shown.has(item))
}

interface FieldProps {
  readonly property: Property
  readonly draft: Draft
  readonly isChanged: boolean
  readonly errors: readonly CrudErrorItem[]
  readonly related: Json | undefined
  readonly onDraft: (draft: Draft) => void
  readonly onRemove: (() => void) | undefined
}

function Field ({ property, draft, isChanged, errors, related, onDraft, onRemove }: FieldProps) {
  const id = useId()
  const { name, title, nullable, required, description, value } = property
  const type = property.kind === 'key' || property.kind === 'keys' ? property.reference?.entity : value?.type
  return (
    <div class={errors.length > 0 ? 'field field-bad' : isChanged ? 'field field-changed' : 'field'} data-field={name}>
      <div class='field-head'>
        <span class='field-title'>
          {title}
          {required && <span class='required'>required</span>}
          {onRemove
            ? draft === undefined && <span class='quiet'>no value yet</span>
            : isChanged && <span class='quiet'>changed</span>}
        </span>
        <span class='quiet'>{type}</span>
        {nullable && draft !== null && (draft !== undefined || onRemove) && (
          <button
            type='button'
            class='button button-small'
            onClick={() => onDraft(null)}
          >
            Set null<span class='hidden'>{` for ${title}`}</span>
          </button>
        )}
        {onRemove && (
          <button type='button' class='button button-small' onClick={onRemove}>
            Remove<span class='hidden'>{` ${title}`}</span>
          </button>
        )}
      </div>
      <FieldInput
        property={property}
        draft={draft}
        related={related}
        describedBy={errors.length > 0 ? id : undefined}
        onDraft={onDraft}
      />
      <div id={id} role={errors.length > 0 ? 'alert' : undefined}>
        {errors.map(({ detail, suggestion }) => (
          <p class='bad' key={detail}>
            {detail}
            {suggestion !== undefined && typeof draft === 'string' && (
              <button
                type='button'
                class='button button-small'
                onClick={() => onDraft(suggestion)}
              >
                Use {suggestion}
              </button>
            )}
          </p>
        ))}
      </div>
      {description && <p class='quiet'>{description}</p>}
    </div>
  )
}

interface FieldInputProps {
  readonly property: Property
  readonly draft: Draft
  readonly related: Json | undefined
  readonly describedBy: string | undefined
  readonly onDraft: (draft: Draft) => void
}

function FieldInput ({ property, draft, related, describedBy, onDraft }: FieldInputProps) {
  const { kind, title, value, nullable, reference } = property
  const invalid = describedBy !== undefined
  const text = typeof draft === 'string' ? draft : ''
  if ((kind === 'key' || kind === 'keys') && reference) {
    const keys = Array.isArray(draft) ? draft : text === '' ? [] : [text]
    return (
      <Lookup
        reference={reference}
        keys={keys}
        many={kind === 'keys'}
        label={title}
        known={namesOf(related)}
        invalid={invalid}
        describedBy={describedBy}
        onChange={(next) => onDraft(kind === 'keys' ? next : next[0] ?? (nullable ? null : ''))}
      />
    )
  }
  if (kind === 'text' || kind === 'json') {
    return (
      <textarea
        class={kind === 'json' ? 'mono' : undefined}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        aria-label={title}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        placeholder={draft === null ? 'null' : undefined}
        value={text}
        onInput={({ currentTarget }) => onDraft(currentTarget.value)}
      />
    )
  }
  return (
    <ValueInput
      label={title}
      value={value}
      text={text}
      invalid={invalid}
      describedBy={describedBy}
      placeholder={draft === null ? 'null' : undefined}
      onInput={(next) => onDraft(next === '' && nullable && value?.type !== 'text' ? null : next)}
    />
  )
}

function namesOf (related: Json | undefined): Readonly<Record<string, string>> {
  const rows = [related].flat().filter(isRow)
  return Object.fromEntries(rows.map((row) => [String(row['id']), labelOf(undefined, row) ?? String(row['id'])]))
}
