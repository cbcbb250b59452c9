/**
 * Members of pg and its pool that are private or undocumented, or that are replaced. No other file of this package uses
 * them. The list says why each is needed, test/borrowed notices when one changes.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Client, ClientBase, Connection, Pool, PoolClient } from 'pg'
import { membersOf } from './members.ts'

export const PG_MEMBERS = membersOf('pg', '8.23.0', [
  ['Pool', '_clients', 'connections that a pool had before its events were listened to'],
  ['Pool', 'Client', "a connection beside the pool, with the pool's options"],
  ['Pool', 'connect', 'replaced: an end to the queue, and no connection that is older than the last one that broke'],
  ['PoolClient', 'release', "replaced: closes a connection that is Kysely's to give back"],
  ['Client', '_activeQuery', 'ends a cursor whose connection is lost'],
  ['Client', 'readyForQuery', 'whether a statement waits for its answer'],
  ['Client', 'processID', 'cancels a statement on another socket'],
  ['Client', 'secretKey', 'the same'],
  ['Client', 'host', 'where that socket leads'],
  ['Client', 'port', 'the same'],
  ['Client', 'ssl', 'the same'],
  ['Client', 'sslNegotiation', 'the same'],
  ['Client', 'unref', 'a connection that checks a server does not keep the process running'],
  ['Client', 'connection', "the messages of the protocol, and the server's socket"],
  ['Connection', 'parsedStatements', 'the names under which the server has statements'],
  ['Connection', 'stream', 'closes, pauses and watches the socket'],
  ['Connection', 'close', 'replaced: a cursor waits for the answer of a server that is gone'],
  ['Connection', 'readyForQuery', 'an event that says so to the cursor'],
  ['Query', 'handleDataRow', 'a query of ours takes rows as texts, without asking the server for their types'],
  ['pg/lib/utils.js', 'prepareValue', 'sends values as pg does'],
])

/** A pool's list of its clients, which its types leave out. */
interface HiddenPool {
  readonly _clients?: readonly PoolClient[]
  readonly Client: new(options: object) => Client
  readonly options: Pool['options']
}

interface HiddenClient {
  /** Cursors have a state. */
  readonly _activeQuery?: { readonly state?: string, handleReadyForQuery?(): void } | null
  readonly readyForQuery: boolean
  readonly host: string
  readonly port: number
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation?: string
  readonly processID: number
  readonly secretKey: number
  readonly connection: HiddenConnection
  unref(): void
}

interface HiddenConnection {
  readonly stream: Socket
  readonly parsedStatements: Readonly<Record<string, string>>
  close(...args: unknown[]): void
  prependListener(event: 'error' | 'errorMessage' | 'end', listener: () => void): void
  once(event: 'end', listener: () => void): void
  emit(event: 'readyForQuery', message: object): void
}

const hidden = (client: object): HiddenClient => client as HiddenClient

/** pg's own conversion; `undefined` in a version that does not have it, which `checkClient` reports. */
function loadPrepareValue (): ((value: unknown) => unknown) | undefined {
  try {
    return (createRequire(import.meta.url)('pg/lib/utils.js') as { prepareValue?(value: unknown): unknown })
      .prepareValue
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined
    throw error
  }
}

/** Makes a value of JavaScript's what pg sends for it, whatever type its column has. */
export const prepareValue = loadPrepareValue()!

/** Does something with each connection of a pool: at once with those that it has, and with others when they are new. */
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
/** The socket of a connection, for a query that pg has given it to. */
export const socketBelow = (connection: Connection): Socket => connection.stream as Socket

/** Whether a statement waits for its answer. */
export const isBusy = (client: object): boolean => hidden(client).readyForQuery === false

/** Whether the server has a statement by a name. */
export function isParsed (connection: Connection, name: string): boolean {
  return (connection as unknown as HiddenConnection).parsedStatements[name] !== undefined
}

/** What pg knows of its connection. */
export interface Connected {
  readonly host: string
  readonly port: number
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation: string | undefined
  /** What the server gave to this connection: the number of its process, and a secret. */
  readonly key: readonly [number, number]
}

/** Where the server is that a client is, or would be, connected to. */
export function serverOf (client: ClientBase): Connected {
  const { host, port, ssl, sslNegotiation, processID, secretKey } = hidden(client)
  return { host, port, ssl, sslNegotiation, key: [processID, secretKey] }
}

/** A connection that is not the pool's, with its options. It is not connected yet. */
export function clientBeside (pool: Pool, overrides: object = {}): Client {
  const { Client, options } = pool as unknown as HiddenPool
  // the pool hides secrets from what copies its options
  return new Client({ ...options, password: options.password, ssl: options.ssl, ...overrides })
}

/** Lets the process end while a connection is open. */
export function unref (client: ClientBase): void {
  hidden(client).unref()
}

/** Makes the pool close a connection as soon as it is given back. */
export function closeOnRelease (client: PoolClient): void {
  // pg makes a new one each time that it hands the connection out
  const release = client.release.bind(client)
  client.release = () => release(true)
}

export type ConnectCallback = Parameters<Pool['connect']>[0]

/**
 * Replaces how a pool hands out its connections: for all who use the pool, MikroORM and its transactions included.
 *
 * @param make makes it of the pool's own way
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

/** Closes a connection without a word to the server, which may not listen any more. What waits for its answer fails now. */
export function cut (client: object): void {
  socketOf(client).destroy()
}

/**
 * Lets a stream end whose connection is lost. The cursor behind it goes on waiting for the server to say that it is ready,
 * and its connection would never go back to the pool.
 */
export function endCursorsWith (client: Client): void {
  const { connection } = hidden(client)
  const answer = (): void => {
    setImmediate(() => connection.emit('readyForQuery', {}))
  }
  const finish = (): void => {
    // it has all of its rows, and the server's last word for it was about to come
    const query = hidden(client)._activeQuery
    if (query?.state === 'done') query.handleReadyForQuery?.()
  }
  for (const event of ['error', 'errorMessage', 'end'] as const) connection.prependListener(event, finish)
  connection.once('end', () => {
    answer()
    connection.close = answer
  })
}
