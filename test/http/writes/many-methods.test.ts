import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import {
  AllowedFilters, CrudBase, parseQueryParams, withTransaction, type CrudContext, type CrudRecord,
} from '../../../src/index.ts'
import { entities, Offer, Plant, Shelf, Tag } from '../../fixtures/entities.ts'
import { seed } from '../../fixtures/seed.ts'
import { forEachDatabase, forPostgres } from '../../helpers/databases.ts'
import { until } from '../../helpers/until.ts'
import { select, serve, verdict, writes } from '../helper.ts'

/** An entity whose lifecycle hooks need the unit of work. */
const Bale = defineEntity({
  name: 'Bale',
  properties: {
    id: p.integer().primary().autoincrement(), name: p.string().unique(), weight: p.integer(),
    seen: p.integer().default(0), version: p.integer().version(),
  },
  hooks: {
    beforeUpdate: [({ entity }: any) => {
      entity.seen++
    }],
    beforeDelete: [({ entity }: any) => {
      if (entity.weight > 8) throw Object.assign(new Error('too heavy'), { statusCode: 418 })
    }],
  },
})

const TAG_FILTERS = { allowedFilters: [AllowedFilters.exact('name'), new AllowedFilters('id', 'in', ['in', 'gt'])] }

class Tags extends CrudBase {
  readonly heard: unknown[] = []

  constructor () {
    super({ model: Tag, writable: ['weight'], queryConfig: TAG_FILTERS })
  }

  override beforeUpdate (id: unknown, data: CrudRecord): CrudRecord {
    this.heard.push(['beforeUpdate', id])
    return data
  }

  override beforeDelete (id: unknown): void {
    this.heard.push(['beforeDelete', id])
  }
}

class ManyTags extends Tags {
  override async beforeUpdateMany (data: CrudRecord, { request, by }: CrudContext): Promise<CrudRecord> {
    this.heard.push([data, request?.method ?? by])
    if (data.weight === 666) throw Object.assign(new Error('no'), { statusCode: 422 })
    return data.weight === 7 ? { ...data, name: 'seven' } : data
  }

  override beforeDeleteMany ({ by }: CrudContext): void {
    this.heard.push(['beforeDeleteMany', by])
  }
}

const bales = (): CrudBase =>
  new CrudBase({
    model: Bale, writable: 'all',
    queryConfig: { allowedFilters: [new AllowedFilters('weight', 'gt', ['eq', 'gt', 'lt'])] },
  })

