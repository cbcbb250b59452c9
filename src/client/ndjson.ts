/** Records from the body of an answer, a line each. */
import { CrudError } from './error.ts'
import { orNetworkError } from './request.ts'

/**
 * The records of a stream, as they arrive. Leaving the loop closes the connection.
 *
 * @throws {CrudError} when the stream is cut off: a record that is complete ends with a line feed
 */
export async function * readLines (
  response: Response,
  signal: AbortSignal | undefined
): AsyncGenerator<unknown, void, undefined> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await orNetworkError(signal, () => reader.read())
      if (done) break
      const text = decoder.decode(value, { stream: true })
      // a long record arrives in many chunks: only one that ends a line is worth splitting
      if (!text.includes('\n')) {
        rest += text
        continue
      }
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) yield JSON.parse(line)
    }
    if (rest !== '') throw new CrudError({ status: 0, code: 'NETWORK', detail: 'The stream ended within a record.' })
  } finally {
    // Tells the server to stop. A stream that has ended or failed has nothing to stop, and says so by rejecting.
    await reader.cancel().catch(() => {})
  }
}
