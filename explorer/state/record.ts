/** One record, and writes to it. */
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { ask, type Answer, type Call } from '../api/ask.ts'
import { keyOf, pathOfRecord, type Row } from '../api/records.ts'
import { urlOf, useApi, type Api } from './context.ts'
import { useLoad } from './load.ts'
import type { Pair } from '../url/address.ts'

export { keyOf as recordKey }

/** Reads a record with some of its relations. */
export function useRecord (resource: ResourceDescription, path: string, includes: readonly string[]) {
  const { description, profile } = useApi()
  const params: readonly Pair[] = includes.length === 0 ? [] : [['include', includes.join()]]
  const url = urlOf(description, pathOfRecord(resource, path), params)
  const { headers } = profile
  return useLoad(`${JSON.stringify(headers)} ${url}`, (signal) => ask<Row>({ url, headers, signal }))
}

/** Sends a write to all records that match the parameters. The answer has the number of those that it has changed. */
export function writeMany (
  { description, profile }: Api,
  { path }: ResourceDescription,
  { method, body, params }: Pick<Call, 'method' | 'body'> & { readonly params: readonly Pair[] }
): Promise<Answer<{ readonly affected: number }>> {
  return ask({ method: method!, body, url: urlOf(description, path, params), headers: profile.headers })
}

/** Sends a write to a record, or to a resource if `path` is empty. */
export function write (
  { description, profile }: Api,
  resource: ResourceDescription,
  path: string,
  call: Pick<Call, 'method' | 'body' | 'ifMatch'>,
  params: readonly Pair[] = []
): Promise<Answer<Row>> {
  const target = path === '' ? resource.path : pathOfRecord(resource, path)
  return ask<Row>({ ...call, url: urlOf(description, target, params), headers: profile.headers })
}