await forEachDatabase(t, { entities: [...entities, Bale], seed }, async (t, { orm }) => {
  const tags = new ManyTags()
  const params = parseQueryParams
  const app = await serve(t, orm, {
    '/tags': { crud: tags, operations: ['updateMany', 'deleteMany'] },
    '/bales': { crud: bales(), operations: ['list', 'createMany', 'updateMany', 'deleteMany'], maxAffected: 3 },
    '/own': {
      crud: new class extends CrudBase {
        constructor () {
          super({ model: Tag, writable: 'all', queryConfig: TAG_FILTERS })
        }

        override updateMany (...[session, params, data, options]: any[]): any {
          return super.updateMany(session, params, { ...data, weight: 70 }, options)
        }

        override deleteMany (): any {
          return { affected: 'many' }
        }
      }(),
      operations: ['updateMany', 'deleteMany'],
    },
  })
  const { patch, remove, post } = writes(app)

  t.test('runs the hooks for many once, and none for a dry run', async (t) => {
    t.same((await patch('/tags?filter[id]=1,2&dry_run=true', { weight: 4 })).json(), { affected: 2 })
    t.same((await remove('/tags?filter[id]=1,2&dry_run=true')).json(), { affected: 2 })
    t.strictSame(tags.heard, [])
    t.same((await patch('/tags?filter[id]=1,2', { weight: 4 })).json(), { affected: 2 })
    t.strictSame(tags.heard.splice(0), [[{ weight: 4 }, 'PATCH']])
    t.equal(verdict(await patch('/tags?filter[id]=1,2', { weight: 666 })), '422')
    t.equal(verdict(await patch('/tags?filter[id]=1,2', { weight: 7 })), '409 FST_CRUD_CONFLICT /name')
    t.same((await patch('/tags?filter[id]=2', { weight: 7 })).json(), { affected: 1 })
    t.strictSame(await select(orm, 'select name, weight from tag where id < 3 order by id'), [
      { name: 'sun', weight: 4 },
      { name: 'seven', weight: 7 },
    ])
    tags.heard.length = 0
    const em = orm.em.fork()
    const options = { context: { by: 'me' }, scope: { id: { $lt: 5 } } }
    t.same(await tags.deleteMany(em, params('filter[id][gt]=2'), options), { affected: 1 })
    t.same(await tags.updateMany(em, params('filter[id][gt]=2'), {}, { ...options, values: { weight: 1 } }), {
      affected: 0,
    }, 'a deleted record stays')
    t.same(
      await tags.updateMany(em, params('filter[id][gt]=2'), {}, {
        ...options, values: { weight: 1 }, includeDeleted: true,
      }),
      { affected: 2 }
    )
    t.strictSame(tags.heard, [['beforeDeleteMany', 'me'], [{ weight: 1 }, 'me'], [{ weight: 1 }, 'me']])
  })

  t.test('refuses calls that cannot work, and says why', async (t) => {
    const em = orm.em.fork()
    const crud = new Tags()
    for (const [call, message] of [
      [() => crud.updateMany(em, params('filter[id]=1'), { weight: 1 }),
        /'updateMany' does not run 'beforeUpdate': declare 'beforeUpdateMany \(data, context\)' in Tags/],
      [() => crud.deleteMany(em, params('filter[id]=1')), /declare 'beforeDeleteMany \(context\)' in Tags/],
      [() => tags.deleteMany(em, undefined as never), /takes query parameters as 'params'/],
      [() => tags.deleteMany(em, params('filter[id]=1'), { maxAffected: 0 }),
        /'maxAffected' must be an integer, at least 1/],
      [() => tags.deleteMany(em, params('filter[id]=1'), { ifMatch: '*' } as never), /ifMatch/],
      [() => tags.updateMany(em, params('filter[id]=1'), {}, { dryRun: 'yes' } as never), /'dryRun' must be a boolean/],
      [() => tags.updateMany(em, params('filter[id][gt]=0'), { weight: 1 }, { maxAffected: 1, includeDeleted: true }),
        /More than 1 record match/],
      [() => tags.updateMany(em, params('filter[id][gt]=0'), { name: 'x' }), /name/],
    ] as ReadonlyArray<readonly [() => Promise<unknown>, RegExp]>) await t.rejects(call(), { message })
    for (
      const [options, message] of [
        [{ crud, operations: ['updateMany'] }, /^The resource \/x: 'updateMany' does not run 'beforeUpdate': declare/],
        [{ crud, operations: ['deleteMany'] }, /'beforeDeleteMany \(context\)' in Tags/],
        [{ crud: new CrudBase({ model: Tag }), operations: ['deleteMany'] },
          /'deleteMany' needs a filter in 'allowedFilters' that can leave out records\.$/],
        [{
          crud: new CrudBase({ model: Tag, queryConfig: { allowedFilters: [AllowedFilters.trashed()] } }),
          operations: ['deleteMany'],
        }, /'deleteMany' needs a filter/],
        [{ crud: new CrudBase({ model: Tag, queryConfig: TAG_FILTERS }), operations: ['updateMany'] },
          /'updateMany' needs "writable"/],
        [{ crud: tags, operations: ['deleteMany'], maxAffected: 0 }, /maxAffected/],
        [{
          crud: new class extends CrudBase {
            beforeUpdateMnay (): void {}
          }({ model: Tag }),
        }, /Did you mean 'beforeUpdateMany'/],
      ] as ReadonlyArray<readonly [any, RegExp]>
    ) await t.rejects(serve(t, orm, { '/x': options }), { code: 'FST_CRUD_CONFIG_INVALID', message })
    t.equal(verdict(await remove('/own?filter[id]=1')), '500 FST_CRUD_CONFIG_INVALID')
    t.same((await patch('/own?filter[id]=1', { weight: 1 })).json(), { affected: 1 })
    t.equal(verdict(await patch('/own?filter[id]=1', { weight: 1 }, { 'if-match': '"1"' })),
      '412 FST_CRUD_PRECONDITION_FAILED')
    t.strictSame(await select(orm, 'select weight from tag where id = 1'), [{ weight: 70 }])
  })

  t.test('writes through the unit of work where lifecycle hooks need it, all or nothing', async (t) => {
    await post('/bales', [1, 2, 3, 9].map((weight) => ({ name: `bale ${weight}`, weight })))
    const rows = () => select(orm, 'select weight, seen, version from bale order by id')
    t.same((await patch('/bales?filter[weight][lt]=3', { weight: 4 })).json(), { affected: 2 })
    t.strictSame(await rows(), [
      { weight: 4, seen: 1, version: 2 },
      { weight: 4, seen: 1, version: 2 },
      { weight: 3, seen: 0, version: 1 },
      { weight: 9, seen: 0, version: 1 },
    ])
    t.equal(verdict(await patch('/bales?filter[weight][gt]=0', { weight: 4 })), '400 FST_CRUD_TOO_MANY')
    t.equal(verdict(await patch('/bales?filter[weight][gt]=3', { name: 'x' })), '409 FST_CRUD_CONFLICT /name')
    t.equal(verdict(await remove('/bales?filter[weight][gt]=3')), '418', 'a hook refuses the last one')
    t.same((await remove('/bales?filter[weight][gt]=3&dry_run=true')).json(), { affected: 3 })
    t.equal((await rows()).length, 4)
    t.same((await remove('/bales?filter[weight][lt]=5')).json(), { affected: 3 })
    t.strictSame(await rows(), [{ weight: 9, seen: 0, version: 1 }])
  })

  t.test("joins the caller's transaction, which a refusal of the statement does not end", async (t) => {
    const shelves = new CrudBase({
      model: Shelf, writable: 'all', queryConfig: { allowedFilters: [AllowedFilters.exact('house')] },
    })
    const before = await select(orm, 'select * from shelf order by house, number')
    await t.rejects(
      withTransaction()(async (em) => {
        t.same(await shelves.updateMany(em, params('filter[house]=A'), { capacity: 77 }), { affected: 2 })
        await t.rejects(shelves.deleteMany(em, params('filter[house]=A'), { maxAffected: 1 }), {
          code: 'FST_CRUD_TOO_MANY',
        })
        const scope = { capacity: { $lt: 100 } }
        await t.rejects(shelves.updateMany(em, params('filter[house]=A'), { capacity: 100 }, { scope }), {
          code: 'FST_CRUD_OUT_OF_SCOPE',
        })
        t.same(await shelves.deleteMany(em, params('filter[house]=B')), { affected: 1 })
        t.equal(await shelves.count(em, params('filter[house]=A')), 2)
        throw new Error('changed my mind')
      })(orm.em.fork()),
      /changed my mind/
    )
    t.strictSame(await select(orm, 'select * from shelf order by house, number'), before)
  })

  t.test('a scope on related rows of the same table is checked in the transaction', async (t) => {
    const plants = new CrudBase({
      model: Plant, writable: 'all', queryConfig: { allowedFilters: [new AllowedFilters('id', 'in', ['in'])] },
    })
    const scope = { supplier: { plants: { name: 'Lavender' } } }
    const em = orm.em.fork()
    const some = params('filter[id]=3,4,6')
    t.same(await plants.updateMany(em, some, { description: 's' }, { scope }), { affected: 2 })
    await t.rejects(plants.updateMany(em, some, { supplier: 2 }, { scope }), { code: 'FST_CRUD_OUT_OF_SCOPE' })
    t.strictSame(await select(orm, 'select supplier_id from plant where id in (3, 6)'), [
      { supplier_id: 1 },
      { supplier_id: 1 },
    ])
  })

  t.test("MikroORM's filters for updates and deletes hold", async (t) => {
    const offers = new CrudBase({
      model: Offer, writable: 'all', queryConfig: { allowedFilters: [new AllowedFilters('id', 'gt', ['gt'])] },
    })
    const em = orm.em.fork()
    em.addFilter({
      name: 'mine', cond: (_args: unknown, type: string) => type === 'delete' ? { branch: 'north' } : {}, entity: Offer,
      args: false,
    } as never)
    t.same(await offers.deleteMany(em, params('filter[id]=0'), { dryRun: true }), { affected: 1 })
    t.same(await offers.updateMany(em, params('filter[id]=0'), { price: 3 }), { affected: 3 })
    t.same(await offers.deleteMany(em, params('filter[id]=0')), { affected: 1 })
  })
})

