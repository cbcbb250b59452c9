/** What the clients know about their writes, to be compared with what is there in the end. */
import type { Outcome } from './client.ts'

/** Acknowledged: done, once. Refused: not done. Unknown: done once, or not. */
export type Fate = 'acknowledged' | 'refused' | 'unknown'

/** What became of a write. A 503 says that it may have been done. */
export function fateOf (outcome: Outcome): Fate {
  if (outcome.kind !== 'answer') return 'unknown'
  // the status was read, and with it that it was done, even if the rest of the answer was cut off
  if (outcome.status < 300) return 'acknowledged'
  return outcome.status === 503 ? 'unknown' : 'refused'
}

/** A product as a client has left it. More than one state where the fate of its last write is unknown. */
export interface ProductState {
  readonly stock: number
  readonly version: number
  readonly deleted: boolean
}

export class Ledger {
  /** By marker: how many rows the request would have made, and its fate. */
  readonly products = new Map<string, { readonly rows: number, readonly fate: Fate }>()
  /** By id. */
  readonly states = new Map<number, readonly ProductState[]>()
  readonly transfers = new Map<string, Fate>()
  /** Increments of the products that all share, by id. */
  readonly increments = new Map<number, { acknowledged: number, unknown: number }>()

  increment (id: number, fate: Fate): void {
    const counts = this.increments.get(id) ?? { acknowledged: 0, unknown: 0 }
    if (fate !== 'refused') counts[fate]++
    this.increments.set(id, counts)
  }

  /** Numbers of writes by their fate. */
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
