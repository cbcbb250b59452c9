/** Owned children beside other writers, and beside MikroORM's filters. */
import { defineEntity, p } from '@mikro-orm/core'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { crudKit, CrudBase } from '../../../src/index.ts'
import { forEachDatabase, forPostgres } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { select, serve, verdict, writes, type Json } from '../helper.ts'

const track = {
  id: p.integer().primary().autoincrement(), position: p.integer(), title: p.string().default(''),
  tenant: p.integer().default(1), locked: p.boolean().default(false),
}
const uniques = [{ properties: ['album', 'position'] }] as never

const Album = defineEntity({
  name: 'Album',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), version: p.integer().version(),
    tracks: () => p.oneToMany(Track).mappedBy('album'),
  },
})
/** Its table is named like a type of PostgreSQL. */
const Track = defineEntity({
  name: 'Track', tableName: 'box', properties: { ...track, album: () => p.manyToOne(Album) }, uniques,
})

/** Without a version. */
const Mix = defineEntity({
  name: 'Mix',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), tracks: () => p.oneToMany(Cut).mappedBy('album'),
  },
})
const Cut = defineEntity({
  name: 'Cut', tableName: 'cut', properties: { ...track, album: () => p.manyToOne(Mix) }, uniques,
})

/** With children that MikroORM's unit of work writes. */
const Record = defineEntity({
  name: 'Record',
  tableName: 'vinyl',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string(), version: p.integer().version(),
    tracks: () => p.oneToMany(Groove).mappedBy('album'),
  },
})
const Groove = defineEntity({
  name: 'Groove', tableName: 'groove', properties: { ...track, album: () => p.manyToOne(Record) }, uniques,
  hooks: { beforeCreate: [() => {}], beforeUpdate: [() => {}], beforeDelete: [() => {}] },
})

const entities = [Album, Track, Mix, Cut, Record, Groove]
const PARENTS = [
  { path: '/albums', model: Album, parents: 'album', children: 'box', isVersioned: true },
  { path: '/mixes', model: Mix, parents: 'mix', children: 'cut', isVersioned: false },
  { path: '/records', model: Record, parents: 'vinyl', children: 'groove', isVersioned: true },
] as const

const crud = (model: unknown): CrudBase =>
  new CrudBase({ model, writable: ['name', { tracks: ['position', 'title', 'tenant', 'locked'] }] } as never)

/** Parts of the statements of several children. A list of them is JSON, which is read by the types of the table. */
const LIST = 'json_array_elements($1::json) with ordinality as "e1" ("patch", "at") cross join lateral ' +
  'json_populate_record((select "@record" from "box" as "@record" limit 0), "e1"."patch") as "e2"'
const AT = '("e1"."at" - 1)::text as "at"'
const TRACK = 'json_build_object(\'id\', "e0"."id", \'position\', "e0"."position", \'title\', "e0"."title", ' +
  '\'tenant\', "e0"."tenant", \'locked\', "e0"."locked", \'album\', "e0"."album_id")::text as "item"'
const changed = (column: string): string =>
  `"${column}" = case when "e1"."patch" -> '${column}' is not null then "e2"."${column}" else "e0"."${column}" end`

const WRITERS = Array.from({ length: 12 }, (_, index) => index)

