/** The answers of records that were written together with their children. */
import type { Steps } from '../../base/steps.ts'
import type { RecordData } from '../../plan/index.ts'
import { convertRecord } from '../../read/index.ts'
import type { Write, Written } from '../write.ts'
import { childPointer, type ChildBatch } from './batches.ts'

/**
 * The records with the children that were added and changed, in the order of the body, under the names of their
 * relations.
 */
export function * withRecords (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string,
  records: readonly Written[],
  batches: readonly ChildBatch[],
  written: ReadonlyArray<readonly Written[]>
): Steps<Written[]> {
  const texts = new Map<string, string>()
  const { session, conditions } = write
  for (const [index, { items, write: child }] of batches.entries()) {
    for (const [at, { json }] of written[index]!.entries()) {
      // hooks of CRUD classes are not for children
      texts.set(
        items[at]!.pointer,
        yield * convertRecord({ crud: {}, session, conditions }, json, child.resource.toWire)
      )
    }
  }
  return records.map((record, index) => {
    const lists = (rows[index]!.children ?? []).map(({ owned, order, ...children }) => {
      const shown = order.flatMap((list) =>
        children[list].map((_, at) => texts.get(childPointer(pointer(index), owned, list, at))!)
      )
      return `${JSON.stringify(owned.relation.publicName)}:[${shown.join()}]`
    })
    const { json, whole } = record
    return {
      ...record,
      json: withMembers(json, lists),
      ...(whole !== undefined && { whole: withMembers(whole, lists) }),
    }
  })
}

/** The JSON of an object with more members. */
function withMembers (json: string, more: readonly string[]): string {
  return `{${[json.slice(1, -1).trim(), ...more].filter((text) => text !== '').join()}}`
}
