/** Compares a column, or a value inside JSON, with bound values. The SQL comes from the table of operators. */
import type { InsideJson } from '../model/index.ts'
import { operatorFormOf, OPERATORS, type ColumnSql, type ComparisonForm } from '../operators/index.ts'
import {
  firstTypeOf, type Comparable, type Condition, type JsonValue, type RelatedNumber, type Slot,
} from '../plan/index.ts'
import { EMPTY, join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { unaccented, unaccentedPattern, unaccentedValue, type UnaccentContext } from './unaccent.ts'
import { comparedValue } from './wire-types.ts'

/** The operator's SQL with the column and the values of a condition. */
export function comparisonSql (condition: ComparisonOf<RowOperand>, alias: string, context: UnaccentContext): Sql {
  const type = firstTypeOf(condition.operand)
  return onDeclaredType(condition.operand, alias, (column) =>
    compareSql(condition, comparedValue(column, type), context))
}

/** A comparison with a property, or with anything. */
type ComparisonOf<Of extends Comparable = Comparable> =
  & Extract<Condition, { kind: 'compare' }>
  & { readonly operand: Of }

/** What a row itself has, perhaps inside of JSON. */
type RowOperand = Exclude<Comparable, RelatedNumber>

/** The operator's SQL with the values of a condition, for a value of any origin. */
export function compareSql (
  { operator, operand: compared, slots, unaccent }: ComparisonOf,
  column: Sql,
  context: UnaccentContext
): Sql {
  const form = operatorFormOf(operator, firstTypeOf(compared))
  const values = valuesSql(form.value, compared, slots)
  if (unaccent === undefined) return fill(form.sql, { column, ...values })
  const value = (form.unaccented === 'pattern' ? unaccentedPattern : unaccentedValue)(values.value!, unaccent, context)
  return fill(form.sql, { column: unaccented(column, unaccent, context), value })
}

/** The bound values, by their places in the operator's SQL. */
function valuesSql (kind: ComparisonForm['value'], compared: Comparable, slots: readonly Slot[]): Places {
  const [first, second] = slots as readonly [Slot, Slot]
  switch (kind) {
    case 'one':
    case 'part':
      return { value: bound(compared, first) }
    case 'pair':
      return { low: bound(compared, first), high: bound(compared, second) }
    case 'list':
      return { value: boundList(compared, first) }
    case 'text':
    case 'items':
      return { value: sql`${first}` }
  }
}

interface Places {
  readonly column?: Sql
  readonly value?: Sql
  readonly low?: Sql
  readonly high?: Sql
}

/**
 * Puts fragments into the places of SQL from the table of operators. The template is source code.
 *
 * @example
 * fill('lower({column})', { column: name('title') }) // lower("title")
 */
export function fill (template: ColumnSql, places: Places): Sql {
  const pieces = template.split(/\{(column|value|low|high)\}/)
  return join(pieces.map((piece, index) => index % 2 === 0 ? trusted(piece) : places[piece as keyof Places]!), '')
}

/** The SQL that reads an operand: its column, an owning relation's foreign key, or a place inside a JSON column. */
export function operand (operand: RowOperand, alias: string): Sql {
  switch (operand.kind) {
    case 'scalar':
      return column(operand, alias)
    case 'relation':
      return name(alias, operand.key[0]!.column)
    case 'json':
      return jsonOperand(operand, alias)
  }
}

/**
 * A value inside JSON in the form in which SQL compares it. A number or boolean is cast only if the JSON holds one,
 * because the cast of any other value fails. Text is read from any value, so that an index on `->>` can be used:
 * `onDeclaredType` excludes values of other types.
 */
function jsonOperand (value: JsonValue, alias: string): Sql {
  const text = jsonText(value, alias)
  const cast = JSON_CASTS[value.type.kind]
  if (cast === undefined) return sql`(${text})`
  const inRange = cast === '::numeric' && !isBinary(value) ? inRangeOfNumeric(text) : EMPTY
  return sql`(case when ${isOfType(value, alias)}${inRange} then (${text})${trusted(cast)} end)`
}

/**
 * Excludes numbers that may be out of the range of `numeric`, which has 131 072 digits before the point, and 16 383
 * after it. Only columns of the type `json` keep such numbers.
 */
const inRangeOfNumeric = (text: Sql): Sql =>
  sql` and length(${text}) <= 6000 and (${text}) !~ '[eE][+-]*0*[1-9][0-9]{4}'`

/** The cast for the text of a value inside JSON. Other kinds are compared as text. */
const JSON_CASTS: { readonly [Kind in InsideJson['kind']]: '::boolean' | '::numeric' | undefined } = {
  boolean: '::boolean',
  date: undefined,
  decimal: '::numeric',
  enum: undefined,
  text: undefined,
  uuid: undefined,
}

/** Whether a value inside JSON is compared as text. */
const isJsonText = ({ type }: JsonValue): boolean => JSON_CASTS[type.kind] === undefined

/**
 * A condition on an operand. On text inside JSON, it holds only for values of the declared type. Other values count as
 * null.
 */
function onDeclaredType (comparable: RowOperand, alias: string, condition: (value: Sql) => Sql): Sql {
  const sqlOf = condition(operand(comparable, alias))
  return comparable.kind === 'json' && isJsonText(comparable)
    ? sql`(${sqlOf} and ${isOfType(comparable, alias)})`
    : sqlOf
}

/** Whether JSON is of the declared type. Null for a missing value. */
function isOfType (value: JsonValue, alias: string): Sql {
  return sql`${jsonType(value, alias)} ${trusted(jsonTypeNames(value.type))}`
}

/** The type of the JSON, as PostgreSQL names it. */
function jsonType (value: JsonValue, alias: string): Sql {
  return sql`${trusted(isBinary(value) ? 'jsonb_typeof' : 'json_typeof')}(${jsonAt(value, alias, '->')})`
}

const isBinary = ({ property: { type } }: JsonValue): boolean => type.kind === 'json' && type.binary

/** The test for the type's name in JSON. The members of an enum are strings, numbers, or both. */
function jsonTypeNames (type: InsideJson): string {
  switch (type.kind) {
    case 'boolean':
      return "= 'boolean'"
    case 'decimal':
      return "= 'number'"
    case 'date':
    case 'text':
    case 'uuid':
      return "= 'string'"
    case 'enum':
      if (type.items.every((item) => typeof item === 'string')) return "= 'string'"
      return type.items.every((item) => typeof item === 'number') ? "= 'number'" : "in ('number', 'string')"
  }
}

const jsonText = (value: JsonValue, alias: string): Sql => jsonAt(value, alias, '->>')

function jsonAt ({ property, keys }: JsonValue, alias: string, last: '->' | '->>'): Sql {
  return join([
    column(property, alias),
    ...keys.map((key, index) => sql`${trusted(index === keys.length - 1 ? last : '->')}${literal(key)}`),
  ], '')
}

/** A bound value, wrapped in the SQL of the operand's custom type, if any. */
export function bound (operand: Comparable, slot: Slot): Sql {
  return inCustomSql(operand, sql`${slot}`) ?? sql`${slot}`
}

/** A bound array. Each element is wrapped in the SQL of the operand's custom type, if any. */
function boundList (operand: Comparable, slot: Slot): Sql {
  const value = inCustomSql(operand, name(ELEMENT))
  return value === undefined
    ? sql`${slot}`
    : sql`array(select ${value} from unnest(${slot}::text[]) as ${name(ELEMENTS)}(${name(ELEMENT)}))`
}

const ELEMENTS = '@values'
const ELEMENT = '@value'

function inCustomSql (operand: Comparable, value: Sql): Sql | undefined {
  const write = operand.kind === 'scalar' ? operand.codec?.write : undefined
  if (write === undefined) return undefined
  const [before = '', after = ''] = write.split('?', 2)
  return sql`${trusted(before)}${value}${trusted(after)}`
}

/** The test for null, or for not null. For a key, it covers all columns. */
export function nullSql (operand: RowOperand, negated: boolean, alias: string): Sql {
  // the type of a missing value is null, while JSON's null has a type
  if (operand.kind === 'json') {
    return negated
      ? isOfType(operand, alias)
      : sql`(${isOfType(operand, alias)}) is not true`
  }
  const columns = operand.kind === 'relation'
    ? operand.key.map((part) => name(alias, part.column))
    : [column(operand, alias)]
  const test = OPERATORS.isnull.sql[negated ? 'false' : 'true']
  return join(columns.map((column) => fill(test, { column })), ' and ')
}
