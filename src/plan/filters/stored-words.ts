/**
 * Whether a generated column stores the words of certain columns. It is certain for expressions of a small language:
 * `to_tsvector` with a configuration, of columns joined by blanks, perhaps each part with a weight.
 *
 *     vector := part { || part }
 *     part   := to_tsvector('<config>', text) | setweight(vector, '<weight>') | coalesce(vector, '') | (vector)
 *     text   := piece { || piece }
 *     piece  := <column> | '' | ' ' | coalesce(text, '') | (text)
 */
import type { ScalarProperty } from '../../model/index.ts'
import type { TextField } from '../condition-types.ts'

/** Whether a property is generated from exactly these fields, by a configuration of text search. */
export function storesWords (
  { generated }: ScalarProperty,
  fields: readonly TextField[],
  config: string
): boolean {
  if (generated === undefined || fields.some(({ relations }) => relations.length > 0)) return false
  const reader = new ExpressionReader(generated, config)
  const wanted = new Set(fields.map(({ operand }) => operand.column))
  return reader.isVector() && wanted.size === reader.columns.size &&
    [...wanted].every((column) => reader.columns.has(column))
}

/** White space and casts say nothing about words. */
const SKIPPED = /\s+|::\s*(?:"char"|[a-z]+(?:\s+varying)?)(?:\(\d+\))?/giy
const TOKEN = /"(?:[^"]|"")+"|[a-z_]\w*|'(?:[^']|'')*'|\|\||[(),]/giy

class ExpressionReader {
  readonly columns = new Set<string>()
  readonly #tokens: readonly string[]
  readonly #config: string
  #at = 0

  constructor (expression: string, config: string) {
    this.#tokens = tokensOf(expression)
    this.#config = config.toLowerCase()
  }

  /** Whether the whole expression is a vector. */
  isVector (): boolean {
    if (!this.#joined(() => this.#part())) return false
    if (this.#is('stored') || this.#is('virtual')) this.#at++
    return this.#at === this.#tokens.length
  }

  #part (): boolean {
    if (this.#takes('to_tsvector', '(')) {
      const [config = ''] = this.#tokens.slice(this.#at)
      this.#at++
      return config.toLowerCase() === `'${this.#config}'` && this.#takes(',') && this.#text() && this.#takes(')')
    }
    if (this.#takes('setweight', '(')) {
      return this.#joined(() => this.#part()) && this.#takes(',') && this.#oneOf(WEIGHTS) && this.#takes(')')
    }
    return this.#wrapped(() => this.#joined(() => this.#part()))
  }

  #text (): boolean {
    return this.#joined(() => {
      if (this.#oneOf(BLANKS)) return true
      return this.#column() || this.#wrapped(() => this.#text())
    })
  }

  /** A column. Names without quotes are those of functions if a bracket follows. */
  #column (): boolean {
    const [token = '', next] = this.#tokens.slice(this.#at, this.#at + 2)
    if (next === '(' || !/^["a-z_]/i.test(token)) return false
    this.#at++
    this.columns.add(token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token.toLowerCase())
    return true
  }

  /** `(...)` or `coalesce(..., '')` */
  #wrapped (inner: () => boolean): boolean {
    if (this.#takes('coalesce', '(')) return inner() && this.#takes(',') && this.#oneOf(BLANKS) && this.#takes(')')
    return this.#takes('(') && inner() && this.#takes(')')
  }

  #joined (part: () => boolean): boolean {
    do if (!part()) return false
    while (this.#takes('||'))
    return true
  }

  #is (token: string, ahead = 0): boolean {
    return this.#tokens[this.#at + ahead]?.toLowerCase() === token
  }

  #takes (...tokens: readonly string[]): boolean {
    if (!tokens.every((token, index) => this.#is(token, index))) return false
    this.#at += tokens.length
    return true
  }

  #oneOf (tokens: readonly string[]): boolean {
    return tokens.some((token) => this.#takes(token))
  }
}

const BLANKS = ["''", "' '"]
const WEIGHTS = ["'a'", "'b'", "'c'", "'d'"]

/** The tokens of an expression. None, if a part of it is not a token. */
function tokensOf (expression: string): readonly string[] {
  const tokens: string[] = []
  let at = 0
  while (at < expression.length) {
    const skipped = matchAt(SKIPPED, expression, at)
    const token = skipped === undefined ? matchAt(TOKEN, expression, at) : undefined
    if (token !== undefined) tokens.push(token)
    const read = skipped ?? token
    if (read === undefined) return []
    at += read.length
  }
  return tokens
}

function matchAt (pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
