/** The API accepts everything that the explorer's document offers, and refuses what the document leaves out. */
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { entities as exampleEntities } from '../../example/entities/index.ts'
import { resources as exampleResources } from '../../example/resources/index.ts'
import type { ExplorerDescription } from '../../plugins/explorer.ts'
import { entities } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import {
  access, entities as accessEntities, overview, resources as accessResources, seed as accessSeed,
} from '../http/access/fixtures.ts'
import { describedBy, explored, resources } from './nursery.ts'
import { flat, listed, offered, offeredNumbers, refused, refusedNumbers } from './walk.ts'

type Headers = Readonly<Record<string, string>>

/** Sends what a document offers and what it leaves out, and returns the number of requests. */
async function walk (t: Test, app: FastifyInstance, headers: Headers = {}): Promise<number> {
  const document = await describedBy(app, headers)
  const wrong: string[] = []
  let sent = 0
  const send = async (url: string, status: number): Promise<void> => {
    sent++
    const response = await app.inject({ url, headers })
    if (response.statusCode !== status) wrong.push(`${url}: ${response.statusCode} ${response.body.slice(0, 300)}`)
  }
  for (const resource of listed(document)) {
    for (const query of offered(resource)) await send(`${resource.path}?${query}`, 200)
    for (const query of refused(resource)) await send(`${resource.path}?${query}`, 400)
    if (!resource.operations.aggregate) continue
    for (const query of offeredNumbers(resource)) await send(`${resource.path}/aggregate?${query}`, 200)
    for (const query of refusedNumbers(resource)) await send(`${resource.path}/aggregate?${query}`, 400)
  }
  t.strictSame(wrong, [])
  t.ok(sent > 0, `${sent} requests`)
  return sent
}

/** Follows the keys, references and lists of the records that a server has. */
async function follow (t: Test, app: FastifyInstance, headers: Headers = {}): Promise<void> {
  const document = await describedBy(app, headers)
  const get = async (url: string): Promise<any> => {
    const response = await app.inject({ url, headers })
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
    return response.json()
  }
  const find = (path: string): ExplorerDescription['resources'][number] =>
    document.resources.find((resource) => resource.path === path)!
  let followed = 0
  for (const resource of listed(document)) {
    const toMany = flat(resource.includes).filter((include) =>
      include.kind === 'relation' && include.many && include.allowed && !include.path.includes('.')
    )
    const query = toMany.length === 0 ? '' : `?include=${toMany.map(({ path }) => path).join()}`
    const { items } = await get(`${resource.path}${query}`)
    for (const item of items) {
      if (resource.operations.get) {
        const key = resource.key.map(({ field, member }) => member === null ? item[field] : item[field][member])
        t.match(await get(`${resource.path}/${key.map(encodeURIComponent).join('/')}`), {}, 'the record by its key')
      }
      for (const { name, reference } of resource.fields) {
        const target = reference?.resource
        if (!target || item[name] === null || !find(target).operations.get) continue
        const answer = await app.inject({ url: `${target}/${encodeURIComponent(item[name])}`, headers })
        t.ok([200, 404].includes(answer.statusCode), 'a reference, which may be deleted')
      }
      for (const include of toMany) {
        if (include.kind !== 'relation' || include.list === null) continue
        const { resource: path, parameter, field } = include.list
        const value = encodeURIComponent(item[field])
        const status = path === '/plants' ? '&filter[status]=all' : ''
        const list = await get(`${path}?${encodeURIComponent(parameter)}=${value}${status}`)
        const target = find(path)
        const keysOf = (records: readonly any[]) =>
          records.map((record) =>
            target.key.map(({ field }) => JSON.stringify(record[field]?.id ?? record[field])).join()
          )
            .sort()
        if (list.total <= target.paging.defaultPerPage) {
          t.strictSame(keysOf(list.items), keysOf(item[include.name]), `${resource.path}: ${include.path}`)
          followed++
        }
      }
    }
  }
  t.ok(followed > 0, `${followed} lists`)
}

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('the server accepts every request that the document of the nursery offers', async (t) => {
    const app = await explored(t, orm, { resources })
    t.ok(await walk(t, app) > 1000)
    await follow(t, app)
  })
})

await forOneDatabase(t, { entities: exampleEntities }, async (t, { orm }) => {
  t.test('the server accepts every request that the document of the example offers', async (t) => {
    await walk(t, await explored(t, orm, { resources: exampleResources }))
  })
})

await forOneDatabase(t, { entities: accessEntities, seed: accessSeed }, async (t, { orm }) => {
  t.test('the server accepts every request that the document of a role offers', async (t) => {
    const app = await explored(t, orm, {
      resources: { ...accessResources, '/overview': { ...overview, name: 'overview' } },
      access,
      shared: accessEntities.map(({ name }) => name),
    })
    for (const role of ['admin', 'member', 'guest']) await walk(t, app, { 'x-role': role, 'x-tenant': '1' })
    await follow(t, app, { 'x-role': 'member', 'x-tenant': '1' })
  })
})
