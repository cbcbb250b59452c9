/** Renders a hook, and waits for its values. */
import { newContainer } from './dom.ts'
import { createElement, type ReactElement, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Test } from 'tap'

/** A rendered hook. */
interface Rendered<Value> {
  /** The value of the last rendering. */
  readonly value: Value
  /** Waits until the value fulfils a condition, and returns it. */
  until(condition: (value: Value) => boolean): Promise<Value>
}

/** Renders a hook inside of `wrap`, which provides its contexts. The rendering ends with the test. */
export async function renderHook<Value> (
  t: Test,
  wrap: (child: ReactNode) => ReactElement,
  hook: () => Value
): Promise<Rendered<Value>> {
  let last: { readonly value: Value } | undefined
  const waiting = new Set<() => void>()
  const Probe = (): null => {
    last = { value: hook() }
    for (const look of [...waiting]) look()
    return null
  }
  const until = async (condition: (value: Value) => boolean): Promise<Value> =>
    await new Promise((resolve) => {
      const look = (): void => {
        if (last === undefined || !condition(last.value)) return
        waiting.delete(look)
        resolve(last.value)
      }
      waiting.add(look)
      look()
    })
  const root = createRoot(newContainer())
  t.teardown(() => root.unmount())
  root.render(wrap(createElement(Probe)))
  await until(() => true)
  return {
    get value () {
      return last!.value
    },
    until,
  }
}
