/** The comma-separated names of `sort`, `include` and `fields`. */
import type { QueryCode } from '../errors.ts'
import { frozen } from './frozen.ts'
import { isReserved } from './limits.ts'
import { queryError } from './query-error.ts'
import type { QueryParamError } from './types.ts'

/** How one name is brought into its canonical form; `''` for an empty one. */
export type Tidy = (item: string) => string

/** `include` and `fields`: whitespace around a name means nothing. */
export const tidyName: Tidy = (item) => item.trim()

/**
 * `sort`: whitespace around an item means nothing, but for one space before a name without a sign. That is what `+`
 * decodes to, so it is kept: `-a`, `+a`, ` a` and `a` are the four forms of an item.
 */
export const tidySort: Tidy = (item) => {
  const name = item.trim()
  return item[0] === ' ' && name !== '' && name[0] !== '-' && name[0] !== '+' ? ` ${name}` : name
}

/**
 * Adds the names in `text` to `names`, or records in `errors` which can't be. Text that is empty, or only whitespace,
 * counts as not given.
 */
export function takeNames (names: string[], tidy: Tidy, code: QueryCode, parameter: string, text: string, errors: QueryParamError[]): void {
  if (text.trim() === '') return
  let empty = false
  let reserved = false
  for (const item of text.split(',')) {
    const name = tidy(item)
    if (name === '') empty = true
    else if (isReserved(name)) reserved = true
    else names.push(name)
  }
  if (empty) errors.push(queryError(code, parameter, 'This list has an empty item: put one comma between two names, none at either end.'))
  if (reserved) errors.push(queryError(code, parameter, 'This list holds a reserved name.', { limit: true }))
}

/** Each name once, in the order of their first occurrences. */
export function finishNames (names: string[]): readonly string[] {
  return frozen(names.length < 2 ? names : [...new Set(names)])
}
