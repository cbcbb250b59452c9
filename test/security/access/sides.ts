/** Two servers that differ only in what a role may not see, and what their clients learn from a series of requests. */
import type { PGlite } from '@electric-sql/pglite'
import swagger from '@fastify/swagger'
import { MikroORM as PgliteORM } from '@mikro-orm/pglite'
import { MikroORM } from '@mikro-orm/postgresql'
import Fastify, { type FastifyInstance } from 'fastify'
import { crudExplorer } from '../../../plugins/explorer.ts'
import { crudKit, type CrudKitOptions } from '../../../src/index.ts'
import type { TestDatabase } from '../../helpers/databases.ts'
import { dataOf, insertSql, twinOf, type Data } from './data.ts'
import { entitiesFor, serial } from './entities.ts'
import { leakyCrud, type Leak } from './leaks.ts'
import { LAST_TAG, type Ask } from './requests.ts'
import { isHidden, writtenFilters, writtenRules, type Secrets } from './roles.ts'
import { ENTITIES, family, propertiesOf, sameNames, storedAs, type Naming } from './shape.ts'
import { resourcesFor, usualCrud } from './whitelists.ts'

/** An answer as its client receives it. */
export interface Heard {
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

interface Side {
  /** Replaces the rows, sends the requests and returns the answers. */
  readonly hear: (data: Data, asks: readonly Ask[]) => Promise<Heard[]>
  readonly close: () => Promise<void>
}

/** Names that resemble no other name, for everything that the role may not see. An entity has the names of its base. */
function secretNaming (secrets: Secrets): Naming {
  return (entity, property) =>
    family(storedAs(entity)).every((one) => !propertiesOf(one).includes(property) || isHidden(secrets, one, property))
      ? `zzq${property.length}x${[...property].map(digit).join('')}`
      : property
}

const digit = (letter: string): string => String(letter.charCodeAt(0) % 10)

/** A database with the tables of the entities. */
export interface Database {
  /** A new ORM for it. */
  readonly openOrm: (entities: readonly unknown[]) => Promise<MikroORM>
  /** Runs several statements. */
  readonly execute: (sql: string) => Promise<unknown>
}

/** A database with the tables of the shape, for the servers of a test. */
export async function databaseOf ({ orm, url }: TestDatabase): Promise<Database> {
  const pglite = url === undefined && await orm.em.getConnection().getNativeClient() as unknown as PGlite
  const driver = pglite ? PgliteORM : MikroORM
  const where = pglite
    ? { dbName: 'memory://', driverOptions: { pglite: () => pglite } }
    : { clientUrl: url, pool: { min: 0, max: 2 } }
  return {
    openOrm: async (entities) => await driver.init({ entities: [...entities], ...where } as object) as MikroORM,
    execute: async (sql) => await orm.em.getConnection().executeDump(sql),
  }
}

async function openSide (
  database: Database,
  { secrets, leak, documents }: Rules,
  naming: Naming
): Promise<Side> {
  const models = entitiesFor(naming, writtenFilters(secrets, naming))
  const orm = await database.openOrm(Object.values(models))
  const app = Fastify()
  if (documents !== undefined) await app.register(swagger, { openapi: { openapi: '3.1.0' } })
  const written = Object.entries(writtenRules(secrets, naming))
  // an entity and those that extend it have the same rule
  const changed = new Map(written.toReversed().map(([entity, rule]) => [rule, rule && leak?.rule?.(entity, rule)]))
  const rules = Object.fromEntries(written.map(([entity, rule]) => [entity, changed.get(rule) ?? rule]))
  await app.register(crudKit, {
    orm,
    access: {
      role: () => 'member', roles: { member: rules }, ...(documents === 'ofRole' && { documentFor: 'member' }),
    },
    resources: resourcesFor(models, naming, leak === undefined ? usualCrud : leakyCrud(leak, naming)),
    indexAdvice: false, shared: [...ENTITIES],
  } as CrudKitOptions)
  if (documents !== undefined) await app.register(crudExplorer, { prefix: '/explorer', enabled: true })
  await app.ready()
  return {
    hear: async (data, asks) => {
      await database.execute(insertSql(data))
      serial.next = 1
      const heard = documents === undefined ? [] : await hearDocuments(app)
      const tags = { last: '"none"' }
      for (const ask of asks) await hearOne(app, ask, heard, tags)
      return heard
    },
    close: async () => {
      await app.close()
      await orm.close(true)
    },
  }
}

/** What documents tell the role. */
async function hearDocuments (app: FastifyInstance): Promise<Heard[]> {
  const explored = await app.inject('/explorer/resources.json')
  const documents = [
    ['OpenAPI', 200, JSON.stringify(app.swagger(), undefined, 1)],
    ['the document of the explorer', explored.statusCode, explored.body],
  ] as const
  return documents.map(([request, status, body]) => ({ request, status, headers: {}, body }))
}

/** The answer if a stream ends early because a record is too large. The client then hears no end. */
function brokenOff (error: unknown): { statusCode: number, headers: Heard['headers'], body: string } {
  if ((error as { code?: unknown }).code !== 'LIGHT_ECONNRESET') throw error
  return { statusCode: 0, headers: {}, body: 'broken off' }
}

/** How many pages are followed by their cursors. */
const PAGES = 4

/** The headers of an answer, without its time and without a tag that may depend on a time. */
function comparableHeaders (
  { method }: Ask,
  { statusCode, headers: { date: _, ...headers }, body }: Pick<Heard, 'headers' | 'body'> & { statusCode: number }
): Heard['headers'] {
  // the body that the tag is about is not there, or shows the time of a deletion
  const isUnknown = method === 'HEAD' || statusCode === 304 || body.search(GENERATED) !== -1
  return 'etag' in headers && isUnknown ? { ...headers, etag: '<etag>' } : headers
}

/** @param tags the entity tag of the last answer that had one */
async function hearOne (app: FastifyInstance, ask: Ask, heard: Heard[], tags: { last: string }): Promise<void> {
  let { url } = ask
  // a cursor of any earlier page
  const known = heard.map(({ body }) => /"next_cursor":"([^"]+)"/.exec(body)?.[1]).filter((cursor) => cursor)
  if (known.length > 0) url = url.replace('cursor=@', `cursor=${encodeURIComponent(known.at(-1)!)}`)
  const tag = ask.headers['if-none-match']
  let headers = tag === LAST_TAG ? { ...ask.headers, 'if-none-match': tags.last } : ask.headers
  for (let page = 0; page < PAGES; page++) {
    const response = await app.inject({
      method: ask.method, url, headers: { ...headers }, ...(ask.body !== undefined && { payload: ask.body as object }),
    }).catch(brokenOff)
    heard.push({
      request: `${ask.method} ${url} ${JSON.stringify(ask.headers)} ${JSON.stringify(ask.body) ?? ''}`,
      status: response.statusCode,
      headers: comparableHeaders(ask, response),
      body: response.body.replaceAll(GENERATED, '<now>'),
    })
    const own = response.headers['etag']
    if (typeof own === 'string') {
      tags.last = own
      if (ask.again === true && headers === ask.headers) {
        headers = { ...headers, 'if-none-match': own }
        continue
      }
    }
    const next = /"next_cursor":"([^"]+)"/.exec(response.body)?.[1]
    if (!ask.follow || next === undefined) return
    url = ask.url.replace(/cursor=[^&]*/, `cursor=${encodeURIComponent(next)}`)
  }
}

