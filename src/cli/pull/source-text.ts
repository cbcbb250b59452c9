/** Writes TypeScript: texts, names, lists that fit their line, comments. */

const WIDTH = 120

/** A text in single quotes, or in double quotes if it has single ones. */
export function textCode (text: string): string {
  if (text.includes("'") && !text.includes('"')) return JSON.stringify(text)
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** The lines of a chain of calls. What does not fit in the first line is in a second one. */
export function chainLines (indent: string, start: string, calls: readonly string[]): string[] {
  const line = `${indent}${start}${calls.join('')},`
  return line.length <= WIDTH ? [line] : [`${indent}${start}`, `${indent}  ${calls.join('')},`]
}

/** The name of a property in an object. */
export const keyText = (name: string): string => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : textCode(name)

/** The lines of a list that begins with some code: one line if it fits, or lines that are filled. */
export function listLines (indent: string, start: string, items: readonly string[], end: string): string[] {
  const line = `${indent}${start}${items.join(', ')}${end}`
  if (line.length <= WIDTH) return [line]
  const lines = [`${indent}${start}`]
  let filled = ''
  for (const item of items) {
    const longer = filled === '' ? `${indent}  ${item},` : `${filled} ${item},`
    if (filled !== '' && longer.length > WIDTH) {
      lines.push(filled)
      filled = `${indent}  ${item},`
    } else filled = longer
  }
  return [...lines, filled, `${indent}${end}`]
}

/** The lines of a comment for people who read the file. */
export function commentLines (indent: string, text: string): string[] {
  const words = text.replaceAll('*/', '* /').split(/\s+/).filter((word) => word !== '')
  const lines: string[] = []
  let line = `${indent}//`
  for (const word of words) {
    if (line.length + word.length + 1 > WIDTH && !line.endsWith('//')) {
      lines.push(line)
      line = `${indent}//`
    }
    line += ` ${word}`
  }
  return words.length === 0 ? [] : [...lines, line]
}
