/**
 * SQL text in pieces. A piece of text comes from source code, from metadata or from MikroORM. `name` and `literal`
 * quote it. A number is a slot, a value to be bound. Text of a request is always in a slot, so it cannot become SQL.
 * `render` writes slots of the configuration as literals.
 */
import { quotedName } from '../base/quoted-name.ts'
import type { FixedValue, Slot } from '../plan/index.ts'

/** Text and slots, in order. */
export interface Sql {
  readonly pieces: readonly (string | Slot)[]
}

/** A statement for the extended query protocol: `$1`, `$2`, ... stand for the values in `slots`. */
export interface Statement {
  readonly text: string
  /** The slot of the value of each placeholder. */
  readonly slots: readonly Slot[]
  /** The columns of its rows, if each can be read as text. */
  readonly columns?: readonly string[]
  /** The text of the same statement that is planned for the values of each run, if the server keeps it. */
  readonly namedText?: string
}

/** A row of a statement as the driver returns it, by column name. */
export type Row = Record<string, unknown>

/**
 * Values that all requests of a shape share. Their slots are negative, so that they never equal a slot of the request's
 * values.
 */
export class Constants {
  readonly #values: unknown[] = []

  add (value: unknown): Slot {
    return -this.#values.push(value)
  }

  /** The values that a statement binds: those of the request, and these. */
  bind (slots: readonly Slot[], values: readonly unknown[]): unknown[] {
    return slots.map((slot) => slot < 0 ? this.#values[-1 - slot] : values[slot])
  }
}

/**
 * A template of SQL. Fragments are inserted unchanged, and slots become placeholders.
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
  return trusted(parts.map(quotedName).join('.'))
}

/** A string constant from metadata, such as a key of a record. */
export function literal (text: string): Sql {
  return trusted(
    text.includes('\\')
      ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
      : `'${text.replaceAll("'", "''")}'`
  )
}

/** A number that all requests of a statement share, such as a limit of the configuration. */
export function numberSql (number: number): Sql {
  return trusted(String(number))
}

/** Joins fragments with a separator. */
export function join (fragments: readonly Sql[], separator = ', '): Sql {
  return {
    pieces: fragments.flatMap((fragment, index) => index === 0 ? fragment.pieces : [separator, ...fragment.pieces]),
  }
}

export const EMPTY: Sql = { pieces: [] }

/**
 * Renders a fragment with numbered placeholders. A slot that occurs several times has one number.
 *
 * @param fixed values of the configuration, which become a part of the text
 */
export function render (fragment: Sql, fixed?: ReadonlyMap<Slot, FixedValue>): Statement {
  const numbers = new Map<Slot, number>()
  let text = ''
  for (const piece of fragment.pieces) {
    const value = typeof piece === 'string' ? undefined : fixed?.get(piece)
    if (typeof piece === 'string') {
      text += piece
    } else if (value !== undefined) {
      // like a placeholder, the literal has no type
      text += literal(String(value)).pieces.join('')
    } else {
      let number = numbers.get(piece)
      if (number === undefined) numbers.set(piece, number = numbers.size + 1)
      text += `$${number}`
    }
  }
  return { text, slots: [...numbers.keys()] }
}
