/** The order in which a server returns the rows of a write. */
import { sharedEmOf } from '../resource/index.ts'
import { distributionOf, tableIn } from '../run/index.ts'
import type { Write } from './write.ts'

/** Whether the server may return the rows of an insert in another order: they may be on several nodes. */
export function canReorder ({ session, model }: Write): boolean {
  const distribution = distributionOf(sharedEmOf(session))
  return distribution !== undefined && tableIn(distribution, model.table)?.kind !== 'reference'
}