// PGlite has one connection
await forPostgres(t, 'beside other connections', { entities }, async (t, { orm }) => {
  const app = await serve(t, orm, Object.fromEntries(PARENTS.map(({ path, model }) => [path, crud(model)])))
  const { created, patch, remove } = writes(app)

  for (const { path, parents, children, isVersioned } of PARENTS) {
    const start = () => created(path, { name: 'a', tracks: [{ position: 1 }, { position: 2 }] }) as Promise<Json>
    const tracksOf = (id: number): Promise<Json[]> =>
      select(orm, `select id, position, title from ${children} where album_id = ${id} order by position`)
    const stateOf = async (id: number): Promise<Json> =>
      (await select(orm, `select * from ${parents} where id = ${id}`))[0]
    /** The answers of all writers, by their verdict. */
    const together = async (
      id: number,
      bodyOf: (writer: number) => Json,
      headers = {}
    ): Promise<Record<string, Json[]>> => {
      const sent = await Promise.all(WRITERS.map((writer) => patch(`${path}/${id}`, bodyOf(writer), headers)))
      return Object.groupBy(sent.map((response) => ({ verdict: verdict(response), ...response.json() })),
        (answer) => answer.verdict) as Record<string, Json[]>
    }
    const counts = (answers: Record<string, Json[]>): object =>
      Object.fromEntries(Object.entries(answers).map(([verdict, list]) => [verdict, list.length]))

    t.test(`${path}: no child of a writer is lost`, async (t) => {
      const { id, tracks: [one, two] } = await start()
      const answers = await together(id, (writer) => ({
        name: `by ${writer}`,
        tracks: {
          add: [{ position: 10 + writer, title: `by ${writer}` }],
          // in opposite orders, which would be deadlocks if writers did not wait for their turn
          update: [one, two].map(({ id }) => ({ id, title: `by ${writer}` }))
            .sort((a, b) => writer % 2 ? a.id - b.id : b.id - a.id),
        },
      }))
      t.strictSame(counts(answers), { 200: 12 })
      const [first, second, ...added] = await tracksOf(id)
      t.strictSame(added.map(({ title }) => title), WRITERS.map((writer) => `by ${writer}`))
      const { name, version } = await stateOf(id)
      t.strictSame([first.title, second.title], [name, name], 'a write is whole')
      if (!isVersioned) return
      t.equal(version, 13)
      t.strictSame(answers['200']!.map(({ version }) => version).sort((a, b) => a - b), WRITERS.map((n) => n + 2))
    })

    t.test(`${path}: what one writer takes away, no other one has`, async (t) => {
      const { id, tracks: [one] } = await start()
      const answers = await together(id, (writer) => ({
        name: `by ${writer}`,
        tracks: { remove: [one.id], add: [{ position: 10 + writer, title: `by ${writer}` }] },
      }))
      t.strictSame(counts(answers), { 200: 1, '409 FST_CRUD_CONFLICT /tracks/remove/0': 11 })
      const { name, version } = await stateOf(id)
      t.strictSame((await tracksOf(id)).map(({ title }) => title), ['', name], 'the others have written nothing')
      if (isVersioned) t.equal(version, 2)

      const same = await together(id, (writer) => ({ name: `place by ${writer}`, tracks: { add: [{ position: 99 }] } }))
      t.strictSame(counts(same), { 200: 1, '409 FST_CRUD_CONFLICT /tracks/add/0/position': 11 })
    })

    t.test(`${path}: a parent and its children go, or get another child`, async (t) => {
      const { id } = await created(path, { name: 'empty' }) as Json
      const [added, removed] = await Promise.all([
        patch(`${path}/${id}`, { tracks: { add: [{ position: 1 }] } }),
        remove(`${path}/${id}`),
      ])
      const [rows, state] = [await tracksOf(id), await stateOf(id)]
      t.ok(
        added.statusCode === 200
          ? verdict(removed) === '409 FST_CRUD_CONFLICT' && rows.length === 1 && state !== undefined
          : verdict(added) === '404 FST_CRUD_NOT_FOUND' && removed.statusCode === 200 && state === undefined,
        `${verdict(added)}, ${verdict(removed)}, ${rows.length} rows`
      )
    })

    if (!isVersioned) continue
    t.test(`${path}: one of many writers of a version wins, with all of its children`, async (t) => {
      const { id, tracks: [one] } = await start()
      const answers = await together(
        id,
        (writer) => ({
          tracks: {
            remove: [one.id],
            add: [{ position: 10 + writer, title: 'x' }, { position: 30 + writer, title: 'x' }],
          },
        }),
        { 'if-match': '"1"' }
      )
      t.strictSame(counts(answers), { 200: 1, '412 FST_CRUD_PRECONDITION_FAILED': 11 })
      t.strictSame((await tracksOf(id)).filter(({ title }) => title === 'x').map(({ id }) => id),
        answers['200']![0].tracks.map(({ id }: Json) => id))
      t.equal((await tracksOf(id)).length, 3)
    })
  }
})

