/** The children of a record in its form: a list in which a person adds, changes and removes them. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'
import type { RelationDescription } from '../../../src/explorer/description.ts'
import {
  addChild, changeChild, childRecords, childText, childrenOf, errorsAt, errorsOfList, pointerTo, shownFields,
  toggleChild, type Child,
} from '../../api/children.ts'
import { isSameDraft, type ChildRules, type Draft } from '../../api/drafts.ts'
import { countText, type Json } from '../../api/format.ts'
import { titleOf } from '../../api/records.ts'
import { Icon } from '../basics/icon.tsx'
import { Fields, otherErrors } from './fields.tsx'
import { Value } from './value.tsx'

interface ChildrenFieldProps {
  readonly name: string
  readonly title: string
  readonly description: string | undefined
  readonly rules: ChildRules
  /** The relation, if records may show their children. */
  readonly relation: RelationDescription | undefined
  /** The children of the record, once they are read. */
  readonly value: Json | undefined
  readonly draft: Draft
  readonly error: CrudError | undefined
  readonly onDraft: (draft: Draft) => void
}

/** The number of present children with inputs. A browser needs seconds for thousands of them. */
const STEP = 30

export function ChildrenField (props: ChildrenFieldProps) {
  const { name, title, description, rules, value, draft, error, onDraft } = props
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const [limit, setLimit] = useState(STEP)
  /** Where the focus goes when the list is drawn again: to the new child, or to the button for another one. */
  const next = useRef<'child' | 'button' | undefined>(undefined)
  useLayoutEffect(() => {
    if (next.current === undefined) return
    const inputs = root.current?.querySelectorAll<HTMLElement>('.child')
    const place = next.current === 'child'
      ? inputs?.[inputs.length - 1]?.querySelector<HTMLElement>('input, select, textarea')
      : root.current?.querySelector<HTMLElement>('.add-child')
    next.current = undefined
    ;(place ?? root.current)?.focus()
  })

  const records = childRecords(value)
  const all = childrenOf(rules, records, draft)
  const errorsOf = (child: Child) => errorsAt(error, pointerTo(name, child.id))
  const isTouched = (child: Child): boolean => child.state !== 'present' || hasChanges(child) ||
    errorsOf(child).length > 0
  const shown = all.filter((child, index) => index < limit || isTouched(child))
  const own = errorsOfList(error, name)
  const isBad = own.length > 0 || all.some((child) => errorsOf(child).length > 0)
  const words = changesInWords(all)
  const note = noteOf(props, records?.length)
  return (
    <div
      class={isBad ? 'field field-bad' : draft === undefined ? 'field' : 'field field-changed'}
      role='group'
      aria-labelledby={id}
      tabIndex={-1}
      data-field={name}
      ref={root}
    >
      <div class='field-head'>
        <span class='field-title'>
          <span id={id}>{title}</span>
          <span class='quiet' role='status'>{words}</span>
        </span>
        {records && <span class='chip chip-still'>{countText(records.length)}</span>}
      </div>
      {description && <p class='quiet'>{description}</p>}
      {note && <p class='quiet'>{note}</p>}
      {shown.map((child) => {
        const at = pointerTo(name, child.id)
        return (
          <ChildInputs
            key={child.id}
            name={`${rules.title} ${all.indexOf(child) + 1}`}
            rules={rules}
            child={child}
            error={error}
            at={at}
            onDraft={(property, value) => onDraft(changeChild(draft, child, property, value))}
            onToggle={() => {
              // a new one disappears, and its button with it
              if (child.state === 'new' || child.state === 'absent') next.current = 'button'
              onDraft(toggleChild(draft, child))
            }}
          />
        )
      })}
      {shown.length < all.length && (
        <button type='button' class='button' onClick={() => setLimit(limit + STEP)}>
          Show {Math.min(STEP, all.length - shown.length)} more
        </button>
      )}
      {rules.added && (
        <div>
          <button
            type='button'
            class='button add-child'
            onClick={() => {
              next.current = 'child'
              onDraft(addChild(draft))
            }}
          >
            <Icon name='plus' />
            <span>Add {rules.title.toLowerCase()}</span>
          </button>
        </div>
      )}
      <Errors details={own.map(({ detail }) => detail)} />
    </div>
  )
}

interface ChildInputsProps {
  /** Its name in the form: `Order line 2`. */
  readonly name: string
  readonly rules: ChildRules
  readonly child: Child
  readonly error: CrudError | undefined
  /** Its place in the error, as a JSON pointer. */
  readonly at: string
  readonly onDraft: (name: string, draft: Draft) => void
  readonly onToggle: () => void
}

const MARKS = { new: 'new', present: '', removed: 'removed', absent: 'not there any more' } as const
const ACTIONS = { new: 'Remove', present: 'Remove', removed: 'Keep', absent: 'Forget' } as const

function ChildInputs ({ name, rules, child, error, at, onDraft, onToggle }: ChildInputsProps) {
  const id = useId()
  const { state, properties, record, drafts, before } = child
  const fields = shownFields(rules, properties, record)
  const errors = otherErrors(error, properties, at)
  return (
    <fieldset class={`child child-${state}`} aria-labelledby={id}>
      <div class='field-head'>
        <span class='field-title'>
          <span id={id}>{name}</span>
          <span class='quiet'>{MARKS[state] || (hasChanges(child) ? 'changed' : '')}</span>
        </span>
        {(state !== 'present' || rules.canRemove) && (
          <button type='button' class='button button-small' onClick={onToggle}>
            {ACTIONS[state]}<span class='hidden'>{` ${name}`}</span>
          </button>
        )}
      </div>
      {state === 'removed'
        ? <p class='quiet'><s>{childText(rules, child)}</s></p>
        : (
          <>
            {fields.length > 0 && (
              <dl class='values values-small'>
                {fields.map((field) => (
                  <div key={field.name}>
                    <dt>{titleOf(field.name)}</dt>
                    <dd><Value value={record[field.name]!} field={field} /></dd>
                  </div>
                ))}
              </dl>
            )}
            {properties.length > 0 && (
              <Fields
                properties={properties}
                drafts={drafts}
                before={before}
                error={error}
                at={at}
                record={record}
                onDraft={onDraft}
              />
            )}
          </>
          )}
      <Errors details={errors.map(({ detail }) => detail)} />
    </fieldset>
  )
}

function Errors ({ details }: { readonly details: readonly string[] }) {
  return (
    <div role={details.length > 0 ? 'alert' : undefined}>
      {details.map((detail) => <p class='bad' key={detail}>{detail}</p>)}
    </div>
  )
}

const hasChanges = ({ properties, drafts, before, state }: Child): boolean =>
  state === 'present' && properties.some(({ name }) => !isSameDraft(drafts[name], before[name]))

/** `1 new, 2 changed`. */
function changesInWords (all: readonly Child[]): string {
  const counts = {
    new: all.filter(({ state }) => state === 'new').length,
    changed: all.filter(hasChanges).length,
    removed: all.filter(({ state }) => state === 'removed').length,
  }
  return Object.entries(counts).filter(([, count]) => count > 0).map(([words, count]) => `${count} ${words}`).join(', ')
}

/** A note on a list that does not show all children. */
function noteOf ({ rules, relation, title }: ChildrenFieldProps, count: number | undefined): string | undefined {
  if (rules.isNew) return undefined
  if (relation?.allowed !== true) return `The API does not show the present ${title.toLowerCase()}.`
  if (count === undefined) return 'Reading…'
  if (relation.limit !== null && count >= relation.limit) return `The API shows the first ${relation.limit} only.`
  return undefined
}
