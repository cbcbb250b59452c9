/** How a column is declared in an entity, and what a whitelist can do with its values. */
import { quotedName } from '../../base/quoted-name.ts'
import type { CheckFacts, ColumnFacts } from './database-facts.ts'
import { textCode } from './source-text.ts'

/** What a whitelist can do with the values of a column. */
export type ValueUse = 'text' | 'choice' | 'measure' | 'switch' | 'key' | 'items' | 'range' | 'opaque'

interface ColumnType {
  /** Code that declares it, without the constraints: `p.string().length(80)`. */
  readonly code: string
  readonly use: ValueUse
  /** Whether it is an integer. As a key, MikroORM takes an integer for one that the database counts up. */
  readonly integer: boolean
}

type Rule = readonly [pattern: RegExp, use: ValueUse, code: (type: string, match: RegExpExecArray) => string]

const asText = (type: string): string => `p.string().columnType(${textCode(type)})`
const numbers = 'p.array((text) => Number(text), (value) => String(value))'

/** Types as format_type writes them, the special ones first. */
const RULES: readonly Rule[] = [
  [/^(?:smallint|integer|real|double precision)\[\]$/, 'items', (type) => `${numbers}.columnType(${textCode(type)})`],
  [
    /^(?:text|uuid|bigint|date|numeric\b.*|character varying.*)\[\]$/,
    'items',
    (type) => `p.array().columnType(${textCode(type)})`,
  ],
  [/\[\]$/, 'opaque', (type) => `p.array().columnType(${textCode(type)})`],
  [/^smallint$/, 'measure', () => 'p.smallint()'],
  [/^integer$/, 'measure', () => 'p.integer()'],
  [/^bigint$/, 'measure', () => "p.bigint('string')"],
  [/^numeric\((\d+),(\d+)\)$/, 'measure', (_, [, digits, scale]) => `p.decimal().precision(${digits}).scale(${scale})`],
  // a negative scale rounds to tens, hundreds and so on, which a property of MikroORM cannot say
  [/^numeric\(\d+,-/, 'opaque', asText],
  [/^numeric/, 'measure', (type) => `p.decimal().columnType(${textCode(type)})`],
  [/^(?:real|double precision)$/, 'measure', (type) => `p.double().columnType(${textCode(type)})`],
  [/^boolean$/, 'switch', () => 'p.boolean()'],
  [/^text$/, 'text', () => 'p.text()'],
  [/^character varying\((\d+)\)$/, 'text', (_, [, length]) => `p.string().length(${length})`],
  [/^character varying$/, 'text', () => asText('varchar')],
  [/^character\((\d+)\)$/, 'text', (_, [, length]) => asText(`char(${length})`)],
  [/^(?:.+\.)?citext$/, 'text', () => asText('citext')],
  [/^uuid$/, 'key', () => 'p.uuid()'],
  [/^date$/, 'measure', () => 'p.date()'],
  [
    /^timestamp(\(\d\))? with time zone$/,
    'measure',
    (_, [, digits = '']) => `p.datetime().columnType('timestamptz${digits}')`,
  ],
  [
    /^timestamp(\(\d\))? without time zone$/,
    'measure',
    (_, [, digits = '']) => `p.datetime().columnType('timestamp${digits}')`,
  ],
  [/^time(\(\d\))? without time zone$/, 'measure', (_, [, digits = '']) => `p.time().columnType('time${digits}')`],
  [/^jsonb?$/, 'opaque', (type) => `p.json<unknown>().columnType(${textCode(type)})`],
  [/^(?:int4|int8|num|date|ts|tstz)range$/, 'range', asText],
  [/^bytea$/, 'opaque', () => 'p.blob()'],
  [/^/, 'opaque', asText],
]

/** The type of a column. */
export function columnTypeOf (column: ColumnFacts, checks: readonly CheckFacts[]): ColumnType {
  const { type, labels, isArray } = column
  if (labels !== null) {
    const code = `p.enum(${choicesText(labels.values)})`
    return isArray
      ? { code: `${code}.array().columnType(${textCode(type)})`, use: 'items', integer: false }
      : { code: `${code}.columnType(${textCode(type)})`, use: 'choice', integer: false }
  }
  const [pattern, use, write] = RULES.find(([pattern]) => pattern.test(type))!
  const code = write(type, pattern.exec(type)!)
  const choices = use === 'text' ? choicesOf(column, checks) : undefined
  if (choices === undefined) return { code, use, integer: /^(?:smallint|integer|bigint)$/.test(type) }
  const stored = type.replace('character varying', 'varchar').replace(/^character\b/, 'char')
  return { code: `p.enum(${choicesText(choices)}).columnType(${textCode(stored)})`, use: 'choice', integer: false }
}

const choicesText = (values: readonly string[]): string => `[${values.map(textCode).join(', ')}] as const`

/** The texts that a check allows: `status in ('draft', 'sent')`, of the column or of its domain. */
function choicesOf (column: ColumnFacts, checks: readonly CheckFacts[]): readonly string[] | undefined {
  if (column.type.endsWith('citext')) return undefined
  const own = checks.filter(({ columns }) => columns.length === 1 && columns[0] === column.name)
  const conditions = [
    ...own.map(({ expression }) => ({ expression, names: [column.name, quotedName(column.name)] })),
    ...column.checks.map((check) => ({ expression: check.replace(/^CHECK /, ''), names: ['VALUE'] })),
  ]
  for (const { expression, names } of conditions) {
    const texts: string[] = []
    const skeleton = expression
      .replaceAll(/'((?:[^']|'')*)'/g, (_, text: string) => {
        texts.push(text.replaceAll("''", "'"))
        return '?'
      })
      .replaceAll(/::(?:text|character varying|bpchar|character)(?:\(\d+\))?(?:\[\])?/g, '')
      .replaceAll(/[()\s]/g, '')
    const list = texts.map(() => '?').join(',')
    if (texts.length > 0 && names.some((name) => skeleton === `${name.replaceAll(/[()\s]/g, '')}=ANYARRAY[${list}]`)) {
      return [...new Set(texts)]
    }
  }
  return undefined
}