// PGlite runs one statement after the other
await forPostgres(t, 'beside other connections', { entities: [...entities, Bale], seed }, async (t, { orm }) => {
  const tags = new CrudBase({
    model: Tag, writable: 'all', queryConfig: { allowedFilters: [AllowedFilters.exact('weight')] },
  })
  const app = await serve(t, orm, {
    '/tags': { crud: tags, operations: ['updateMany', 'deleteMany'], maxAffected: 3 },
    // with the default of maxAffected
    '/bales': { crud: bales(), operations: ['updateMany', 'deleteMany'] },
    '/hundred': { crud: tags, operations: ['updateMany', 'deleteMany'] },
  })
  const { patch, remove } = writes(app)
  const waiting = async (): Promise<boolean> =>
    (await select(
      orm,
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    ))
      .length > 0
  /** Sends a request while another transaction holds a row that it waits for. */
  const beside = async (
    change: string,
    send: () => ReturnType<typeof patch>,
    late: string
  ): Promise<{ readonly answer: unknown, readonly rows: unknown }> => {
    await select(orm, 'delete from plant_tags')
    await select(orm, 'delete from tag')
    await select(orm,
      "insert into tag (id, name, weight) select n, 'tag ' || n, (n < 4)::int * 5 from generate_series(1, 6) n")
    const em = orm.em.fork()
    await em.begin()
    await em.execute(change)
    const sent = send()
    await until(waiting)
    await select(orm, late)
    await em.commit()
    const answer = await sent
    return {
      answer: answer.statusCode === 200 ? answer.json() : verdict(answer),
      rows: (await select(orm, 'select id, weight from tag where deleted_at is null order by id'))
        .map(({ id, weight }) => [id, weight]),
    }
  }

  t.test('a row that begins to match while the statement waits is not written', async (t) => {
    const late = 'update tag set weight = 5 where id in (4, 5, 6)'
    t.strictSame(
      await beside("update tag set name = 'x' where id = 2", () => patch('/tags?filter[weight]=5', { weight: 9 }),
        late),
      { answer: { affected: 3 }, rows: [[1, 9], [2, 9], [3, 9], [4, 5], [5, 5], [6, 5]] }
    )
    t.strictSame(await beside("update tag set name = 'x' where id = 2", () => remove('/tags?filter[weight]=5'), late), {
      answer: { affected: 3 },
      rows: [[4, 5], [5, 5], [6, 5]],
    })
  })

  t.test('a row that no longer matches when the statement gets it stays as the other left it', async (t) => {
    t.strictSame(
      await beside('update tag set weight = 6 where id = 2', () => patch('/tags?filter[weight]=5', { weight: 9 }),
        'select 1'),
      { answer: { affected: 2 }, rows: [[1, 9], [2, 6], [3, 9], [4, 0], [5, 0], [6, 0]] }
    )
    t.strictSame(await beside('delete from tag where id = 2', () => remove('/tags?filter[weight]=5'), 'select 1'), {
      answer: { affected: 2 },
      rows: [[4, 0], [5, 0], [6, 0]],
    })
  })

  for (const [path, table] of [['/hundred', 'tag'], ['/bales', 'bale']] as const) {
    t.test(`${path}: 101 matching records are too many, also beside another writer`, async (t) => {
      const deleted = table === 'tag' ? 'deleted_at is not null' : 'false'
      const rows = () =>
        select(orm, `select id, name, weight, ${deleted} as "isDeleted" from ${table} where weight <> 0 order by id`)
      const fill = async (matching: number): Promise<void> => {
        if (table === 'tag') await select(orm, 'delete from plant_tags')
        await select(orm, `delete from ${table}`)
        await select(
          orm,
          `insert into ${table} (id, name, weight)
           select n, 'n ' || n, (n <= ${matching})::int * 5 from generate_series(1, 102) n`
        )
      }
      const send = async (method: 'patch' | 'remove'): Promise<unknown> => {
        const url = `${path}?filter[weight][eq]=5`
        const answer = await (method === 'patch' ? patch(url, { weight: 7 }) : remove(url))
        return answer.statusCode === 200 ? answer.json() : verdict(answer)
      }
      for (const method of ['patch', 'remove'] as const) {
        // another writer holds one of the rows
        await fill(101)
        const before = await rows()
        const em = orm.em.fork()
        await em.begin()
        await em.execute(`update ${table} set name = 'x' where id = 50`)
        let isAnswered = false
        const refused = send(method).finally(() => {
          isAnswered = true
        })
        await until(async () => isAnswered || await waiting())
        await em.rollback()
        t.equal(await refused, '400 FST_CRUD_TOO_MANY')
        t.strictSame(await rows(), before, 'nothing has changed')

        // the other writer makes a record match while the request waits
        await fill(100)
        await em.begin()
        await em.execute(`update ${table} set name = 'x' where id = 50`)
        const sent = send(method)
        await until(waiting)
        await em.execute(`update ${table} set weight = 5 where id = 101`)
        await em.commit()
        t.strictSame(await sent, { affected: 100 })
        const after = await rows()
        t.equal(after.filter(({ weight }) => weight === 7).length, method === 'patch' ? 100 : 0)
        const left = after.filter(({ weight, isDeleted }) => weight === 5 && !isDeleted).map(({ id }) => id)
        t.strictSame(left, [101])
      }
    })
  }

  t.test('many requests at the same time never change more than they count', async (t) => {
    await select(orm, 'delete from tag')
    await select(orm,
      "insert into tag (id, name, weight) select n, 'tag ' || n, (n < 4)::int * 5 from generate_series(1, 6) n")
    const changes = Array.from({ length: 12 }, (_, n) => ({ old: n % 2 ? 5 : 0, new: 10 + n }))
    const answers = await Promise.all(
      changes.map(async ({ old, new: weight }) => (await patch(`/tags?filter[weight]=${old}`, { weight })).json())
    )
    const rows = await select(orm, 'select id, weight from tag order by id')
    t.strictSame(answers,
      changes.map((change) => ({ affected: rows.filter(({ weight }) => weight === change.new).length })),
      'the rows are as the request that has counted them left them')
    // a request for the first three rows has an odd new value
    t.strictSame(
      rows.map(({ id, weight }) => [id, weight < 10 ? 'unchanged' : weight % 2]),
      [[1, 1], [2, 1], [3, 1], [4, 0], [5, 0], [6, 0]],
      'and each row has been changed'
    )
  })
})
