/**
 * Compares entities with the database. `expected.ts` says what the entities of an ORM need,
 * `database-catalogue.ts` reads what the database has, and `compare.ts` finds the differences. `difference-messages.ts`
 * makes sentences of them.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { noteRepeatedKeys } from '../run/index.ts'
import { readCatalogue } from './database-catalogue.ts'
import { compare, canRepeatKeys, type Difference, type OfferedResource } from './compare.ts'
import { expectedTables } from './expected.ts'

export type { Difference } from './compare.ts'
export { messagesOf } from './difference-messages.ts'

/**
 * The differences between the entities of an ORM and its database. Sends one statement. Afterwards, writes know the
 * tables in which one key may belong to several rows.
 */
export async function compareWithDatabase (
  em: EntityManager,
  resources: readonly OfferedResource[]
): Promise<readonly Difference[]> {
  const tables = expectedTables(em)
  const catalogue = await readCatalogue(em.fork(), tables.map(({ table }) => table))
  noteRepeatedKeys(
    em,
    tables.filter((expected) => {
      const relation = catalogue.get(expected.table)
      return relation !== undefined && canRepeatKeys(expected, relation)
    }).map(({ table }) => table)
  )
  return compare(tables, catalogue, resources)
}
