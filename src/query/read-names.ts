/** Reads lists of names, such as `sort`, `include` and `fields`. */
import type { QueryCode } from '../base/errors.ts'
import { frozen } from './frozen.ts'
import { isReserved } from './limits.ts'
import { queryParamError } from './query-error.ts'
import type { QueryParamError } from './parsed-query.ts'
import { markNames } from './written.ts'

/** Brings a name into its canonical form. An empty name becomes `''`. */
export type Tidy = (item: string) => string

/** For all lists but `sort`: drops whitespace around a name. */
export const tidyName: Tidy = (item) => item.trim()

/**
 * For `sort`: drops whitespace around an item, except one space before a name without a sign. The space is kept because
 * `+` is decoded to it. The four forms of an item are `-a`, `+a`, ` a` and `a`.
 */
export const tidySort: Tidy = (item) => {
  const name = item.trim()
  return item[0] === ' ' && name !== '' && name[0] !== '-' && name[0] !== '+' ? ` ${name}` : name
}

/** An item of `sort`. Without a sign, the sort decides about the direction. */
interface SortItem {
  readonly name: string
  readonly descending?: boolean
}

/** Reads an item of `sort` in one of its four forms. */
export function readSortItem (item: string): SortItem {
  const sign = item[0]
  return sign === '-' || sign === '+' || sign === ' '
    ? { name: item.slice(1), descending: sign === '-' }
    : { name: item }
}

/** The names of one parameter while its occurrences are gathered. */
export class NameList {
  #names: string[] = []
  /** Names that were first given with `[]`. */
  #bracketed: Set<string> | undefined
  #plain = false
  #mixed = false

  get length (): number {
    return this.#names.length
  }

  /** @param list whether the parameter is written with `[]` */
  add (names: readonly string[], list: boolean): void {
    if (this.#mixed || names.length === 0) return
    if (list) {
      const before = new Set(this.#plain ? this.#names : undefined)
      this.#bracketed ??= new Set()
      for (const name of names) if (!before.has(name)) this.#bracketed.add(name)
    } else {
      this.#plain = true
    }
    for (const name of names) this.#names.push(name)
  }

  /** Drops the names if they were given both with `[]` and without. Returns true the first time. */
  endMixture (): boolean {
    if (this.#mixed || !this.#plain || this.#bracketed === undefined) return false
    this.#mixed = true
    this.#names = []
    return true
  }

  /** Returns the names in their order. */
  finish (): readonly string[] {
    return this.#marked(frozen(this.#names))
  }

  /** Returns each name once, in the order of first occurrence. */
  finishDistinct (): readonly string[] {
    return this.#marked(frozen(this.#names.length < 2 ? this.#names : [...new Set(this.#names)]))
  }

  #marked (names: readonly string[]): readonly string[] {
    if (this.#bracketed !== undefined && names.length > 0) markNames(names, this.#bracketed)
    return names
  }
}

/**
 * Adds the names in `text` to `names`. Empty and reserved names are recorded in `errors` instead. Text that is empty,
 * or only whitespace, counts as absent.
 */
export function takeNames (
  names: NameList,
  tidy: Tidy,
  code: QueryCode,
  parameter: string,
  text: string,
  errors: QueryParamError[]
): void {
  if (text.trim() === '') return
  const found: string[] = []
  let empty = false
  let reserved = false
  for (const item of text.split(',')) {
    const name = tidy(item)
    if (name === '') empty = true
    else if (isReserved(name)) reserved = true
    else found.push(name)
  }
  names.add(found, parameter.endsWith('[]'))
  if (empty) {
    errors.push(
      queryParamError(
        code,
        parameter,
        'This list has an empty item: put one comma between two names, none at either end.'
      )
    )
  }
  if (reserved) errors.push(queryParamError(code, parameter, 'This list holds a reserved name.', { limit: true }))
}
