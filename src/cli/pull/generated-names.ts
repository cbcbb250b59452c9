/** Names for entities, properties, files and prefixes, made of the names that a database has. */

/** PostgreSQL cuts off longer names, and the keys of records are names of columns. */
const MAX_BYTES = 63

/** Names that objects have, or that a program of the generated files needs. */
const RESERVED_PROPERTIES: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'toJSON', 'toPOJO', 'then',
])

const RESERVED_ENTITIES: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis), 'AllowedField', 'AllowedFilters', 'AllowedInclude', 'AllowedSort',
  'CrudBase', 'InferEntity', 'Partial', 'Readonly', 'Record', 'Required',
])

const RESERVED_CONSTANTS: ReadonlySet<string> = new Set([
  'arguments', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do',
  'else', 'enum', 'eval', 'export', 'extends', 'false', 'finally', 'for', 'function', 'if', 'implements', 'import',
  'in', 'instanceof', 'interface', 'let', 'new', 'null', 'package', 'private', 'protected', 'public', 'resources',
  'return', 'static', 'super', 'switch', 'this', 'throw', 'true', 'try', 'typeof', 'undefined', 'var', 'void', 'while',
  'with', 'yield',
])

const wordsOf = (name: string): string[] => name.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []

/** A name that is not taken yet, which is the wish itself if possible. It is added to those that are taken. */
export function untakenName (wishes: readonly string[], taken: Set<string>): string {
  const names = wishes.map((wish) => shortened(wish, MAX_BYTES))
  let name = names.find((name) => !taken.has(name))
  for (let count = 2; name === undefined; count += 1) {
    const numbered = `${shortened(names.at(-1)!, MAX_BYTES - 4)}_${count}`
    if (!taken.has(numbered)) name = numbered
  }
  taken.add(name)
  return name
}

function shortened (name: string, bytes: number): string {
  let short = name
  while (Buffer.byteLength(short) > bytes) short = [...short].slice(0, -1).join('')
  return short
}

/** `order_items` is `OrderItems`. */
export function entityNameOf (name: string): string {
  const pascal = wordsOf(name).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('')
  const legal = /^\p{L}/u.test(pascal) ? pascal : `Table${pascal}`
  return RESERVED_ENTITIES.has(legal) ? `${legal}Entity` : legal
}

/** The constant of a resource: `OrderItems` is `orderItems`. */
export function constantOf (entity: string): string {
  const name = `${entity.charAt(0).toLowerCase()}${entity.slice(1)}`
  return RESERVED_CONSTANTS.has(name) || name === entity || name in globalThis ? `${name}Resource` : name
}

/** The property of a column: the same name if JavaScript and URLs can have it. */
export function propertyNameOf (column: string): string {
  const plain = /^\p{L}[\p{L}\p{N}_]*$/u.test(column) ? column : wordsOf(column).join('_')
  const legal = /^\p{L}/u.test(plain) ? plain : `column_${plain}`.replace(/_$/, '')
  return RESERVED_PROPERTIES.has(legal) ? `${legal}_` : legal
}

/** The name of a relation, after the column of its key: `customer_id` is `customer`. */
export function relationNameOf (column: string): string {
  const [, stem] = /^(.*[^_])(?:_id|Id|ID)$/.exec(column) ?? [undefined, column]
  return propertyNameOf(stem!)
}

/** `OrderItems` is `order-items`, for files. */
export const fileNameOf = (entity: string): string =>
  entity.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, '-').toLowerCase()

/** The last part of a prefix of routes. */
export function pathNameOf (table: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(table)) return table
  const ascii = table.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return (ascii.match(/[A-Za-z0-9]+/g) ?? ['table']).join('-')
}

/** Whether a column probably has a secret. */
export function looksSecret (column: string): boolean {
  const words = column.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase().split(/[^a-z0-9]+/)
  return words.some((word) =>
    /^(?:pass(?:word|wd|phrase)?s?|pwd|tokens?|secrets?|hash(?:es|ed)?|salt)$/.test(word) ||
    /password|passwd|secret|token$|hash$/.test(word)
  ) || /api_?key|private_?key/.test(words.join('_'))
}
