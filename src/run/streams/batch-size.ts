/** Chooses the sizes of the batches in which a stream reads its rows. */
import { MAX_STREAM_BATCH } from '../../plan/index.ts'

/** Bytes of rows that are read at a time. The memory of a stream is a small multiple of this. */
export const PART_BYTES = 2 ** 20
/** Rows of the first batch, and the growth of each batch over the one before, until the size of rows is known. */
const FIRST_BATCH = 16
const GROWTH = 4
/** The growth of batches after one that was too large. */
const RECOVERY = 1.2

/** Chooses how many rows to fetch next, so that they have about the bytes of a part. */
export class BatchSize {
  rows = FIRST_BATCH
  /** The most rows to ask for together. Reduced after a batch that was too large, and then slowly increased. */
  #most = MAX_STREAM_BATCH

  /** How many of the given rows to ask for together. */
  of (count: number): number {
    return Math.min(count, this.#most)
  }

  /** Notes that these rows are too large together. */
  refuse (rows: number): void {
    this.#most = Math.ceil(rows / 2)
    this.rows = this.#most
  }

  /** Notes that a batch was not too large. */
  accept (): void {
    this.#most = Math.min(MAX_STREAM_BATCH, Math.ceil(this.#most * RECOVERY))
  }

  /** Adjusts the size to a batch that has been read. */
  learn (rows: number, bytes: number): void {
    if (rows === 0) return
    const fitting = Math.floor(PART_BYTES / Math.max(1, bytes / rows))
    this.rows = Math.max(1, Math.min(fitting, this.rows * GROWTH, this.#most))
  }
}
