/**
 * A query in the extended protocol, for pg's `client.query`. It sends one message to the server and returns rows of
 * texts. pg's own query asks the server for the columns each time and looks up a parser for each. For a row of JSON
 * this takes more than a tenth of the whole time of a request.
 */
import type { Connection, PoolClient, Submittable } from 'pg'
import { serialize } from 'pg-protocol'
import { prepareValue } from '../../borrowed/pg.ts'
import type { Row } from '../../sql/index.ts'
import { preparing } from './named-statements.ts'
import { EXECUTE_AND_SYNC, type BoundStatement } from './statement.ts'

export type QueryCallback = (error: unknown, rows?: Row[]) => void

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
  const { text, values } = statement
  client.query<Row>(
    { text, values: values as unknown[] },
    (error, result) => error ? done(error) : done(undefined, result.rows)
  )
}

class TextQuery implements Submittable {
  /** pg notes the name and the text as parsed when the server has confirmed that. */
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
  readonly #statement: BoundStatement
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
    this.text = name === undefined ? statement.text : statement.prepared!.namedText
    this.values = statement.values
    this.name = name
    this.#statement = statement
    this.#columns = columns
    this.#done = done
  }

  submit (connection: Connection): void | Error {
    const { stream } = connection
    const { name } = this
    try {
      const bind = bindMessage(this.values, name)
      const { close, parse } = preparing(connection, this.#statement, name)
      if (stream.writable) stream.write(Buffer.concat([close, parse, bind, EXECUTE_AND_SYNC]))
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
