/**
 * SQL text in pieces. A piece of text comes from source code (the template) or from `name`, which quotes; a number
 * is a slot, a value to be bound. There is no third way in, so text of a request can't become SQL.
 */
import type { Slot } from '../plan/index.ts'

/** Text and slots, in order. */
export interface Sql {
  readonly pieces: readonly (string | Slot)[]
}

/** A statement for the extended query protocol: `$1`, `$2`, ... stand for the values in `slots`. */
export interface Statement {
  readonly text: string
  /** For each placeholder the slot of its value. */
  readonly slots: readonly Slot[]
  /** The columns of its rows, where each may be read as a text. */
  readonly columns?: readonly string[]
}

/**
 * Values that every request of a shape has in common. Their slots are negative, so that they can't be taken for those
 * of a request's own values, however many there are.
 */
export class Constants {
  readonly #values: unknown[] = []

  add (value: unknown): Slot {
    return -this.#values.push(value)
  }

  /** The values that a statement binds: its request's, and these. */
  bind (slots: readonly Slot[], values: readonly unknown[]): unknown[] {
    return slots.map((slot) => slot < 0 ? this.#values[-1 - slot] : values[slot])
  }
}

/**
 * A template of SQL: fragments are put in as they are, slots become placeholders.
 *
 * @example
 * sql`${name('price')} >= ${slot}`
 */
export function sql (strings: TemplateStringsArray, ...parts: readonly (Sql | Slot)[]): Sql {
  const pieces: (string | Slot)[] = [strings[0]!]
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'number') pieces.push(part)
    // not spread: a batch has more pieces than a call has arguments
    else for (const piece of part.pieces) pieces.push(piece)
    pieces.push(strings[index + 1]!)
  }
  return { pieces }
}

/** SQL text that is known to be safe: it comes from metadata or from MikroORM, never from a request. */
export function trusted (text: string): Sql {
  return { pieces: [text] }
}

/** A quoted identifier, qualified by an alias if there is one. */
export function name (...parts: readonly string[]): Sql {
  return trusted(parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.'))
}

/** A string constant from metadata, such as a key of a record. */
export function literal (text: string): Sql {
  return trusted(
    text.includes('\\')
      ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
      : `'${text.replaceAll("'", "''")}'`
  )
}

/** Fragments with the same text between them. */
export function join (fragments: readonly Sql[], separator = ', '): Sql {
  return {
    pieces: fragments.flatMap((fragment, index) => index === 0 ? fragment.pieces : [separator, ...fragment.pieces]),
  }
}

export const EMPTY: Sql = { pieces: [] }

/** Numbers the placeholders; a slot that occurs again has the same number again. */
export function render (fragment: Sql): Statement {
  const numbers = new Map<Slot, number>()
  let text = ''
  for (const piece of fragment.pieces) {
    if (typeof piece === 'string') {
      text += piece
    } else {
      let number = numbers.get(piece)
      if (number === undefined) numbers.set(piece, number = numbers.size + 1)
      text += `$${number}`
    }
  }
  return { text, slots: [...numbers.keys()] }
}
