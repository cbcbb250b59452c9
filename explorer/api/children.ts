/** The children of a record in its form: the list of them, the changes to them, and the errors of each. */
import { CrudError, type CrudErrorItem } from '../../src/client/error.ts'
import type { FieldDescription } from '../../src/explorer/description.ts'
import {
  childOrder, draftOf, idOfChild, isChildren, isSameDraft, newId, type ChildRules, type ChildrenDraft, type Draft,
  type Drafts, type Property,
} from './drafts.ts'
import { textOf, type Json } from './format.ts'
import { isMaintained, isRow, labelOf, type Row } from './records.ts'

/** A child in a form. */
export interface Child {
  readonly id: string
  /** `absent`: it is changed or removed here, and is not among the children of the record any more. */
  readonly state: 'new' | 'present' | 'removed' | 'absent'
  /** The child as it was read. */
  readonly record: Row
  /** Its inputs. */
  readonly properties: readonly Property[]
  readonly before: Drafts
  readonly drafts: Drafts
}

/** No changes. */
const NOTHING: ChildrenDraft = { added: [], changed: {}, removed: [] }

const draftOrNothing = (draft: Draft): ChildrenDraft => isChildren(draft) ? draft : NOTHING

/** The children of an answer. `undefined` if it does not have them. */
export const childRecords = (value: Json | undefined): readonly Row[] | undefined =>
  Array.isArray(value) ? value.filter(isRow) : undefined

/** The children in a form: the present ones, then those that have disappeared, then the new ones. */
export function childrenOf (rules: ChildRules, records: readonly Row[] | undefined, draft: Draft): Child[] {
  const { added: inputs, changed: changeable = [] } = rules
  const { added, changed, removed } = draftOrNothing(draft)
  const present = (records ?? []).map((record): Child => {
    const id = idOfChild(rules, record)
    const before = draftsOf(changeable, record)
    return {
      id,
      state: removed.includes(id) ? 'removed' : 'present',
      record,
      properties: changeable,
      before,
      drafts: { ...before, ...changed[id] },
    }
  })
  const known = new Set(present.map(({ id }) => id))
  const named = records === undefined ? [] : [...new Set([...Object.keys(changed), ...removed])]
  const lost = named.filter((id) => !known.has(id)).map((id): Child => ({
    id, state: 'absent', record: {}, properties: changeable, before: {}, drafts: changed[id] ?? {},
  }))
  const further = inputs === undefined
    ? []
    : added.map(({ id, drafts }): Child => ({
      id, state: 'new', record: {}, properties: inputs, before: {}, drafts,
    }))
  return [...present, ...lost, ...further]
}

const draftsOf = (properties: readonly Property[], record: Row): Drafts =>
  Object.fromEntries(properties.map((property) => [property.name, draftOf(property, record[property.name])]))

/** The number of new children so far. The id of one that was removed is not used again: it may be under way. */
let count = 0

/** Adds a new child. */
export function addChild (draft: Draft): ChildrenDraft {
  const all = draftOrNothing(draft)
  const ids = new Set(all.added.map(({ id }) => id))
  // a draft may come from the storage
  do count++
  while (ids.has(newId(count)))
  return { ...all, added: [...all.added, { id: newId(count), drafts: {} }] }
}

/** Changes a property of a child. */
export function changeChild (draft: Draft, child: Child, name: string, value: Draft): ChildrenDraft | undefined {
  const all = draftOrNothing(draft)
  const { id, state, before } = child
  if (state === 'new') {
    const changed = (drafts: Drafts): Drafts => ({ ...drafts, [name]: value })
    return { ...all, added: all.added.map((one) => one.id === id ? { id, drafts: changed(one.drafts) } : one) }
  }
  const drafts = Object.entries({ ...all.changed[id], [name]: value })
    .filter(([name, draft]) => !isSameDraft(draft, before[name]))
  const { [id]: _, ...others } = all.changed
  return unlessNothing({
    ...all,
    changed: drafts.length === 0 ? others : { ...others, [id]: Object.fromEntries(drafts) },
  })
}

/** Removes a child, or keeps one that was to be removed. A new or an absent child is forgotten. */
export function toggleChild (draft: Draft, { id, state }: Child): ChildrenDraft | undefined {
  const { added, changed, removed } = draftOrNothing(draft)
  if (state === 'present') return { added, changed, removed: [...removed, id] }
  const { [id]: own, ...others } = changed
  return unlessNothing({
    added: added.filter((one) => one.id !== id),
    changed: state === 'absent' ? others : changed,
    removed: removed.filter((other) => other !== id),
  })
}

function unlessNothing (draft: ChildrenDraft): ChildrenDraft | undefined {
  const { added, changed, removed } = draft
  return added.length + Object.keys(changed).length + removed.length === 0 ? undefined : draft
}

/** A child in a few words: the values of its inputs, or of its fields if it has no inputs. */
export function childText (rules: ChildRules, { drafts, before, properties, record }: Child): string {
  const inputs = properties.map(({ name }) => {
    const content = record[name]
    return isRow(content) && isSameDraft(drafts[name], before[name]) ? labelOf(undefined, content) : drafts[name]
  }).filter((text) => typeof text === 'string' && text !== '')
  const shown = shownFields(rules, properties, record).map(({ name, value }) => {
    const content = record[name]
    return isRow(content) ? labelOf(undefined, content) : textOf(content, value)
  })
  return [...shown, ...inputs].join(', ')
}

