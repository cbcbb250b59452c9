/** Data that components ask for. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../src/client/error.ts'
import { toError } from '../api/ask.ts'

/** The state of a request. While it runs, the former answer stays, so that nothing jumps. */
export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: CrudError | undefined
  readonly busy: boolean
  /** The key that `value` or `error` belongs to. */
  readonly key: string | undefined
}

/**
 * Runs `load` whenever `key` changes, and stops the request before. Without a key nothing is loaded.
 *
 * @returns the state, and a function that loads again
 */
export function useLoad<Value> (
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>
): readonly [Loaded<Value>, () => void] {
  const [state, setState] = useState<Loaded<Value>>({
    value: undefined,
    error: undefined,
    busy: key !== undefined,
    key: undefined,
  })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    if (key === undefined) return setState({ value: undefined, error: undefined, busy: false, key })
    const controller = new AbortController()
    const { signal } = controller
    setState((before) => ({ ...before, busy: true }))
    latest.current(signal).then(
      (value) => signal.aborted || setState({ value, error: undefined, busy: false, key }),
      (error: unknown) =>
        signal.aborted || setState((before) => ({ value: before.value, error: toError(error), busy: false, key }))
    )
    return () => controller.abort()
  }, [key, round])
  return [state, () => setRound((round) => round + 1)]
}
