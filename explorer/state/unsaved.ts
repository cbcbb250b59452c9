/**
 * What a person has typed and not sent. It is kept until it is sent or discarded, so that no link, no Back and no other
 * caller loses it. It lives in the session's storage, which survives a reload and ends with the tab.
 */
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Address } from '../url/address.ts'
import { storedMap } from './storage.ts'

interface Unsaved<Content = unknown> {
  readonly content: Content
  /** The form that has it. Absent for texts that are typed again in a moment, such as the value of a filter. */
  readonly form?: UnsavedForm
}

interface UnsavedForm {
  /** What the form changes: the name of a record, or `New record`. */
  readonly title: string
  /** Where the form is. */
  readonly address: Address
}

const { map: kept, store } = storedMap<Unsaved>('unsaved')
const listeners = new Set<() => void>()

/** What is kept under a name. The name of a form is the path to which it is sent. */
export const unsavedOf = <Content>(name: string): Unsaved<Content> | undefined =>
  kept.get(name) as Unsaved<Content> | undefined

/** Keeps what a person has typed, or forgets it after it was sent or discarded. */
export function keepUnsaved (name: string, unsaved: Unsaved | undefined): void {
  if (unsaved === undefined) kept.delete(name)
  else kept.set(name, unsaved)
  store()
  for (const listener of listeners) listener()
}

/** All forms with changes that are not saved. */
export const unsavedForms = (): UnsavedForm[] => [...kept.values()].flatMap(({ form }) => form ?? [])

/** Draws the component again whenever something is kept or forgotten. */
export function useUnsaved (): void {
  const [, draw] = useState({})
  // before the page is painted: keys that are pressed at once belong to it
  useLayoutEffect(() => {
    const update = (): void => draw({})
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [])
}

/** State that is kept under a name until it is set to `undefined`. */
export function useKept<Content> (
  name: string,
  initial: Content
): readonly [Content, (next: Content | undefined) => void] {
  useUnsaved()
  const keep = (content: Content | undefined): void => keepUnsaved(name, content && { content })
  return [unsavedOf<Content>(name)?.content ?? initial, keep]
}

// closing the tab is the only way that loses it
addEventListener('beforeunload', (event) => {
  if (unsavedForms().length > 0) event.preventDefault()
})
