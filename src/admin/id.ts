/** Ids of records with composite keys: all parts of the key in one text. */

/**
 * Returns the id of a record with a composite key: its parts, joined by `~`. In texts, `!` stands before `~` and `!`,
 * and before the first digit of a text that looks like a number.
 *
 * @param parts the parts of the key, in the order of the resource's option `id`
 * @example
 * joinId([7, 'LAV-1']) // '7~LAV-1'
 */
export function joinId (parts: ReadonlyArray<string | number>): string {
  return parts.map((part) => {
    if (typeof part === 'number') return String(part)
    return isNumber(part) ? `!${part}` : part.replace(/[!~]/g, '!$&')
  }).join('~')
}

/**
 * Returns the parts of an id. It is the inverse of `joinId`.
 *
 * @example
 * splitId('7~LAV-1') // [7, 'LAV-1']
 */
export function splitId (id: string | number): Array<string | number> {
  const parts: string[] = []
  let part = ''
  for (const [text] of String(id).matchAll(/![^]|[^]/g)) {
    if (text === '~') {
      parts.push(part)
      part = ''
    } else part += text
  }
  return [...parts, part].map((text) => isNumber(text) ? Number(text) : text.replace(/!([^])/g, '$1'))
}

/** Whether a text is the text of a number. */
const isNumber = (text: string): boolean => Number.isFinite(Number(text)) && String(Number(text)) === text
