/** Data that components ask for. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../src/client/error.ts'
import { toError } from '../api/ask.ts'

/** The state of a request. While it runs, the former answer stays, so that nothing jumps. */
interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: CrudError | undefined
  readonly busy: boolean
}

/** One run of `load`. */
interface Run {
  readonly key: string | undefined
}

interface Answer<Value> {
  readonly value: Value | undefined
  readonly error: CrudError | undefined
  /** The run that it belongs to. */
  readonly run: Run | undefined
}

/**
 * Runs `load` whenever `key` changes, and stops the request before. Without a key nothing is loaded.
 *
 * The state is busy from the drawing on in which the key has changed: an answer that is out of date is never shown as
 * the present one.
 *
 * @returns the state, and a function that loads again
 */
export function useLoad<Value> (
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>
): readonly [Loaded<Value>, () => void] {
  const [answer, setAnswer] = useState<Answer<Value>>({ value: undefined, error: undefined, run: undefined })
  const [round, setRound] = useState(0)
  const run = useMemo((): Run => ({ key }), [key, round])
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    if (run.key === undefined) return setAnswer({ value: undefined, error: undefined, run })
    const controller = new AbortController()
    const { signal } = controller
    latest.current(signal).then(
      (value) => signal.aborted || setAnswer({ value, error: undefined, run }),
      (error: unknown) => signal.aborted || setAnswer((before) => ({ value: before.value, error: toError(error), run }))
    )
    return () => controller.abort()
  }, [run])
  const { value, error } = answer
  return [{ value, error, busy: key !== undefined && answer.run !== run }, () => setRound((round) => round + 1)]
}
