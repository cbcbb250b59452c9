/** The values that one request binds, in the order of their slots. */
import type { Slot } from './condition-types.ts'

export class Values {
  readonly list: unknown[]

  /** @param values the first values, which keep their slots */
  constructor (values: readonly unknown[] = []) {
    this.list = [...values]
  }

  /** Adds a value, and returns the slot by which a statement binds it. */
  add (value: unknown): Slot {
    return this.list.push(value) - 1
  }
}