/** The time of a deletion, which the server sets. The rows of the tests were deleted long before. */
const GENERATED = /"20[2-9]\d-\d\d-\d\dT[\d:.]+Z"/g

/** What both servers have in common. */
export interface Rules {
  readonly secrets: Secrets
  /** A mistake that both servers make. */
  readonly leak?: Leak
  /** Whether the role reads the documents of the server first: that of its role, or that of all roles. Default: no. */
  readonly documents?: 'ofRole' | 'ofRoles' | undefined
}

export interface Visit {
  readonly asks: readonly Ask[]
  /** Seeds of the data, and of what differs on the other side. */
  readonly seed: number
  readonly otherSeed: number
}

/** Two servers with the same rules. */
interface Sides {
  /** Fills both servers with data, sends the requests of a visit to each, and returns their answers. */
  readonly hear: (visit: Visit) => Promise<readonly [one: readonly Heard[], other: readonly Heard[]]>
  readonly close: () => Promise<void>
}

export async function openSides (database: Database, rules: Rules): Promise<Sides> {
  const { secrets, leak } = rules
  // a leak of data must be found without the names
  const otherNames = leak === undefined || leak.ofNames === true ? secretNaming(secrets) : sameNames
  const sides: Side[] = []
  const close = async (): Promise<void> => {
    for (const side of sides) await side.close()
  }
  try {
    for (const naming of [sameNames, otherNames]) sides.push(await openSide(database, rules, naming))
  } catch (error) {
    await close()
    throw error
  }
  const [one, other] = sides as [Side, Side]
  return {
    hear: async ({ asks, seed, otherSeed }) => {
      const data = dataOf(seed)
      return [await one.hear(data, asks), await other.hear(twinOf(data, secrets, otherSeed), asks)]
    },
    close,
  }
}

/** The answers of two servers that are opened for one visit and closed after it. */
export async function hearBoth (database: Database, rules: Rules, visit: Visit): ReturnType<Sides['hear']> {
  const sides = await openSides(database, rules)
  try {
    return await sides.hear(visit)
  } finally {
    await sides.close()
  }
}

/** The first answer that is not the same; `undefined` if all are. */
export function difference (one: readonly Heard[], other: readonly Heard[]): string | undefined {
  const index = one.findIndex((heard, index) => JSON.stringify(heard) !== JSON.stringify(other[index]))
  if (index === -1 && one.length === other.length) return undefined
  const show = (heard: Heard | undefined): string => JSON.stringify(heard, undefined, 1) ?? 'no answer'
  return `${show(one[index])}\nis not the same as\n${show(other[index])}`
}