/** The fields by which a person knows a child, without those that have inputs. */
export function shownFields (
  { fields, added, changed }: ChildRules,
  properties: readonly Property[],
  record: Row
): readonly FieldDescription[] {
  const written = added ?? changed
  return fields.filter((field) => {
    const has = (some: readonly Property[]): boolean => some.some(({ name }) => name === field.name)
    return (record[field.name] ?? null) !== null && !has(properties) &&
      (written === undefined ? !field.key && !isMaintained(field, { version: null, softDelete: null }) : has(written))
  })
}

/** The drafts of a record with its children in words, to compare them. */
export function inWords (properties: readonly Property[], record: Row, drafts: Drafts): Drafts {
  return Object.fromEntries(properties.map(({ name, children }) => {
    if (children === undefined) return [name, drafts[name]]
    const all = childrenOf(children, childRecords(record[name]), drafts[name])
    return [name, all.filter(({ state }) => state !== 'removed').map((child) => childText(children, child))]
  }))
}

/** A JSON pointer (RFC 6901). */
export const pointerTo = (...names: readonly string[]): string =>
  names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The errors at a place of a body, and at everything in it. */
export const errorsAt = (error: CrudError | undefined, at: string): readonly CrudErrorItem[] =>
  error?.errors.filter(({ source }) => source?.pointer === at || source?.pointer?.startsWith(`${at}/`)) ?? []

/** The errors of the whole list: those at none of its children, whether or not the form has them any more. */
export const errorsOfList = (error: CrudError | undefined, name: string): readonly CrudErrorItem[] =>
  errorsAt(error, pointerTo(name)).filter(({ source }) => !/^\/[^/]*\/(?:new |\{)/.test(source!.pointer!))

/**
 * An error with the ids of children in place of their indices in the body that was sent, so that it stays at its child
 * when a person adds and removes others.
 */
export function atChildren (error: CrudError, properties: readonly Property[], sent: Drafts): CrudError {
  const places = properties.flatMap(({ name, children }): Array<readonly [string, string]> => {
    const draft = sent[name]
    if (children === undefined || !isChildren(draft)) return []
    return Object.entries(childOrder(children, draft)).flatMap(([list, ids]) =>
      ids.map((id, index) =>
        [
          pointerTo(...children.isNew ? [name, String(index)] : [name, list, String(index)]),
          pointerTo(name, id),
        ] as const
      )
    )
  })
  const errors = error.errors.map((item): CrudErrorItem => {
    const pointer = item.source?.pointer
    const [from, to] = places.find(([from]) => pointer === from || pointer?.startsWith(`${from}/`)) ?? []
    return from === undefined ? item : { ...item, source: { pointer: to + pointer!.slice(from.length) } }
  })
  const { status, code, detail, cause } = error
  return new CrudError({ status, code, detail, errors, cause })
}

/**
 * The changes to children that are left after some were saved, because a person has gone on typing meanwhile.
 *
 * @param sent the changes that were saved
 * @param now the changes in the form
 * @param records the children before
 * @param answer the children that were added and changed, in the order in which they were sent
 */
function afterSave (
  rules: ChildRules,
  sent: Draft,
  now: Draft,
  records: readonly Row[] = [],
  answer: readonly Row[] = []
): { readonly records: readonly Row[], readonly draft: Draft } {
  const saved = draftOrNothing(sent)
  const current = draftOrNothing(now)
  const written = new Map(answer.map((record) => [idOfChild(rules, record), record]))
  const idOf = (record: Row): string => idOfChild(rules, record)
  const kept = records.filter((record) => !saved.removed.includes(idOf(record)) && !written.has(idOf(record)))
  const present = [...kept, ...written.values()]
  /** The keys that new children have got. */
  const keys = new Map(saved.added.map(({ id }, index) => [id, answer[index]]))
  const changes = [
    ...Object.entries(current.changed),
    ...current.added.flatMap(({ id, drafts }) => keys.get(id) ? [[idOf(keys.get(id)!), drafts] as const] : []),
  ]
  let draft: ChildrenDraft | undefined = unlessNothing({
    added: current.added.filter(({ id }) => keys.get(id) === undefined),
    changed: {},
    removed: current.removed.filter((id) => !saved.removed.includes(id)),
  })
  for (const [id, drafts] of changes) {
    const child = childrenOf(rules, present, undefined).find((child) => child.id === id)
    if (child === undefined) continue
    for (const [name, value] of Object.entries(drafts)) draft = changeChild(draft, child, name, value)
  }
  return { records: present, draft }
}

/**
 * The record after a save, and the drafts that are left to save, because a person has gone on typing meanwhile.
 *
 * @param sent the drafts that were saved
 * @param touched the drafts in the form
 */
export function restOf (
  properties: readonly Property[],
  before: Row,
  answer: Row,
  sent: Drafts,
  touched: Drafts
): { readonly record: Row, readonly touched: Drafts } {
  const records: Record<string, Json> = {}
  const rest: Record<string, Draft> = { ...touched }
  for (const { name, children } of properties) {
    if (children === undefined) continue
    const of = (row: Row): readonly Row[] | undefined => childRecords(row[name])
    const saved = afterSave(children, sent[name], touched[name], of(before), of(answer))
    if (of(before)) records[name] = saved.records
    rest[name] = saved.draft
  }
  return { record: { ...before, ...answer, ...records }, touched: rest }
}
