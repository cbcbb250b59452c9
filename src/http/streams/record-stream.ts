/** A readable stream of records: batches are asked for as the reader takes what it was given, in slices. */
import { Readable } from 'node:stream'
import type { RecordWriter } from './formats.ts'

/** Bytes of a slice: small enough that the time for it shows whether the reader reads. */
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

  /** Bytes that the reader has asked for so far. */
  get taken (): number {
    return this.#taken
  }

  /** The reader waits for the database, not the other way round. */
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

  /** Makes a chunk of the next batch, if there is one. */
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
