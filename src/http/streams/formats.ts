/** The formats of streams: NDJSON and CSV, for clients that prefer them to JSON. */
import { stringify } from 'csv-stringify/sync'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { parseExact } from '../../model/index.ts'
import { STREAM_TYPES } from '../options.ts'

const JSON_TYPE = 'application/json'

/** A column of CSV. */
export interface StreamColumn {
  readonly name: string
  /** Whether its values are numbers, dates or times, which may be strings in JSON. */
  readonly numeric: boolean
}

export interface CsvOptions {
  /**
   * Put an apostrophe before texts that a spreadsheet would execute as a formula. Default: true.
   */
  readonly escapeFormulas?: boolean
}

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

/** A header, and a line for each record (RFC 4180). Lists and objects are written as JSON. */
const csv: StreamFormat = {
  type: 'text/csv; charset=utf-8; header=present',
  writer: (columnsOf, { escapeFormulas = true }) => {
    let columns: readonly StreamColumn[] | undefined
    let header: { key: string, header: string }[] = []
    return (batch, isFirst) => {
      if (columns === undefined) {
        columns = columnsOf(batch[0])
        header = columns.map(({ name }) => ({ key: name, header: escapeFormulas ? escapeFormula(name, false) : name }))
      }
      const records = batch.map((json) => parseExact(json) as Record<string, unknown>)
      if (escapeFormulas) { for (const record of records) escapeRecord(record, columns) }
      return stringify(records, {
        header: isFirst,
        columns: header,
        record_delimiter: 'windows',
        cast: { boolean: String, object: (value) => JSON.stringify(value) },
      })
    }
  },
}

function escapeRecord (record: Record<string, unknown>, columns: readonly StreamColumn[]): void {
  for (const { name, numeric } of columns) {
    const value = record[name]
    if (typeof value === 'string') record[name] = escapeFormula(value, numeric)
  }
}

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
