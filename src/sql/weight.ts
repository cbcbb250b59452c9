/**
 * How a statement keeps within the limits of an answer (`Form.limits`):
 *
 * - `trusted` has no noticeable cost. It serves selections whose included records have no long values, and are few or
 *   only one level deep (besides to-one relations). It cuts off the rows of a relation after one more than an answer
 *   may have, and a mark replaces a long value of the resource's own records, or too many records of one parent. A
 *   short answer without marks proves that nothing is missing, because each record needs a number of bytes. Any other
 *   answer is discarded and read again by a measured statement.
 * - `measured` knows how large an answer will be before it writes it. It has two expressions for each include: one with
 *   its rows, and one with their weights. A weight is the number of records that a row stands for in the answer (itself
 *   and all records included in it), and the bytes of their long values. The weights of a level are summed by the key
 *   of its parents, and those of the page give the weight of the answer. Each expression that writes JSON has the
 *   condition that this weight is within the limits. A level has at most one row more than an answer may have records,
 *   so counting is always cheap.
 *
 * A record that is included several times counts each time. Bytes are a lower bound: long values count as they are
 * stored. The written answer is measured exactly. The row that is fetched only to tell whether there is a next page
 * also counts.
 */
import type { AnswerLimits, PlannedInclude, Selection } from '../plan/index.ts'
import { namedKey } from './columns.ts'
import { forecastOf, hasLong, longProperties } from './forecast.ts'
import { EMPTY, join, name, numberSql, sql, trusted, type Sql } from './fragment.ts'
import type { Names } from './names.ts'
import { joinParents } from './related.ts'
import { sizeOf } from './size.ts'

/** The weights of the records that an include adds to each of its parents. */
interface Weight {
  readonly name: string
  readonly include: PlannedInclude
}

const RECORDS = '@records'
const BYTES = '@bytes'
const EXCESS = '@excess'
/** The excess of an answer with too many bytes. For too many records, it is the number of an include. */
export const EXCESS_OF_BYTES = 'bytes'

/** The parts of a statement that measure its answer. */
export class Measurement {
  /** The levels and their weights, in order. They come before all expressions that write JSON. */
  readonly expressions: Sql[] = []
  /** The condition that the answer is within its limits. */
  readonly fits: Sql
  /** The limit that the answer exceeds: the number of an include, `bytes`, or null for none. */
  readonly excess: Sql
  readonly #limits: AnswerLimits
  readonly #names: Names
  readonly #name: string
  readonly #countable: boolean
  readonly #long: boolean

  constructor (selection: Selection, limits: AnswerLimits, names: Names) {
    this.#limits = limits
    this.#names = names
    this.#name = names.expression('weight')
    this.#countable = forecastOf(selection, limits).countable
    this.#long = hasLong(selection)
    const of = name(this.#name)
    this.fits = sql`(select ${name(EXCESS)} is null from ${of})`
    this.excess = sql`(select ${name(EXCESS)} from ${of})`
  }

  /**
   * Adds the weights of a level's rows.
   *
   * @param level the expression with the rows
   * @param keys the parts of the key of their parents
   * @param inner the weights of the records included in them
   */
  addLevel (include: PlannedInclude, level: string, keys: readonly Sql[], inner: readonly Weight[]): Weight {
    const as = this.#names.expression(`${include.relation.name}_weight`)
    const columns = [
      ...namedKey(keys),
      ...this.#countable ? [sql`${records(inner)} as ${name(RECORDS)}`] : [],
      ...this.#long ? [sql`sum(${bytes(include.selection, level, inner)}) as ${name(BYTES)}`] : [],
    ]
    this.expressions.push(
      sql`${name(as)} as (select ${join(columns)} from ${name(level)}${joins(inner, level)} group by ${join(keys)})`
    )
    return { name: as, include }
  }

  /** Adds the weight of the answer. */
  end (selection: Selection, page: string, weights: readonly Weight[]): void {
    const { maxIncluded, maxBytes } = this.#limits
    const numbers = this.#countable ? weights.map((_, index) => name(`${RECORDS}${index}`)) : []
    const sums = weights.slice(0, numbers.length).map((weight, index) =>
      sql`coalesce(sum(${name(weight.name, RECORDS)}), 0) as ${numbers[index]!}`
    )
    const length = this.#long ? [sql`coalesce(sum(${bytes(selection, page, weights)}), 0) as ${name(BYTES)}`] : []
    const largest = join(numbers.map((number, index) => sql` when ${number} then '${numberSql(index)}'`), '')
    const tooMany = numbers.length === 0
      ? EMPTY
      : sql` when ${join(numbers, ' + ')} > ${numberSql(maxIncluded)} then case greatest(${
        join(numbers)
      })${largest} end`
    const tooLong = this.#long
      ? sql` when ${name(BYTES)} > ${numberSql(maxBytes)} then ${trusted(`'${EXCESS_OF_BYTES}'`)}`
      : EMPTY
    this.expressions.push(
      sql`${name(this.#name)} as (select case${tooMany}${tooLong} end as ${name(EXCESS)} from (select ${
        join([...sums, ...length])
      } from ${name(page)}${joins(weights, page)}) as "@sums")`
    )
  }
}

const joins = (weights: readonly Weight[], parents: string): Sql =>
  join(weights.map(({ name, include }) => joinParents(name, include.relation, parents)), '')

function records (inner: readonly Weight[]): Sql {
  return inner.length === 0
    ? trusted('count(*)')
    : sql`sum(${
      join([trusted('1'), ...inner.map((weight) => sql`coalesce(${name(weight.name, RECORDS)}, 0)`)], ' + ')
    })`
}

function bytes (selection: Selection, alias: string, inner: readonly Weight[]): Sql {
  const own = longProperties(selection).map((property) =>
    sql`coalesce(${sizeOf(name(alias, property.column), property)}, 0)`
  )
  return join([trusted('0'), ...own, ...inner.map((weight) => sql`coalesce(${name(weight.name, BYTES)}, 0)`)], ' + ')
}
