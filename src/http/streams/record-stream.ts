/** A readable stream of records. It sends batches in slices, and requests a batch when the reader has read the last. */
import { Readable } from 'node:stream'
import type { RecordWriter } from './formats.ts'

/** Bytes of a slice: few enough to notice soon if the reader stops reading. */
const SLICE = 65_536

export class RecordStream extends Readable {
  readonly #batches: AsyncIterator<readonly string[], void, undefined>
  readonly #write: RecordWriter
  #chunk: Buffer
  #at = 0
  #taken = 0
  #waiting = false
  #over: boolean

  /** @param first the first batch, if there is one */
  constructor (
    first: IteratorResult<readonly string[], void>,
    batches: AsyncIterator<readonly string[], void, undefined>,
    write: RecordWriter
  ) {
    super({ highWaterMark: SLICE })
    this.#batches = batches
    this.#write = write
    this.#chunk = Buffer.from(write(first.value ?? [], true))
    this.#over = first.done === true
  }

  /** Bytes that have been passed to the reader. */
  get taken (): number {
    return this.#taken
  }

  /** Whether the reader is waiting for the database. */
  get waiting (): boolean {
    return this.#waiting
  }

  override _read (): void {
    if (this.#at < this.#chunk.length) this.#give()
    else this.#next().then(() => this.#give(), (error: Error) => this.destroy(error))
  }

  #give (): void {
    if (this.#at === this.#chunk.length) {
      this.push(null)
      return
    }
    const slice = this.#chunk.subarray(this.#at, this.#at + SLICE)
    this.#at += slice.length
    this.#taken += slice.length
    this.push(slice)
  }

  /** Reads the next batch into a chunk, if there is one. */
  async #next (): Promise<void> {
    this.#waiting = true
    try {
      while (!this.#over && this.#at === this.#chunk.length) {
        const batch = await this.#batches.next()
        if (batch.done === true) {
          this.#over = true
        } else {
          this.#chunk = Buffer.from(this.#write(batch.value, false))
          this.#at = 0
        }
      }
    } finally {
      this.#waiting = false
    }
  }
}
