/** The table of pagination is complete: every stage takes each parameter, and each parameter belongs to a style. */
import t from 'tap'
import { queryString } from '../../src/client/query-string.ts'
import type { CursorOption, ListQuery } from '../../src/client/query-types.ts'
import type { Offer } from '../../src/catalogue/index.ts'
import { QueryBuilderConfig } from '../../src/config/index.ts'
import { parametersOf } from '../../src/http/schemas/parameters.ts'
import {
  PAGE_PARAMETER_NAMES, PAGE_PARAMETERS, PAGE_STYLES, RIVALS, type PageParameterName, type PageValues,
} from '../../src/base/page-styles.ts'
import { planList } from '../../src/plan/index.ts'
import { suggestionFor } from '../../src/plan/unknown/suggestion.ts'
import { parseQueryParams, stringifyQueryParams } from '../../src/query/index.ts'
import { readDocument, tablesOf } from '../helpers/document.ts'
import { errorsOf, whitelistOf } from '../plan/helper.ts'

const whitelist = whitelistOf({ pagination: { countParameter: true } })
const styles = Object.values(PAGE_STYLES)

/** Values that the parser accepts for each parameter. */
const VALUES: Required<PageValues> = { page: 2, per_page: 3, limit: 4, offset: 5, cursor: '', count: 'none' }

t.test('every parameter belongs to a style, and a style consists of parameters', async (t) => {
  const named = new Set(
    styles.flatMap(({ place, size, hasTotal }): PageParameterName[] =>
      hasTotal ? [place, size, 'count'] : [place, size]
    )
  )
  t.strictSame([...named].sort(), [...PAGE_PARAMETER_NAMES].sort())
  for (const { place, size, parameters } of styles) {
    t.strictSame([...parameters].sort(), [place, size].sort())
  }
})

t.test('the parser reads every parameter, and writes it again', async (t) => {
  for (const name of PAGE_PARAMETER_NAMES) {
    const text = `${name}=${VALUES[name]}`
    const params = parseQueryParams(text)
    t.equal(params[name], VALUES[name], name)
    t.strictSame(params.errors, [], name)
    t.equal(stringifyQueryParams(params), text)
    t.equal(queryString({ [name]: VALUES[name] }), `?${text}`, 'the client writes it')
  }
})

t.test('two parameters may be combined if a style has both', async (t) => {
  for (const one of PAGE_PARAMETER_NAMES) {
    for (const other of PAGE_PARAMETER_NAMES.filter((name) => name !== one)) {
      const together = styles.some(({ place, size, hasTotal }) =>
        [one, other].every((name) => name === place || name === size || (hasTotal && name === 'count'))
      )
      const { errors } = parseQueryParams(`${one}=${VALUES[one]}&${other}=${VALUES[other]}`)
      t.equal(errors.length, together ? 0 : 1, `${one} and ${other}`)
      t.equal(RIVALS.get(one)!.includes(other), !together)
    }
  }
})

t.test('the planner takes every parameter in lists, and refuses numbers above the maximum', async (t) => {
  for (const name of PAGE_PARAMETER_NAMES) {
    t.doesNotThrow(() => planList(parseQueryParams(`${name}=${VALUES[name]}`), whitelist), name)
    const entry = PAGE_PARAMETERS[name]
    const maximum = entry.value !== 'number' || entry.maximum === undefined
      ? undefined
      : whitelist.pagination[entry.maximum]
    if (maximum !== undefined) {
      t.strictSame(errorsOf(`${name}=${maximum}`, whitelist), [], name)
      t.match(errorsOf(`${name}=${maximum + 1}`, whitelist), [{ source: { parameter: name } }], name)
    }
  }
})

t.test('words of other query languages lead to their parameter', async (t) => {
  for (const name of PAGE_PARAMETER_NAMES) {
    const { refused, suggested }: { refused: readonly string[], suggested: readonly string[] } =
      PAGE_PARAMETERS[name].words
    for (const word of [...refused, ...suggested]) {
      t.equal(suggestionFor(word, PAGE_PARAMETER_NAMES, whitelist, { include: [] }), name, word)
    }
    for (const word of refused) t.match(errorsOf(word, whitelist), [{ suggestion: name }], `${word} is refused`)
  }
})

t.test('the OpenAPI document describes every parameter', async (t) => {
  const { model } = whitelist
  const offer = { model, whitelist, writable: {}, config: new QueryBuilderConfig(), operations: ['list'] }
  const documented = parametersOf('list', offer as unknown as Offer, false)
  for (const name of PAGE_PARAMETER_NAMES) {
    const { value } = PAGE_PARAMETERS[name]
    t.match(documented[name], { type: value === 'number' ? 'integer' : 'string', description: /^[A-Z].+\.$/ }, name)
  }
})

t.test('the query language documents each style with its parameters', async (t) => {
  const { text } = readDocument('docs/query-language/pagination.md')
  const [rows] = tablesOf(text)
  const documented = rows!.slice(1).map(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
  t.strictSame(documented, styles.map(({ parameters }) => parameters))
})

type Query = ListQuery<object, object, false, [], [], {}, [], number, number, string> & CursorOption<string>
/** Parameters that the types of clients do not offer. A parameter without a type is a type error in this file. */
type Untyped = Exclude<PageParameterName, keyof Query>

t.test('every parameter has a type for clients', async (t) => {
  const untyped: readonly Untyped[] = []
  t.strictSame(untyped satisfies readonly never[], [])
})
