/**
 * Stores the answers of writes by a key, so that a repeated request gets the answer of the first one. The key, the
 * change and the answer are committed together.
 *
 * The row of the key is inserted before the write and completed after it. The unique key of the table lets one of two
 * transactions have it, whatever else happens. An advisory lock says beside it that a write is still running, without
 * waiting for it. Both end with the transaction, also if the process or its connection dies.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, IdempotencyMismatchError, IdempotencyRunningError } from '../base/errors.ts'
import { madeOnce } from '../base/made-once.ts'
import { IdempotencyRecord } from '../entities/index.ts'
import type { EntityModel } from '../model/index.ts'
import { modelsOf } from '../resource/index.ts'
import { run } from '../run/index.ts'

/** A write that has a key. Its members are hashes of 32 bytes in base64url. */
interface KeyedWrite {
  /** Of the key, and of everything that gives it a meaning. */
  readonly key: string
  /** Of the caller. */
  readonly caller: string
  /** Of what the write is to do. */
  readonly request: string
}

/** The answer of a write. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: string
}

/** A write removes expired rows once in so many writes of the process, and at most twice as many rows. */
const WRITES_BETWEEN_REMOVALS = 16
const MAX_REMOVED = 2 * WRITES_BETWEEN_REMOVALS

export class StoredAnswers {
  readonly #ttlSeconds: number
  #writes = 0

  /** @param ttlHours how long answers are kept */
  constructor (ttlHours: number) {
    this.#ttlSeconds = ttlHours * 3_600
  }

  /**
   * Does a write, unless its key has an answer.
   *
   * @param em in the transaction of the write
   * @returns the answer, and whether it is that of an earlier request
   * @throws {IdempotencyRunningError} while another transaction does a write with the key, and
   *   {IdempotencyMismatchError} if the key belongs to a write that is to do something else, or that another caller may
   *   have asked for
   */
  async answer (
    em: EntityManager,
    write: KeyedWrite,
    work: () => Promise<StoredAnswer>
  ): Promise<{ readonly answer: StoredAnswer, readonly replayed: boolean }> {
    const statements = statementsFor(modelOfAnswers(em))
    const found = await this.#claim(em, statements, write)
    if (found !== undefined) return { answer: found, replayed: true }
    const answer = await work()
    const { key, caller } = write
    const { status, headers, json } = answer
    const removes = this.#writes++ % WRITES_BETWEEN_REMOVALS === 0
    await run(em, {
      text: removes ? statements.keepAndRemove : statements.keep,
      values: [key, caller, status, JSON.stringify(headers), json],
    })
    return { answer, replayed: false }
  }

  /** The answer of a key. Without one, the key belongs to this transaction from now on. */
  async #claim (
    em: EntityManager,
    { claim, find }: AnswerStatements,
    { key, caller, request }: KeyedWrite
  ): Promise<StoredAnswer | undefined> {
    const [row] = await run(em, {
      text: claim,
      values: [key, caller, request, lockOf(key), this.#ttlSeconds],
    }) as unknown as readonly ClaimRow[]
    if (row!.free !== true) throw new IdempotencyRunningError()
    // a write that ended between the snapshot of the statement and its lock is visible to the next statement only
    const [found] = row!.claimed || row!.own !== null
      ? [row!]
      : await run(em, { text: find, values: [key, caller, request] }) as unknown as readonly FoundRow[]
    if (found === undefined || found.own === null) {
      if (row!.claimed) return undefined
      // the row in the way has expired in the meantime, or its transaction was undone
      throw new IdempotencyRunningError()
    }
    if (!found.own) throw new IdempotencyMismatchError(OTHER_CALLER)
    if (!found.same) throw new IdempotencyMismatchError()
    return { status: found.status, headers: JSON.parse(found.headers) as StoredAnswer['headers'], json: found.body }
  }
}

const OTHER_CALLER =
  'The same request was made with this Idempotency-Key and with other credentials. It may have been yours, so it is ' +
  'not done again.'

interface FoundRow {
  /** Whether the caller is the same; null if nothing was found. */
  readonly own: boolean | null
  readonly same: boolean
  readonly status: number
  readonly headers: string
  readonly body: string
}

interface ClaimRow extends FoundRow {
  /** Whether no other transaction does a write with the key. */
  readonly free: boolean
  /** Whether the key belongs to this transaction now. */
  readonly claimed: boolean
}

/** The number of an advisory lock: the first 64 bits of a hash. */
const lockOf = (hash: string): string => Buffer.from(hash, 'base64url').readBigInt64BE().toString()

interface AnswerStatements {
  readonly claim: string
  readonly find: string
  readonly keep: string
  readonly keepAndRemove: string
}

/**
 * The statements for a table, of which only the quoted name differs. They are kept as long as the model of its ORM and
 * schema.
 */
const statementsFor = madeOnce(({ table }: EntityModel): AnswerStatements => {
  const found = '"caller" = $2 as "own", "request" = $3 as "same", "status"::int as "status", ' +
    '"headers"::text as "headers", "body"'
  const find = `select ${found} from ${table} ` +
    'where "key" = $1 and ("caller" = $2 or "request" = $3) and "expires_at" > now() ' +
    'order by "caller" = $2 desc limit 1'
  const keep = `update ${table} set "status" = $3, "headers" = $4::jsonb, "body" = $5 ` +
    'where "key" = $1 and "caller" = $2'
  const expired = `select "key", "caller" from ${table} where "expires_at" <= now() ` +
    `order by "expires_at" limit ${MAX_REMOVED} for update skip locked`
  return {
    claim: 'with "lock" as materialized (select pg_try_advisory_xact_lock($4::bigint) as "free"), ' +
      `"mine" as (insert into ${table} as r ("key", "caller", "request", "created_at", "expires_at") ` +
      'select $1::varchar, $2::varchar, $3::varchar, now(), now() + make_interval(secs => $5::float8) ' +
      'from "lock" where "lock"."free" ' +
      'on conflict ("key", "caller") do update set "request" = excluded."request", ' +
      '"created_at" = excluded."created_at", "expires_at" = excluded."expires_at", ' +
      '"status" = null, "headers" = null, "body" = null ' +
      // Citus accepts no functions in this place
      'where r."expires_at" <= excluded."created_at" returning 1) ' +
      'select "lock"."free", exists (select 1 from "mine") as "claimed", "found".* ' +
      `from "lock" left join (${find}) as "found" on true`,
    find,
    keep,
    keepAndRemove: `with "old" as materialized (${expired}), ` +
      `"gone" as (delete from ${table} as r using "old" where r."key" = "old"."key" and r."caller" = "old"."caller") ` +
      keep,
  }
})

/** The table in the schema of an EntityManager. */
const modelOfAnswers = (em: EntityManager): EntityModel => modelsOf(em).of(IdempotencyRecord)

/** Its quoted name. */
export const tableOfAnswers = (em: EntityManager): string => modelOfAnswers(em).table

/**
 * Checks that an ORM has the table of the answers.
 *
 * @param what the resource, as the subject of a sentence
 * @throws {ConfigError} if it has not
 */
export function checkStoredAnswers (what: string, em: EntityManager): void {
  if (em.getMetadata().has(IdempotencyRecord.meta.class)) return
  throw new ConfigError(
    `${what}: 'idempotency' keeps answers in the table of IdempotencyRecord, which the ORM does not have. Add it: ` +
      "import { IdempotencyRecord } from 'fastify-crud-kit', and entities: [..., IdempotencyRecord]."
  )
}
