/** The formats of streams: NDJSON and CSV, for clients that prefer them to JSON. */
import { stringify } from 'csv-stringify/sync'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { exactText, isExactNumber, parseExact } from '../../model/index.ts'
import { STREAM_TYPES, type CsvOptions } from '../route-options.ts'
import type { StreamColumn } from '../routes/stream-columns.ts'

const JSON_TYPE = 'application/json'

/** Converts a batch of records to text. The first batch starts with the header, if the format has one. */
export type RecordWriter = (batch: readonly string[], isFirst: boolean) => string

export interface StreamFormat {
  readonly type: string
  /** @param columns returns the columns of the records, given the first record */
  readonly writer: (
    columns: (first: string | undefined) => readonly StreamColumn[],
    options: CsvOptions
  ) => RecordWriter
}

/** A line for each record. The format has no RFC. Media type and line ends follow ndjson.org. */
const ndjson: StreamFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  writer: () => (batch) => batch.length === 0 ? '' : `${batch.join('\n')}\n`,
}

/** A column of CSV: the names that lead to its values, for example `['agent', 'name']`. */
interface CsvColumn {
  readonly path: readonly string[]
  readonly numeric: boolean
}

const csvColumns = (columns: readonly StreamColumn[]): readonly CsvColumn[] =>
  columns.flatMap(({ name, numeric, columns }) =>
    columns === undefined
      ? [{ path: [name], numeric }]
      : csvColumns(columns).map(({ path, numeric }) => ({ path: [name, ...path], numeric }))
  )

/** The value at the end of a path; `undefined` if a relation on the way is null. */
function valueAt (record: unknown, path: readonly string[]): unknown {
  let value = record
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/**
 * A header, and a line for each record (RFC 4180). The values of a record behind a to-one relation have columns of
 * their own. Lists and other objects are written as JSON.
 */
const csv: StreamFormat = {
  type: 'text/csv; charset=utf-8; header=present',
  writer: (columnsOf, { escapeFormulas = true }) => {
    let columns: readonly CsvColumn[] | undefined
    const shown = escapeFormulas ? escapeFormula : (text: string) => text
    const cell = (value: unknown, numeric: boolean): string => {
      if (value === null || value === undefined) return ''
      if (typeof value === 'string') return shown(value, numeric)
      return typeof value === 'object' && !isExactNumber(value) ? JSON.stringify(value) : exactText(value)
    }
    return (batch, isFirst) => {
      const known = columns ??= csvColumns(columnsOf(batch[0]))
      const header = known.map(({ path }) => shown(path.join('.'), false))
      const rows = batch.map((json) => {
        const record = parseExact(json)
        return known.map(({ path, numeric }) => cell(valueAt(record, path), numeric))
      })
      return stringify(isFirst ? [header, ...rows] : rows, {
        record_delimiter: 'windows',
        quoted_match: SEPARATORS,
        // readers may skip lines that are empty
        quoted_empty: known.length === 1,
      })
    }
  },
}

/**
 * Characters of cells that are quoted, beside quotes and commas. Each CR and each LF separates lines (RFC 4180 section
 * 2.6), and semicolons and tabs separate cells for spreadsheets that guess.
 */
const SEPARATORS = /[;\t\r\n]/

/**
 * Starts of cells that spreadsheets read as formulas (OWASP, "CSV Injection"): `=`, `+`, `-`, `@` and their full-width
 * forms, also after white space, which some programs remove. Tab, carriage return and line feed are also such starts.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u
/** A negative number, a date before the common era, or `-infinity`. */
const NEGATIVE = /^-(?:\d[\d.:TZe+-]*|infinity)$/i

/** Puts an apostrophe before a text that could be a formula, so that spreadsheets show it as text. */
function escapeFormula (text: string, numeric: boolean): string {
  return FORMULA.test(text) && !(numeric && NEGATIVE.test(text)) ? `'${text}` : text
}

const FORMATS: Readonly<Record<string, StreamFormat>> = {
  'application/x-ndjson': ndjson,
  'text/csv': csv,
} satisfies Record<typeof STREAM_TYPES[number], StreamFormat>

/** The format of a stream that a request prefers to JSON (RFC 9110 section 12.5.1), if there is one. */
export function streamFormat ({ headers }: FastifyRequest): StreamFormat | undefined {
  const { accept } = headers
  // most requests do not mention a format of streams
  if (accept === undefined || !/ndjson|csv/i.test(accept)) return undefined
  return FORMATS[new Negotiator({ headers }).mediaType([JSON_TYPE, ...STREAM_TYPES]) ?? JSON_TYPE]
}
