/** How records are written in a stream: as NDJSON or CSV, where the client accepts that rather than JSON. */
import { stringify } from 'csv-stringify/sync'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { parseExact } from '../../model/index.ts'
import { STREAM_TYPES } from '../options.ts'

const JSON_TYPE = 'application/json'

/** A column of a table of records. */
export interface StreamColumn {
  readonly name: string
  /** Its values are numbers, dates or times, some of which JSON has as texts. */
  readonly numeric: boolean
}

export interface CsvOptions {
  /**
   * Put an apostrophe before texts that a spreadsheet would take for a formula. Default: true.
   */
  readonly escapeFormulas?: boolean
}

/** Writes batches of records, the first of them with what stands before all. */
export type RecordWriter = (batch: readonly string[], isFirst: boolean) => string

export interface StreamFormat {
  readonly type: string
  /** @param columns of a table of the records, given the first one */
  readonly writer: (
    columns: (first: string | undefined) => readonly StreamColumn[],
    options: CsvOptions
  ) => RecordWriter
}

/** A line for each record (the format has no RFC; media type and line ends are those of ndjson.org). */
const ndjson: StreamFormat = {
  type: 'application/x-ndjson; charset=utf-8',
  writer: () => (batch) => batch.length === 0 ? '' : `${batch.join('\n')}\n`,
}

/** A header, and a line for each record (RFC 4180). Lists and objects stand as JSON in their fields. */
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
 * Starts of cells that spreadsheets take for formulas (OWASP, "CSV Injection"): `=`, `+`, `-`, `@`, their full-width
 * forms, also after white space, which some programs cut off; and tab, carriage return and line feed.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u
/** A negative number, a date before the common era, or `-infinity`. */
const NEGATIVE = /^-(?:\d[\d.:TZe+-]*|infinity)$/i

/** A text with an apostrophe before it where it could be a formula: spreadsheets show such a cell as text. */
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
  // most requests say nothing of streams
  if (accept === undefined || !/ndjson|csv/i.test(accept)) return undefined
  return FORMATS[new Negotiator({ headers }).mediaType([JSON_TYPE, ...STREAM_TYPES]) ?? JSON_TYPE]
}
