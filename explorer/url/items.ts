/** Lists in the text of one parameter: `a,b`, or `"a,b",c` if an item contains a comma. */

const ITEM = /\s*(?:"((?:[^"\\]|\\["\\])*)"\s*|([^",\s][^,]*|))(,|$)/y

/** The items of a list. Returns `undefined` if the text is no list, such as `a,,b`. */
export function splitItems (text: string): string[] | undefined {
  if (text.trim() === '') return []
  const items: string[] = []
  for (let at = 0; at <= text.length;) {
    ITEM.lastIndex = at
    const match = ITEM.exec(text)
    if (match === null) return undefined
    const [whole, quoted, plain = ''] = match
    const item = quoted?.replace(/\\(["\\])/g, '$1') ?? plain.trim()
    if (quoted === undefined && item === '') return undefined
    items.push(item)
    if (match[3] === '') return items
    at += whole.length
  }
  return undefined
}

/** Writes items as the text of one parameter, in quotes if the server would otherwise read them differently. */
export function joinItems (items: readonly string[]): string {
  const quoted = (item: string): string =>
    item === '' || item !== item.trim() || /[",\\]/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item
  return items.map(quoted).join()
}