await forEachDatabase(t, { entities }, async (t, { orm }) => {
  const app = newServer(t)
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const tenant = request.headers['x-tenant']
    if (tenant === undefined) return
    const entity = [Track, Groove] as never
    const cond = ({ tenant }: { readonly tenant: number }) => ({ tenant })
    request.em.addFilter({ name: 'ofTenant', entity, cond })
    const unlocked = (_: unknown, type: string) => type === 'delete' ? { locked: false } : {}
    request.em.addFilter({ name: 'unlocked', entity, cond: unlocked, args: false } as never)
    request.em.setFilterParams('ofTenant', { tenant: Number(tenant) })
  })
  await app.register(crudKit, {
    orm, indexAdvice: false, resources: { '/albums': crud(Album), '/records': crud(Record) },
  })
  await app.ready()
  const { created, patch } = writes(app)

  for (const [path, table] of [['/albums', 'box'], ['/records', 'groove']] as const) {
    t.test(`${path}: MikroORM's filters hide children, which are then like absent ones`, async (t) => {
      const { id, tracks: [own, other, locked] } = await created(path, {
        name: 'a',
        tracks: [{ position: 1 }, { position: 2, tenant: 2 }, { position: 3, locked: true }],
      }) as Json
      const rows = () => select(orm, `select * from ${table} where album_id = ${id} order by id`)
      const before = await rows()
      const mine = { 'x-tenant': '1' }
      const send = async (tracks: Json) => await patch(`${path}/${id}`, { name: 'b', tracks }, mine)
      const update = (id: number) => ({ update: [{ id: own.id, title: 'x' }, { id, title: 'x' }] })
      const remove = (id: number) => ({ remove: [own.id, id] })
      for (const [body, place] of [[update, 'update/1/id'], [remove, 'remove/1']] as const) {
        const [hidden, absent] = [await send(body(other.id)), await send(body(999_999))]
        t.equal(verdict(hidden), `409 FST_CRUD_CONFLICT /tracks/${place}`)
        t.equal(hidden.body, absent.body)
      }
      t.equal(verdict(await send(remove(locked.id))), '409 FST_CRUD_CONFLICT /tracks/remove/1')
      t.strictSame(await rows(), before, 'nothing has changed')

      const response = await send({ update: [{ id: locked.id, title: 'y' }], remove: [own.id], add: [{ position: 4 }] })
      t.equal(response.statusCode, 200, response.body)
      t.match(response.json().tracks.map(({ position, title }: Json) => [position, title]), [[3, 'y'], [4, '']])
      t.match((await rows()).map(({ position }) => position), [2, 3, 4])
      t.equal(verdict(await patch(`${path}/${id}`, { tracks: update(other.id) }, { 'x-tenant': '2' })),
        '409 FST_CRUD_CONFLICT /tracks/update/0/id', 'another tenant sees other children')
    })
  }

  t.test('each list of children is one statement, with their key, their parent and the filters', async (t) => {
    const { id, tracks: [one, two, three] } = await created('/albums', {
      name: 'a',
      tracks: [{ position: 1 }, { position: 2 }, { position: 3 }],
    }) as Json
    const statements = await recordStatements(orm, t)
    const response = await patch(`/albums/${id}`, {
      tracks: {
        add: [{ position: 4 }, { position: 5, title: 'five' }],
        update: [{ id: one.id, title: 'x' }, { id: two.id, position: 7 }],
        remove: [three.id],
      },
    }, { 'x-tenant': '1' })
    t.equal(response.statusCode, 200, response.body)
    t.strictSame(statements.texts(), [
      'begin',
      'update "album" as "e0" set "version" = "e0"."version" + 1 where "e0"."id" = $1 returning json_build_object(' +
      '\'id\', "e0"."id", \'name\', "e0"."name", \'version\', "e0"."version")::text as "item", ' +
      '("e0"."version")::text as "version"',
      `delete from "box" as "e0" using ${LIST} where "e0"."id" = "e2"."id" and "e0"."album_id" = $2 and ` +
      `"e0"."tenant" = $3 and "e0"."locked" = $4 and "e0"."tenant" = $5 returning ${TRACK}, ${AT}`,
      `update "box" as "e0" set ${changed('title')}, ${changed('position')} from ${LIST} ` +
      `where "e0"."id" = "e2"."id" and "e0"."album_id" = $2 and "e0"."tenant" = $3 returning ${TRACK}, ${AT}`,
      'insert into "box" as "e0" ("position", "album_id", "title") values ($1, $2, default), ($3, $4, $5) ' +
      `returning ${TRACK}, "e0"."id"::text as "key0"`,
      'commit',
    ])
  })
})
