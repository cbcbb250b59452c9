/** Records what the clients know about their writes, to compare it with the database at the end. */
import type { Outcome } from './client.ts'

/** Acknowledged: done once. Refused: not done. Unknown: done once or not at all. */
export type Fate = 'acknowledged' | 'refused' | 'unknown'

/** The fate of a write. After a 503, it may have been done. */
export function fateOf (outcome: Outcome): Fate {
  if (outcome.kind !== 'answer') return 'unknown'
  // the status confirms the write, even if the rest of the answer was cut off
  if (outcome.status < 300) return 'acknowledged'
  return outcome.status === 503 ? 'unknown' : 'refused'
}

/**
 * A possible state of a product after its client's last write. There are several if the fate of that write is unknown.
 */
export interface ProductState {
  readonly stock: number
  readonly version: number
  readonly deleted: boolean
}

export class Ledger {
  /** The fate of each creating request by its marker, and the number of its rows. */
  readonly products = new Map<string, { readonly rows: number, readonly fate: Fate }>()
  /** The possible states of products by id. */
  readonly states = new Map<number, readonly ProductState[]>()
  readonly transfers = new Map<string, Fate>()
  /** Increments of the shared products by id. */
  readonly increments = new Map<number, { acknowledged: number, unknown: number }>()

  increment (id: number, fate: Fate): void {
    const counts = this.increments.get(id) ?? { acknowledged: 0, unknown: 0 }
    if (fate !== 'refused') counts[fate]++
    this.increments.set(id, counts)
  }

  /** The number of writes of each fate. */
  count (): Record<Fate, number> {
    const counts: Record<Fate, number> = { acknowledged: 0, refused: 0, unknown: 0 }
    for (const { fate } of this.products.values()) counts[fate]++
    for (const fate of this.transfers.values()) counts[fate]++
    for (const { acknowledged, unknown } of this.increments.values()) {
      counts.acknowledged += acknowledged
      counts.unknown += unknown
    }
    return counts
  }
}
