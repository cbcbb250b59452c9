/** The worker thread of synchronous sessions. It has the connection and answers one command after the other. */
import type { PGlite } from '@electric-sql/pglite'
import { defineEntity, p } from '@mikro-orm/core'
import type { Pool, PoolClient } from 'pg'
import { runAsWorker } from 'synckit'
import { parentPort } from 'node:worker_threads'
import { UnavailableError } from '../../base/errors.ts'
import { declaresReadOnly, isReadOnlyServer, preparedValues, runOnPool } from '../../run/index.ts'
import { DatabaseFactory } from '../database-factory.ts'
import { toPlainError, type Command, type Reply } from './messages.ts'

type Rows = Record<string, unknown>[]

/** A factory needs at least one entity. The real entities stay on the main thread. */
const Nothing = defineEntity({ name: 'Nothing', properties: { id: p.integer().primary() } })

let factory: DatabaseFactory | undefined
let client: Pool | PGlite
/** The connection of the open transaction. PGlite has only one connection. */
let held: PoolClient | undefined
/** Whether the open transaction was declared to be read-only. */
let readOnly = false
/** The error that showed that the connection leads to a server that refuses writes. */
let refusal: unknown

async function answer (command: Command): Promise<Rows> {
  switch (command.kind) {
    case 'open': {
      factory = new DatabaseFactory({ ...command.options, entities: [Nothing] })
      client = await (await factory.getEngine()).em.getConnection().getNativeClient() as unknown as typeof client
      return []
    }
    case 'query':
      return await query(command.text, command.values)
    case 'script': {
      await observed(command.text, async () => {
        if ('exec' in client) await client.exec(command.text)
        else await (held ?? client).query(command.text)
      })
      return []
    }
    case 'begin': {
      readOnly = false
      if ('totalCount' in client) held = await client.connect()
      try {
        return await query('begin')
      } catch (error) {
        release(error)
        throw error
      }
    }
    case 'commit':
    case 'rollback': {
      try {
        const rows = await query(command.kind)
        release(refusal)
        return rows
      } catch (error) {
        release(error)
        throw error
      }
    }
    case 'close': {
      release(new Error('closed'))
      await factory?.close()
      // the answer uses another port. Without this one, the thread has nothing to wait for, and ends
      parentPort?.close()
      return []
    }
  }
}

async function query (text: string, values: readonly unknown[] = []): Promise<Rows> {
  return await observed(text, async () =>
    held === undefined && 'totalCount' in client
      ? await runOnPool(client, { text, values }, undefined)
      : (await ((held ?? client) as PGlite).query<Rows[number]>(text, preparedValues(values))).rows)
}

/**
 * Converts the error of a write that the server refuses although the transaction was not declared to be read-only. A
 * new connection may lead to the server that took over.
 */
async function observed<Result> (text: string, send: () => Promise<Result>): Promise<Result> {
  readOnly = declaresReadOnly(text) ?? readOnly
  try {
    return await send()
  } catch (error) {
    if (readOnly || !isReadOnlyServer(error)) throw error
    refusal = error
    throw new UnavailableError(undefined, { cause: error })
  }
}

/** Releases the connection. After an error it is closed instead of returned to the pool. */
function release (error: unknown): void {
  held?.release(error !== undefined)
  held = undefined
  readOnly = false
  refusal = undefined
}

runAsWorker(async (command: Command): Promise<Reply> => {
  try {
    return { rows: await answer(command) }
  } catch (error) {
    return { error: toPlainError(error) }
  }
})
