/**
 * Databases for tests: each test file gets its own, on PGlite and on a PostgreSQL server.
 *
 * `npm test` prepares both (prepared-databases.ts): a test opens a copy, with the fixtures in it if it uses exactly the
 * fixtures' `entities` and `seed`. A file run alone, `node test/http/sorting.test.ts`, works too: its PGlite is in
 * memory, and PostgreSQL is skipped unless DATABASE_URL names a server on which databases may be created.
 */
import type { PGlite } from '@electric-sql/pglite'
import { MikroORM as PgliteORM } from '@mikro-orm/pglite'
import { MikroORM, type Options, type EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import pg from 'pg'
import type { Test } from 'tap'
import { entities as fixtureEntities } from '../fixtures/entities.ts'
import { seed as fixtureSeed } from '../fixtures/seed.ts'
import { lacks, type Capability } from './capabilities.ts'
import { describeOutside, EMPTY, KeptDatabases } from './kept-databases.ts'
import { watchPglite } from './watched-pglite.ts'

// WebAssembly is checked and compiled once, fast, and where it is used: a test ends before optimised code would pay off
for (
  const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation']
) setFlagsFromString(flag)

export type DatabaseName = 'pglite' | 'postgres'

interface OpenOptions {
  readonly entities: NonNullable<Options['entities']>
  /**
   * Features that a server needs for these tests, in addition to databases. Without them the tests are skipped with a
   * message.
   */
  readonly needs?: readonly Capability[]
  /** SQL that creates the tables. Default: MikroORM creates those of the entities. */
  readonly tables?: string
  /** Fills the tables, with a separate EntityManager that is flushed afterwards. */
  readonly seed?: (em: EntityManager) => unknown
  /** More options for MikroORM. */
  readonly orm?: Partial<Options>
}

export interface TestDatabase {
  readonly name: DatabaseName
  /** Both drivers have PostgreSQL's interface; PGlite has one connection (and no `em.stream`). */
  readonly orm: MikroORM
  /** For connections outside the ORM. PGlite has none. */
  readonly url: string | undefined
  /** Closes the ORM and removes the database. */
  readonly close: () => Promise<void>
}

export type OpenDatabase = (options: OpenOptions) => Promise<TestDatabase>

/** The reason why tests on a database cannot run here. */
export const skipReasons: Readonly<Record<DatabaseName, string | false>> = {
  pglite: false,
  postgres: process.env.DATABASE_URL ? false : 'no DATABASE_URL: npm test starts a server',
}

export const databases: ReadonlyArray<readonly [name: DatabaseName, open: OpenDatabase]> = [['pglite', openPglite], [
  'postgres',
  openPostgres,
]]

/**
 * A subtest for each database, named after it. The database is opened once, has the entities' tables and the seed's
 * rows, and is removed when the subtest ends.
 *
 * @example await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
 *   t.test('finds', async (t) => t.equal(await orm.em.fork().count(Plant), 3))
 * })
 */
export async function forEachDatabase (t: Test, options: OpenOptions, fn: OnDatabase): Promise<void> {
  for (const [name] of databases) await onDatabase(t, name, name, options, fn)
}

/**
 * The same on one database: on the PostgreSQL server, or on PGlite where there is none. For very many examples of what
 * the database computes, and for very many rows, since both are PostgreSQL. That its drivers agree is seen by the tests
 * on each.
 */
export async function forOneDatabase (t: Test, options: OpenOptions, fn: OnDatabase): Promise<void> {
  const name = skipReasons.postgres ? 'pglite' : 'postgres'
  await onDatabase(t, name, name, options, fn)
}

/** A subtest with a name, on the PostgreSQL server alone. For several connections at once: PGlite has one. */
export async function forPostgres (t: Test, name: string, options: OpenOptions, fn: OnDatabase): Promise<void> {
  await onDatabase(t, name, 'postgres', options, fn)
}

/** A PGlite until the end of a test, which would see the same on any database. */
export async function openPgliteFor (t: Pick<Test, 'teardown'>, options: OpenOptions): Promise<TestDatabase> {
  const database = await openPglite(options)
  t.teardown(database.close)
  return database
}

type OnDatabase = (t: Test, database: TestDatabase) => unknown

async function onDatabase (
  t: Test,
  name: string,
  database: DatabaseName,
  options: OpenOptions,
  fn: OnDatabase
): Promise<void> {
  const skip = skipReasons[database] || (database === 'postgres' && await lacks(...options.needs ?? []))
  await t.test(name, { skip }, async (t) => {
    const opened = await databases.find(([one]) => one === database)![1](options)
    t.teardown(opened.close)
    await fn(t, opened)
  })
}

/** Whether the run's prepared databases have this content. Options of the ORM could require other tables. */
function wantsFixtures ({ entities, tables, seed, orm }: OpenOptions): boolean {
  return entities === fixtureEntities && tables === undefined && seed === fixtureSeed && orm === undefined
}

/** A PGlite on a copy of one of the run's folders if there are any, else in memory. */
interface OpenPglite {
  readonly pglite: PGlite
  /** What outlives `EMPTY`, or the transactions until then in a copy of the fixtures. */
  readonly asNew: string
  readonly close: () => Promise<void>
}

const pglites = new KeptDatabases<OpenPglite>({
  async open (template) {
    const copy = copyTemplate(template)
    // the owner gives the instance the parsers of MikroORM
    const owner = await PgliteORM.init({
      entities: [], discovery: { warnWhenNoEntities: false }, dbName: copy?.folder ?? 'memory://',
    })
    const pglite = await owner.em.getConnection().getNativeClient()
    watchPglite(pglite)
    return {
      pglite,
      asNew: await describePglite(pglite, template),
      close: async () => {
        if (!pglite.closed) await endTimer(pglite)
        await owner.close(true)
        copy?.remove()
      },
    }
  },
  async restore ({ pglite, asNew }, template) {
    if (pglite.closed) return false
    if (pglite.isInTransaction()) await pglite.exec('rollback')
    await pglite.exec('discard all')
    if (template !== process.env.PGLITE_FIXTURES) await pglite.exec(EMPTY)
    return await describePglite(pglite, template) === asNew
  },
  close: ({ close }) => close(),
})

/**
 * A session that defers statistics sets a timer of 10 s, with which PGlite keeps the process alive. PostgreSQL sets no
 * other timer after it has sent the statistics, but it ends an earlier one only to set one that comes sooner.
 */
async function endTimer (pglite: PGlite): Promise<void> {
  await pglite.exec("set statement_timeout = '10ms'")
  await pglite.exec('select pg_stat_force_next_flush()')
}

/** The fixtures are as new if no transaction has written since then. */
async function describePglite (pglite: PGlite, template: string | undefined): Promise<string> {
  const sql = template !== undefined && template === process.env.PGLITE_FIXTURES
    ? 'select pg_snapshot_xmax(pg_current_snapshot())::text as outside'
    : describeOutside('array(select r::text from pg_roles r order by 1)')
  const { rows } = await pglite.query<{ outside: string }>(sql)
  return rows[0]!.outside
}

async function openPglite (options: OpenOptions): Promise<TestDatabase> {
  const prepared = wantsFixtures(options) ? process.env.PGLITE_FIXTURES : undefined
  const template = prepared ?? process.env.PGLITE_TEMPLATE
  const database = await pglites.take(template)
  const orm = await PgliteORM.init(
    { entities: options.entities, driverOptions: { pglite: database.pglite }, ...options.orm } as object
  ) as unknown as MikroORM
  if (!prepared) await fill(orm, options)
  return {
    name: 'pglite', orm, url: undefined,
    close: async () => {
      await orm.close(true)
      await pglites.giveBack(template, database)
    },
  }
}

interface OpenPostgres extends OwnDatabase {
  /** What outlives `EMPTY`. */
  readonly asNew: unknown
}

const postgresDatabases = new KeptDatabases<OpenPostgres>({
  async open (template) {
    const database = await createDatabase(template)
    return { ...database, asNew: await ask(database.url, describeOutside()) }
  },
  async restore ({ url, asNew }, template) {
    // nothing tells whether a copy of the fixtures has been changed
    if (template !== undefined) return false
    return await ask(url, `${EMPTY}; ${describeOutside()}`) === asNew
  },
  close: ({ drop }) => drop(),
})

/** A private database on the server at DATABASE_URL. */
async function openPostgres (options: OpenOptions): Promise<TestDatabase> {
  const prepared = wantsFixtures(options) ? process.env.POSTGRES_FIXTURES : undefined
  const database = await postgresDatabases.take(prepared)
  const { url } = database
  const orm = await MikroORM.init({
    entities: options.entities, clientUrl: url, pool: { min: 0, max: 5 }, ...options.orm,
  })
  if (!prepared) await fill(orm, options)
  return {
    name: 'postgres', orm, url,
    close: async () => {
      await orm.close(true)
      await postgresDatabases.giveBack(prepared, database)
    },
  }
}

/** Empty databases by URL, for programs that open their own. `close` removes one after the program has closed it. */
export const newDatabases: ReadonlyArray<
  {
    readonly name: DatabaseName,
    readonly skip: string | false,
    readonly open: () => Promise<{ url: string, close: () => Promise<void> }>,
  }
> = [
  {
    name: 'pglite',
    skip: skipReasons.pglite,
    async open () {
      const copy = copyTemplate()
      return {
        url: copy === undefined ? 'pglite://memory' : `pglite://${copy.folder}`,
        close: async () => copy?.remove(),
      }
    },
  },
  {
    name: 'postgres',
    skip: skipReasons.postgres,
    async open () {
      const { url, drop } = await createDatabase()
      return { url, close: drop }
    },
  },
]

/** Creates the tables and the seed's rows. */
export async function fill (orm: MikroORM, { tables, seed }: Pick<OpenOptions, 'tables' | 'seed'>): Promise<void> {
  await (tables === undefined ? orm.schema.create() : orm.em.getConnection().executeDump(tables))
  if (!seed) return
  const em = orm.em.fork()
  await seed(em)
  await em.flush()
}

/**
 * The folder of an empty PGlite database, for a test that opens it itself. It is removed when the test ends, so close
 * the database in a teardown that you add later. A database in memory would take two seconds to create.
 */
export function pgliteFolder (t: Pick<Test, 'teardown'>): string {
  const { folder, remove } = copyTemplate() ?? newFolder()
  t.teardown(remove)
  return folder
}

/** A folder for a file that is run alone. It is not the test's `testdir()`, which the test may fill itself. */
function newFolder (): ReturnType<typeof copyTemplate> & {} {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pglite-'))
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) }
}

