/** One record, and writes to it. */
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { PendingWrites } from '../../src/client/pending-writes.ts'
import { ask, type Answer, type Call } from '../api/ask.ts'
import { keyOf, pathOfRecord, type Row } from '../api/records.ts'
import { urlOf, useApi, type Api } from './context.ts'
import { useLoad } from './load.ts'
import { renewNames } from './names.ts'
import { storedMap } from './storage.ts'
import type { Pair } from '../url/address.ts'

export { keyOf as recordKey }

/** Reads a record with some of its relations. */
export function useRecord (resource: ResourceDescription, path: string, includes: readonly string[]) {
  const { description, profile } = useApi()
  const params: readonly Pair[] = includes.length === 0 ? [] : [['include', includes.join()]]
  const url = urlOf(description, pathOfRecord(resource, path), params)
  const { headers } = profile
  return useLoad(`${JSON.stringify(headers)} ${url}`, async (signal) =>
    withVersion(resource, await ask<Row>({ url, headers, signal }))
  )
}

/** The answer with the entity tag of its version. A weak tag is a digest of the answer, which no write takes. */
export function withVersion ({ version }: ResourceDescription, answer: Answer<Row>): Answer<Row> {
  if (answer.etag?.startsWith('W/') !== true) return answer
  return { ...answer, etag: version === null ? undefined : `"${String(answer.data[version])}"` }
}

/** Sends a write to all records that match the parameters. The answer has the number of those that it has changed. */
export function writeMany (
  api: Api,
  resource: ResourceDescription,
  { method, body, params }: Pick<Call, 'method' | 'body'> & { readonly params: readonly Pair[] }
): Promise<Answer<{ readonly affected: number }>> {
  return send(api, resource, { method: method!, body, url: urlOf(api.description, resource.path, params) })
}

/** Sends a write to a record, or to a resource if `path` is empty. */
export function write (
  api: Api,
  resource: ResourceDescription,
  path: string,
  call: Pick<Call, 'method' | 'body' | 'ifMatch'>,
  params: readonly Pair[] = []
): Promise<Answer<Row>> {
  const target = path === '' ? resource.path : pathOfRecord(resource, path)
  return send(api, resource, { ...call, url: urlOf(api.description, target, params) })
}

/** Sends a write, with a key where the API takes one: a second attempt of a person must not do it twice. */
async function send<Data> (
  { profile: { headers } }: Api,
  { idempotency }: ResourceDescription,
  call: Omit<Call, 'headers'>
): Promise<Answer<Data>> {
  const { method, url, body, ifMatch } = call
  const answer = await (idempotency
    ? pending.send(JSON.stringify([method, url, body, ifMatch]), (key) => ask<Data>({ ...call, headers, key }))
    : ask<Data>({ ...call, headers }))
  renewNames()
  return answer
}

/** Writes without an answer. They outlive a reload, as do the forms from which they came. */
const { map, store } = storedMap<readonly string[]>('pending')
const pending = new PendingWrites(map, store)
