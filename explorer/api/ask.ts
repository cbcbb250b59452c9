/** Sends the requests of the page. */
import { CrudError } from '../../src/client/error.ts'
import { sendCall, sendJson } from '../../src/client/send-call.ts'
import type { Pair } from '../url/address.ts'

/** The duration of a stage in the header Server-Timing. */
interface Stage {
  readonly name: string
  readonly milliseconds: number
}

/** The cost of a request. */
export interface Cost {
  /** From the request to the last byte of the answer, as the page sees it. */
  readonly milliseconds: number
  /** The length of the answer, if the server names it. */
  readonly bytes: number | undefined
  readonly stages: readonly Stage[]
}

export interface Answer<Data> {
  readonly data: Data
  readonly etag: string | undefined
  readonly cost: Cost
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: readonly Pair[]
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  /** The value of Idempotency-Key. */
  readonly key?: string
  readonly signal?: AbortSignal | undefined
  readonly accept?: string
}

/**
 * Sends a request and reads its JSON. A request is sent once: the page repeats nothing by itself.
 *
 * @throws {CrudError} if the answer is an error, or does not arrive
 */
export async function ask<Data> ({ method = 'GET', headers, ...call }: Call): Promise<Answer<Data>> {
  let response: Response | undefined
  const started = performance.now()
  const keep = async (url: string, init: RequestInit): Promise<Response> => (response = await fetch(url, init))
  const { data, etag } = await sendJson({ method, ...call }, { headers: headersOf(headers), fetch: keep, retries: 0 })
  const length = response?.headers.get('content-length')
  return {
    data: data as Data,
    // a version with a digest of what the request showed: the page compares versions
    etag: etag?.replace(/~[\w-]{22}"$/, '"'),
    cost: {
      milliseconds: performance.now() - started,
      bytes: length ? Number(length) : undefined,
      stages: stagesOf(response?.headers.get('server-timing') ?? ''),
    },
  }
}

/**
 * Sends a request and returns its body as a file.
 *
 * @throws {CrudError} if the answer is an error, or does not arrive
 */
export async function download ({ method = 'GET', headers, ...call }: Call): Promise<Blob> {
  const response = await sendCall({ method, ...call }, { headers: headersOf(headers), retries: 0 })
  return await response.blob()
}

function headersOf (pairs: readonly Pair[]): Array<[string, string]> {
  for (const [name, value] of pairs) {
    try {
      new Headers().append(name, value)
    } catch (cause) {
      const detail = `The header "${name}" of the profile cannot be sent: its name or its value is not valid.`
      throw new CrudError({ status: 0, code: 'HEADER', detail, cause })
    }
  }
  return pairs.map(([name, value]) => [name, value])
}

function stagesOf (text: string): Stage[] {
  return [...text.matchAll(/([\w-]+)(?:;[^,;]*)*?;dur=([\d.]+)/g)]
    .map(([, name, milliseconds]) => ({ name: name!, milliseconds: Number(milliseconds) }))
}

/** An error of any kind as one of the API. */
export function toError (error: unknown): CrudError {
  if (error instanceof CrudError) return error
  return new CrudError({ status: 0, code: 'PAGE', detail: String(error), cause: error })
}
