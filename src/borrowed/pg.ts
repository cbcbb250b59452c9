/**
 * Private, undocumented and replaced members of pg and its pool. No other file of this package uses them. The list
 * gives the reason for each. The tests in test/borrowed fail when one changes.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Client, ClientBase, Connection, Pool, PoolClient } from 'pg'
import { borrowedMembers } from './borrowed-member.ts'

export const PG_MEMBERS = borrowedMembers('pg', '8.23.0', [
  ['Pool', '_clients', 'connections that a pool had opened before its events were listened to'],
  ['Pool', 'Client', "a connection beside the pool, with the pool's options"],
  ['Pool', 'connect', 'replaced: limits the queue, and closes connections that are older than the last one that broke'],
  ['PoolClient', 'release', 'replaced: closes a connection that Kysely releases'],
  ['Client', '_activeQuery', 'ends a cursor whose connection is lost'],
  ['Client', 'readyForQuery', 'whether a statement waits for its answer', 'no statement counts as waiting'],
  ['Client', 'processID', 'cancels a statement on another socket'],
  ['Client', 'secretKey', 'the same'],
  ['Client', 'host', 'the server that this socket connects to'],
  ['Client', 'port', 'the same'],
  ['Client', 'ssl', 'the same'],
  ['Client', 'sslNegotiation', 'the same', 'TLS is negotiated as PostgreSQL 16 and older do'],
  ['Client', 'unref', 'a connection that checks a server does not keep the process running', 'it does'],
  ['Client', 'connection', "the messages of the protocol, and the server's socket"],
  ['Connection', 'parsedStatements', 'the names under which the server has statements'],
  ['Connection', 'stream', 'closes, pauses and watches the socket'],
  ['Connection', 'close', 'replaced: a cursor would wait for the answer of a server that is gone'],
  // the name of an event, which no check of members can find
  ['Connection', 'readyForQuery', 'an event that ends such a cursor', 'the cursor waits for a server that is gone'],
  ['Query', 'handleDataRow', 'our query takes rows as texts, without asking the server for their types'],
  ['Query', 'handleCommandComplete', 'our query for several statements counts their answers'],
  ['pg/lib/utils.js', 'prepareValue', 'sends values as pg does'],
])

/** A pool's list of its clients, which its types omit. */
interface HiddenPool {
  readonly _clients?: readonly PoolClient[]
  readonly Client: new(options: object) => Client
  readonly options: Pool['options']
}

interface HiddenClient {
  /** A cursor has a state. */
  readonly _activeQuery?: { readonly state?: string, handleReadyForQuery?(): void } | null
  readonly readyForQuery: boolean
  readonly host: string
  readonly port: number
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation?: string
  readonly processID: number
  readonly secretKey: number
  readonly connection: HiddenConnection
  unref?(): void
}

interface HiddenConnection {
  readonly stream: Socket
  readonly parsedStatements: Record<string, string>
  close(...args: unknown[]): void
  prependListener(event: 'error' | 'errorMessage' | 'end', listener: () => void): void
  once(event: 'end', listener: () => void): void
  emit(event: 'readyForQuery', message: object): void
}

const hidden = (client: object): HiddenClient => client as HiddenClient

/** pg's own conversion; `undefined` in a version that lacks it, which `checkClient` reports. */
function loadPrepareValue (): ((value: unknown) => unknown) | undefined {
  try {
    return (createRequire(import.meta.url)('pg/lib/utils.js') as { prepareValue?(value: unknown): unknown })
      .prepareValue
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined
    throw error
  }
}

/** Converts a JavaScript value to what pg sends for it, whatever type its column has. */
export const prepareValue = loadPrepareValue()!

/** Calls a function with each connection of a pool: the existing ones at once, and new ones when they are opened. */
export function onConnections (pool: Pool, use: (client: Client) => void): void {
  for (const client of (pool as unknown as HiddenPool)._clients ?? []) use(client as unknown as Client)
  pool.on('connect', use)
}

