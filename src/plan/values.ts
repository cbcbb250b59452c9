/** The values of one request, in the order of their slots. */
import type { Slot } from './types.ts'

export class Values {
  readonly list: unknown[]

  /** @param values that are kept already */
  constructor (values: readonly unknown[] = []) {
    this.list = [...values]
  }

  /** Keeps a value; a statement binds it by the slot that comes back. */
  add (value: unknown): Slot {
    return this.list.push(value) - 1
  }
}
