/**
 * The statements that the server keeps by name for each connection. Each takes memory there, so their number is
 * limited. A statement that needs a place takes that of the one that has not been used for the longest time. So a
 * client that sends statements of many forms takes a name from a usual statement only until its next use.
 */
import type { Connection, PoolClient } from 'pg'
import { serialize } from 'pg-protocol'
import { madeOnce } from '../../base/made-once.ts'
import { connectionOf, forgetParsed, isParsed } from '../../borrowed/pg.ts'
import { parseMessage, type BoundStatement } from './statement.ts'

/** The places of a connection. A statement of a single record takes one. */
const PLACES = 256
/** A list takes some 100 KiB in the server, a statement of a single record less. */
const PLACES_OF_A_LIST = 2

const NO_MESSAGE = Buffer.alloc(0)

/** The names that the server may have for a connection, those used last at the end, and their places. */
class ServerNames {
  readonly #places = new Map<string, number>()
  #taken = 0

  /**
   * Notes that a name is used.
   *
   * @returns the names that lose their places
   */
  use (name: string, places: number): string[] {
    if (this.#places.delete(name)) {
      this.#places.set(name, places)
      return []
    }
    this.#places.set(name, places)
    this.#taken += places
    const displaced: string[] = []
    for (const [other, places] of this.#places) {
      if (this.#taken <= PLACES) break
      this.#places.delete(other)
      this.#taken -= places
      displaced.push(other)
    }
    return displaced
  }

  /** All names. */
  all (): Iterable<string> {
    return this.#places.keys()
  }
}

const namesOf: (connection: Connection) => ServerNames = madeOnce(() => new ServerNames())

/** The messages before the values of a statement. */
interface Preparing {
  /**
   * Takes their names from other statements. It belongs at the beginning of what is sent, where no error can make the
   * server skip it.
   */
  readonly close: Buffer
  readonly parse: Buffer
}

const PREPARED: Preparing = { close: NO_MESSAGE, parse: NO_MESSAGE }

/**
 * The messages that prepare a statement for its values. They are empty if the server keeps the statement.
 *
 * @param name by which the server may keep the statement
 */
export function preparing (
  connection: Connection,
  { text, prepared }: BoundStatement,
  name: string | undefined
): Preparing {
  if (name === undefined || prepared === undefined) {
    return { close: NO_MESSAGE, parse: prepared?.message ?? parseMessage(text, '') }
  }
  const displaced = namesOf(connection).use(name, prepared.namedText === prepared.text ? 1 : PLACES_OF_A_LIST)
  if (isParsed(connection, name)) return PREPARED
  for (const other of displaced) forgetParsed(connection, other)
  return {
    close: Buffer.concat(displaced.map(closeMessage)),
    // the server may have the name already: with an outdated plan, or from another client of a pooler
    parse: Buffer.concat([closeMessage(name), parseMessage(prepared.namedText, name)]),
  }
}

/** Makes all statements of a connection be parsed again before their next use. */
export function parseAgain (client: PoolClient): void {
  const connection = connectionOf(client)
  for (const name of namesOf(connection).all()) forgetParsed(connection, name)
}

const closeMessage = (name: string): Buffer => serialize.close({ type: 'S', name }) as Buffer