/** The client of a pool whose connection is `connection`; `undefined` if the pool is not one of pg's. */
export function clientWith (pool: unknown, connection: unknown): PoolClient | undefined {
  const clients = (pool as HiddenPool | undefined)?._clients
  return clients?.find((client) => hidden(client).connection === connection)
}

/** The socket of a connection. */
export const socketOf = (client: object): Socket => hidden(client).connection.stream
/** The socket of a connection, for a query that pg is submitting. */
export const socketBelow = (connection: Connection): Socket => connection.stream as Socket

/** Whether a statement waits for its answer. */
export const isBusy = (client: object): boolean => hidden(client).readyForQuery === false

/** Whether the server has a prepared statement with this name. */
export function isParsed (connection: Connection, name: string): boolean {
  return (connection as unknown as HiddenConnection).parsedStatements[name] !== undefined
}

/** Notes that the server no longer has a prepared statement with this name. */
export function forgetParsed (connection: Connection, name: string): void {
  delete (connection as unknown as HiddenConnection).parsedStatements[name]
}

/** The connection of a client, which pg passes to queries. */
export const connectionOf = (client: object): Connection => hidden(client).connection as unknown as Connection

/** What pg knows about the server of a client. */
export interface Connected {
  readonly host: string
  readonly port: number
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation: string | undefined
  /** The server's process number and secret for this connection. */
  readonly key: readonly [number, number]
}

/** The server that a client is connected to, or would connect to. */
export function serverOf (client: ClientBase): Connected {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = hidden(client)
  return { host, port, ssl, sslNegotiation, key: [processID, secretKey] }
}

/** Makes a client with the pool's options that does not belong to the pool. It is not connected yet. */
export function clientBeside (pool: Pool, overrides: object = {}): Client {
  const { Client, options } = pool as unknown as HiddenPool
  // the pool makes secrets non-enumerable, so that a spread alone would omit them
  return new Client({ ...options, password: options.password, ssl: options.ssl, ...overrides })
}

/** Lets the process end while a connection is open. */
export function unref (client: ClientBase): void {
  hidden(client).unref?.()
}

/** Makes the pool close a connection when it is released. */
export function closeOnRelease (client: PoolClient): void {
  // pg sets a new release() each time that it hands out the connection
  const release = client.release.bind(client)
  client.release = () => release(true)
}

type ConnectCallback = Parameters<Pool['connect']>[0]

/**
 * Replaces how a pool hands out connections, for all its users, including MikroORM and its transactions.
 *
 * @param make gets the pool's original method and returns the new one
 */
export function replaceConnect (
  pool: Pool,
  make: (connect: (callback: ConnectCallback) => void) => (callback: ConnectCallback) => void
): void {
  const checkOut = make(pool.connect.bind(pool) as (callback: ConnectCallback) => void)
  const replaced = (callback?: ConnectCallback): unknown => {
    if (callback !== undefined) return checkOut(callback)
    return new Promise((resolve, reject) =>
      checkOut((error, client) => client === undefined ? reject(error) : resolve(client))
    )
  }
  pool.connect = replaced as Pool['connect']
}

/** Closes a connection without notifying the server, which may not respond. Waiting statements fail at once. */
export function cut (client: object): void {
  socketOf(client).destroy()
}

/**
 * Ends a stream when its connection is lost. Otherwise pg's cursor waits for the server to become ready, and the
 * connection never returns to the pool.
 */
export function endCursorsWith (client: Client): void {
  const { connection } = hidden(client)
  const answer = (): void => {
    setImmediate(() => connection.emit('readyForQuery', {}))
  }
  const finish = (): void => {
    // it has all of its rows, and only the server's last message is missing
    const query = hidden(client)._activeQuery
    if (query?.state === 'done') query.handleReadyForQuery?.()
  }
  for (const event of ['error', 'errorMessage', 'end'] as const) connection.prependListener(event, finish)
  connection.once('end', () => {
    answer()
    connection.close = answer
  })
}
