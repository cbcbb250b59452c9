/**
 * A query in the extended protocol, for pg's `client.query`. It sends one message to the server and returns rows of
 * texts. pg's own query asks the server for the columns each time and looks up a parser for each. For a row of JSON
 * this takes more than a tenth of the whole time of a request.
 */
import type { Connection, PoolClient, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { isParsed, prepareValue } from '../../borrowed/pg.ts'
import type { Row } from '../../sql/index.ts'
import { parseMessage, type BoundStatement, type Prepared } from './statement.ts'

export type QueryCallback = (error: unknown, rows?: Row[]) => void

const NO_MESSAGE = Buffer.alloc(0)
const EXECUTE = Buffer.concat([serialize.execute({}) as Buffer, serialize.sync() as Buffer])

/**
 * Sends a statement on a connection.
 *
 * @param name by which the server may keep the statement
 * @param done is called once, with an error of the driver or with rows
 */
export function sendQuery (
  client: PoolClient,
  statement: BoundStatement,
  name: string | undefined,
  done: QueryCallback
): void {
  if (statement.columns !== undefined) {
    client.query(new TextQuery(statement, statement.columns, name, done))
    return
  }
  const { values } = statement
  const text = textFor(statement, name)
  client.query<Row>(
    { text, values: values as unknown[], ...(name !== undefined && { name }) },
    (error, result) => error ? done(error) : done(undefined, result.rows)
  )
}

/** The text to send: a named statement of a list has another form. */
const textFor = ({ text, prepared }: BoundStatement, name: string | undefined): string =>
  name === undefined ? text : prepared?.keptText ?? text

class TextQuery implements Submittable {
  /** pg notes the name and the text as parsed when the server has confirmed that. */
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
  readonly #prepared: Prepared | undefined
  readonly #columns: readonly string[]
  readonly #done: QueryCallback
  readonly #rows: Row[] = []
  #settled = false

  constructor (
    statement: BoundStatement,
    columns: readonly string[],
    name: string | undefined,
    done: QueryCallback
  ) {
    this.text = textFor(statement, name)
    this.values = statement.values
    this.name = name
    this.#prepared = statement.prepared
    this.#columns = columns
    this.#done = done
  }

  submit (connection: Connection): void | Error {
    const { stream } = connection
    const { name, text, values } = this
    try {
      const bind = bindMessage(values, name)
      const parse = parseIfNeeded(connection, { text, prepared: this.#prepared }, name)
      if (stream.writable) stream.write(Buffer.concat([parse, bind, EXECUTE]))
    } catch (error) {
      // a value that cannot be converted to text
      return error as Error
    }
  }

  handleDataRow ({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(rowOf(this.#columns, fields))
  }

  handleError (error: Error): void {
    this.#settle(error)
  }

  handleReadyForQuery (): void {
    this.#settle(undefined, this.#rows)
  }

  /** Settles only once: pg's query_timeout reports an error, and the server's answer may still come later. */
  #settle (error: unknown, rows?: Row[]): void {
    if (this.#settled) return
    this.#settled = true
    this.#done(error, rows)
  }

  handleRowDescription (): void {}
  handleCommandComplete (): void {}
  handleEmptyQuery (): void {}
  handlePortalSuspended (): void {}
}

/** The message that parses a statement. It is empty if the server has the statement under its name. */
export function parseIfNeeded (
  connection: Connection,
  { text, prepared }: Pick<BoundStatement, 'text' | 'prepared'>,
  name: string | undefined
): Buffer {
  if (name === undefined) return prepared?.message ?? parseMessage(text, '')
  return isParsed(connection, name) ? NO_MESSAGE : parseMessage(text, name)
}

/** The message with the values of a statement. */
export function bindMessage (values: readonly unknown[], name = ''): Buffer {
  return serialize.bind(
    { statement: name, values: values as unknown[], valueMapper: prepareValue } as Parameters<typeof serialize.bind>[0]
  ) as Buffer
}

/** A row of texts by column. */
export function rowOf (columns: readonly string[], fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < columns.length; index++) row[columns[index]!] = fields[index]
  return row
}
