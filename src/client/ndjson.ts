/** Reads records from the body of an answer that has one record on each line. */
import { CrudError } from './error.ts'
import { orNetworkError, parse, type Call } from './request.ts'

/**
 * Yields the records of a stream as they arrive. Leaving the loop closes the connection.
 *
 * @throws {CrudError} when a line is not JSON, and when the stream is cut off, i.e. its last record does not end with a
 *   line feed
 */
export async function * readLines (
  response: Response,
  call: Call
): AsyncGenerator<unknown, void, undefined> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await orNetworkError(call, () => reader.read())
      if (done) break
      const text = decoder.decode(value, { stream: true })
      // a long record arrives in many chunks; only a chunk that ends a line needs splitting
      if (!text.includes('\n')) {
        rest += text
        continue
      }
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) yield parse(line, response, call)
    }
    if (rest !== '') throw new CrudError({ status: 0, code: 'NETWORK', detail: 'The stream ended within a record.' })
  } finally {
    // Tells the server to stop. Rejects if the stream has already ended or failed, which needs no handling.
    await reader.cancel().catch(() => {})
  }
}
