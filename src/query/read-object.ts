/**
 * Reads a query string that another parser has already split: Fastify's flat object (`{ 'filter[a]': '1' }`), the
 * nested object of `qs` (`{ filter: { a: '1' } }`), a mixture of both, or URLSearchParams. All of them are turned into
 * names with brackets.
 */
import { isBareObject } from '../base/is-object.ts'
import { isParameter, type Draft } from './draft.ts'
import { MAX_GROUP_DEPTH, maxBytesOf } from './limits.ts'
import { Refusal } from './refusal.ts'

/** Maximum depth of nested objects and arrays: `filter`, a field, an operator and a list, and one more. */
const MAX_NESTING = 5

/** The maximum depth of a value: groups nest deeper. A group too many gets its own error, when its name is read. */
function maxNesting (name: string): number {
  const groups = name.match(/\[(?:and|or|not)\]/g)?.length ?? 0
  return MAX_NESTING + 2 * Math.min(groups, MAX_GROUP_DEPTH + 1)
}

const NOT_TEXT = 'This parameter holds a value that is not text.'
const TOO_NESTED = 'This parameter is nested too deeply.'

/** Reads the values of a plain object with these names into `draft`. */
export function readObject (draft: Draft, query: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const reader = new ObjectReader(draft)
  for (const name of names) reader.read(name, query[name], 0)
}

/** Reads URLSearchParams into `draft`. Bytes that cannot be decoded are already replaced by U+FFFD. */
export function readSearchParams (draft: Draft, query: URLSearchParams): void {
  const reader = new ObjectReader(draft)
  for (const [name, text] of query) reader.read(name, text, 0)
}

class ObjectReader {
  readonly #draft: Draft
  /** The minimum length of the original query string: names, texts and separators. */
  #length = -1

  constructor (draft: Draft) {
    this.#draft = draft
  }

  /** @param isFurther whether the value is a further item of a list */
  read (name: string, value: unknown, depth: number, isFurther = false): void {
    if (typeof value === 'string') {
      this.#spend(value === '' ? name.length : name.length + 1 + value.length)
      this.#draft.take(name, value, isFurther && this.#draft.form === 'object')
    } else if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
      this.read(name, value === null ? '' : String(value), depth, isFurther)
    } else if (value === undefined) {
      this.#spend(name.length)
    } else if (depth > MAX_NESTING && depth > maxNesting(name)) {
      this.#refuse(name, TOO_NESTED, { limit: true })
    } else if (Array.isArray(value)) {
      this.#readArray(name, value, depth)
    } else if (isBareObject(value)) {
      this.#readNested(name, value, depth)
    } else {
      this.#refuse(name, NOT_TEXT)
    }
  }

  /**
   * Reads the occurrences of one parameter. An array with one item means that the name was written with `[]`. Objects
   * are members of a group.
   */
  #readArray (name: string, items: readonly unknown[], depth: number): void {
    if (items.length === 0) return this.read(name, '', depth)
    const itemName = items.length === 1 ? asList(name) : name
    let isFurther = false
    for (const [index, item] of items.entries()) {
      if (Array.isArray(item)) this.#refuse(name, TOO_NESTED, isMember(name, {}) ? { limit: true } : undefined)
      else if (isMember(name, item)) this.read(`${name}[${index}]`, item, depth + 1)
      else this.read(itemName, item, depth + 1, isFurther)
      isFurther = true
    }
  }

  /** Reads the names in brackets after `name`. */
  #readNested (name: string, object: Readonly<Record<string, unknown>>, depth: number): void {
    const keys = Object.keys(object)
    if (keys.length === 0 || this.#isOpaque(name)) {
      if (!isParameter(name)) this.#draft.notice(name)
      return this.#spend(name.length)
    }
    let isFurther = false
    for (const key of keys) {
      if (!isRepeat(name, key) || isMember(name, object[key])) {
        this.read(`${name}[${key}]`, object[key], depth + 1)
        continue
      }
      this.read(keys.length === 1 ? asList(name) : name, object[key], depth + 1, isFurther)
      isFurther = true
    }
  }

  /** Whether the application declares a parameter, which may then contain any value. */
  #isOpaque (name: string): boolean {
    return !isParameter(name) && this.#draft.isDeclared(name)
  }

  #refuse (name: string, detail: string, more?: { readonly limit: true } | undefined): void {
    this.#spend(name.length)
    this.#draft.refuse(name, detail, more)
  }

  #spend (characters: number): void {
    this.#length += characters + 1
    if (this.#length > maxBytesOf(this.#draft.form)) throw Refusal.tooLong(this.#draft.form)
  }
}

/**
 * Whether a key is the index of a repeated parameter, if its value is a text: `qs` turns long arrays into objects with
 * the keys 0, 1, 2 and so on. Directly after `filter`, such a key is the name of a field.
 */
function isRepeat (name: string, key: string): boolean {
  return name !== 'filter' && /^(?:0|[1-9][0-9]*)$/.test(key)
}

/** Whether a value in a list is a member of a group. */
function isMember (name: string, value: unknown): boolean {
  return (name.endsWith('[or]') || name.endsWith('[and]')) && isBareObject(value)
}

function asList (name: string): string {
  return name.endsWith('[]') ? name : `${name}[]`
}