/** The URL of such a folder. */
export function pgliteUrl (t: Pick<Test, 'teardown'>): string {
  return `pglite://${pgliteFolder(t)}`
}

/**
 * A copy of a PGlite folder, by default of the run's empty one. It is beside the original, so that it is removed with
 * the run even if this process dies. `undefined` without a folder to copy.
 */
export function copyTemplate (
  template = process.env.PGLITE_TEMPLATE
): { folder: string, remove: () => void } | undefined {
  if (!template) return undefined
  const folder = path.join(path.dirname(template), `pglite-${randomBytes(6).toString('hex')}`)
  // hundreds of small files: the asynchronous form takes three times as long
  fs.cpSync(template, folder, { recursive: true })
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) }
}

interface OwnDatabase {
  readonly name: string
  readonly url: string
  /** Fails while a client is still connected to it. */
  readonly drop: () => Promise<void>
}

/** A database on a server, by default the one at DATABASE_URL: empty, or a copy of `template`. */
export async function createDatabase (template?: string, server = process.env.DATABASE_URL!): Promise<OwnDatabase> {
  const url = new URL(server)
  const name = `crud_kit_test_${randomBytes(6).toString('hex')}`
  await ask(server, `create database ${name}${template ? ` template ${template}` : ''}`)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    drop: async () => {
      await ask(server, `drop database if exists ${name}`)
    },
  }
}

/** The first value that the last of some statements answers. */
async function ask (connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const results = [await client.query({ text: sql, rowMode: 'array' })].flat()
    return results.at(-1)!.rows[0]?.[0]
  } finally {
    await client.end()
  }
}
