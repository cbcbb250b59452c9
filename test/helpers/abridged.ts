/**
 * Answers as a page of documentation shows them: JSON in which `...` stands for one or more further members or items,
 * and a string such as `"<next_cursor>"` for any text, which later requests may name. Numbers are compared as they are
 * written: 499 is not 499.00.
 */

/** The key or the item by which `...` is replaced. */
const MORE = '...'

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Keeps the digits of a number that JavaScript would write differently. */
const asWritten: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && String(value) !== source ? Symbol.for(`the number ${source}`) : value

/** An answer of a server, with numbers as they are written. */
export const parseWritten = (text: string): unknown => JSON.parse(text, asWritten as never) as unknown

/** @throws if the text is not JSON after `...` is replaced */
export function parseAbridged (text: string): unknown {
  const open: string[] = []
  return parseWritten(text.replace(/"(?:[^"\\]|\\.)*"|\.\.\.|[{}[\]]/g, (token) => {
    if (token === '{' || token === '[') open.push(token)
    else if (token === '}' || token === ']') open.pop()
    else if (token === MORE) return open.at(-1) === '{' ? `"${MORE}":true` : `"${MORE}"`
    return token
  }))
}

/**
 * The page's answer with the omitted parts taken from the actual one. It equals the actual answer if the page is right.
 *
 * @param names the texts that have been given names; those of this answer are added
 */
export function completed (shown: unknown, actual: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(shown)) {
    const items = Array.isArray(actual) ? actual : []
    const said = shown.at(-1) === MORE ? shown.slice(0, -1) : shown
    const rest = said.length === shown.length ? [] : items.length > said.length ? items.slice(said.length) : [MORE]
    return [...said.map((item, index) => completed(item, items[index], names)), ...rest]
  }
  if (typeof shown === 'object' && shown !== null) {
    const members: Record<string, unknown> = typeof actual === 'object' && actual !== null ? { ...actual } : {}
    const { [MORE]: more, ...said } = shown as Record<string, unknown>
    const full = Object.entries(said).map(([name, value]) => [name, completed(value, members[name], names)])
    const rest = Object.entries(members).filter(([name]) => !Object.hasOwn(said, name))
    return Object.fromEntries([...full, ...(more === undefined ? [] : rest.length > 0 ? rest : [[MORE, true]])])
  }
  const name = typeof shown === 'string' ? /^<(\w+)>$/.exec(shown)?.[1] : undefined
  if (name === undefined || typeof actual !== 'string' || actual === '') return shown
  names.set(name, actual)
  return actual
}
