/** Warnings of the server about rows that a scope does not guard. */
import { p, raw } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import Fastify from 'fastify'
import t from 'tap'
import {
  AllowedAggregate, AllowedFacet, AllowedFilters, AllowedInclude, CrudBase, crudKit, primaryKey, type CrudKitOptions,
} from '../../src/index.ts'
import { keptLog } from '../helpers/log.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

type Filters = Record<string, { name: string, cond: any, default?: boolean }>

/** New entities for each case, because filters belong to the entity. */
function entitiesOf (filters: Filters = {}, of: 'project' | 'all' = 'project') {
  const everywhere = of === 'all' ? { filters } : {}
  const Country = entity('Country', { ...primaryKey, name: p.string() }, { ...everywhere })
  const Label = entity('Label', { ...primaryKey, tenant: p.integer(), text: p.string() }, { ...everywhere })
  const Project = entity('Project', {
    ...primaryKey, tenant: p.integer(), name: p.string(), country: () => p.manyToOne(Country),
    tasks: () => p.oneToMany(Task).mappedBy('project'),
  }, { filters })
  const Task = entity('Task', {
    ...primaryKey, tenant: p.integer().nullable(), title: p.string(), project: () => p.manyToOne(Project),
    parent: () => p.manyToOne(Task).nullable(), labels: () => p.manyToMany(Label),
  }, { ...everywhere })
  return { Country, Label, Project, Task, all: [Country, Label, Project, Task] }
}

type Entities = ReturnType<typeof entitiesOf>

/** The warnings of a server, as their log lines. */
async function warningsOf (
  { all }: Entities,
  resources: CrudKitOptions['resources'],
  { shared, prepare = () => {} }: { shared?: readonly string[], prepare?: (orm: MikroORM) => void } = {}
): Promise<any[]> {
  const log = keptLog()
  const orm = new MikroORM({ entities: all as never, dbName: 'none' })
  prepare(orm)
  const app = Fastify({ logger: { level: 'warn', stream: log.stream } })
  await app.register(crudKit, { orm, resources: resources!, ...(shared && { shared }) })
  try {
    await app.ready()
  } finally {
    await app.close()
  }
  return log.lines as any[]
}

const scope = () => ({ tenant: 1 })
const tasksOf = ({ Task }: Entities, options: object = {}) =>
  new CrudBase<any>({
    model: Task, writable: ['title', 'project', 'labels'],
    queryConfig: whitelist({
      allowedIncludes: ['project.country', AllowedInclude.count('labels')],
      allowedFilters: ['project.name', AllowedFilters.search('q', ['title', 'labels.text'])],
      allowedSorts: ['project.name'],
    }),
    ...options,
  })
const unguarded = (lines: any[]) =>
  Object.fromEntries(lines.flatMap((line) => line.unguarded.map(({ entity, paths }: any) => [entity, paths])))

t.test('each unguarded entity is named with the ways to it and a rule', async (t) => {
  const entities = entitiesOf()
  const lines = await warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope } })
  t.equal(lines.length, 1, 'once')
  t.strictSame(unguarded(lines), {
    Project: ['include=project.country', 'filter[project.name]', 'sort=project.name', "'project' in bodies"],
    Country: ['include=project.country'],
    Label: ['include=labelsCount', 'filter[q]', "'labels' in bodies"],
  })
  t.match(lines[0].msg, /^The scope of \/tasks guards its own rows only\./)
  t.match(lines[0].msg,
    /Project: filters: \{ own: \{ name: 'own', cond: \(\{ tenant \}\) => \(\{ tenant \}\), default: true \} \}/)
  t.match(
    lines[0].msg,
    /shared: \['Project', 'Label'\]\. Country has no 'tenant': if all clients may use its rows, set crudKit's option shared: \['Country'\]; else give it a property that says whose a row is, and a MikroORM filter on it\.$/
  )
  t.notMatch(lines[0].msg, 'Country: filters', 'a filter on a property that is not there would make each request a 500')
})

t.test('an entity without the property is guarded through the relation that it belongs to', async (t) => {
  const Tenancy = entity('Tenancy', { ...primaryKey, tenant: p.integer() })
  const Room = entity('Room', { ...primaryKey, house: () => p.manyToOne(House) })
  const House = entity('House', { ...primaryKey, tenancy: () => p.manyToOne(Tenancy) })
  const Desk = entity('Desk', { ...primaryKey, tenant: p.integer(), room: () => p.manyToOne(Room) })
  const crud = new CrudBase<any>({ model: Desk, queryConfig: whitelist({ allowedIncludes: ['room'] }) })
  const [line] = await warningsOf({ all: [Tenancy, Room, House, Desk] } as never, {
    '/desks': { crud, scope, operations: ['list'] },
  })
  t.match(
    line.msg,
    /Room has no 'tenant': if all clients .*\['Room'\]; else give it a MikroORM filter through its relation: filters: \{ own: \{ name: 'own', cond: \(\{ tenant \}\) => \(\{ house: \{ tenancy: \{ tenant \} \} \}\), default: true \} \}\.$/
  )
})

t.test('only entities that the operations reach are named', async (t) => {
  const entities = entitiesOf()
  const pathsOf = async (...operations: any[]) =>
    unguarded(await warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope, operations } }))
  t.strictSame(await pathsOf('get'), {
    Project: ['include=project.country'], Country: ['include=project.country'], Label: ['include=labelsCount'],
  })
  t.strictSame(await pathsOf('update'), { Project: ["'project' in bodies"], Label: ["'labels' in bodies"] })
  t.strictSame(await pathsOf('delete'), {})
})

t.test('facets, groups and numbers about groups lead to entities', async (t) => {
  const entities = entitiesOf()
  const crud = tasksOf(entities, {
    queryConfig: whitelist({
      allowedFilters: ['labels.text', { labelsCount: ['gte'] }],
      allowedSorts: ['labelsCount'],
      allowedIncludes: [AllowedInclude.count('labels')],
      allowedFacets: [new AllowedFacet('project.name', { alias: 'place' })],
      allowedGroups: ['project.country.name', 'title'],
      allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('parent.title', ['min', 'max'])],
    }),
  })
  const pathsOf = async (...operations: any[]) =>
    unguarded(await warningsOf(entities, { '/tasks': { crud, scope, operations } }))
  const filters = ['filter[labels.text]', 'filter[labelsCount]']
  t.strictSame(await pathsOf('list'), {
    Label: ['include=labelsCount', ...filters, 'sort=labelsCount'],
    Project: ['facets=place'],
  })
  t.strictSame(await pathsOf('aggregate'), {
    Label: filters, Project: ['group=project.country.name'], Country: ['group=project.country.name'],
    Task: ['aggregate=parent.title.min', 'aggregate=parent.title.max'],
  })
  t.strictSame(await pathsOf('deleteMany'), { Label: filters }, 'a bulk change tells how many rows its filters find')
})

t.test('there is no warning without a scope, or for shared and guarded entities', async (t) => {
  const entities = entitiesOf()
  t.strictSame(await warningsOf(entities, { '/tasks': tasksOf(entities) }), [])
  t.strictSame(
    await warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope } }, {
      shared: ['Project', 'Country', 'Label'],
    }),
    []
  )
  const guarded = entitiesOf({ own: { name: 'own', cond: ({ tenant }: any) => ({ tenant }), default: true } }, 'all')
  t.strictSame(await warningsOf(guarded, { '/tasks': { crud: tasksOf(guarded), scope } }), [])
  t.strictSame(
    Object.keys(
      unguarded(await warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope } }, { shared: ['Country'] }))
    ),
    ['Project', 'Label']
  )
})

t.test('a filter that is the same for all users, or off, guards nothing', async (t) => {
  const cases: ReadonlyArray<readonly [filter: Filters[string], guards: boolean]> = [
    [{ name: 'own', cond: ({ tenant }: any) => ({ tenant }), default: true }, true],
    [{ name: 'own', cond: () => ({ tenant: 1 }), default: true }, true],
    [{ name: 'own', cond: ({ tenant }: any) => ({ tenant }) }, false],
    [{ name: 'own', cond: ({ tenant }: any) => ({ tenant }), default: false }, false],
    [{ name: 'softDelete', cond: { name: { $ne: null } }, default: true }, false],
    [{ name: 'public', cond: { $or: [{ tenant: 1 }, { name: 'x' }] }, default: true }, false],
    [{ name: 'own', cond: { tenant: raw("current_setting('app.tenant')::int") }, default: true }, true],
  ]
  for (const [filter, guards] of cases) {
    const entities = entitiesOf({ [filter.name]: filter })
    t.equal('Project' in unguarded(await warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope } })),
      !guards, String(filter.cond))
  }
})

t.test('filters added to the ORM count', async (t) => {
  const entities = entitiesOf()
  const add = (filter: object) =>
    warningsOf(entities, { '/tasks': { crud: tasksOf(entities), scope } }, {
      prepare: (orm) => orm.em.addFilter(filter as never),
    })
  const cond = ({ tenant }: any) => ({ tenant })
  t.strictSame(await add({ name: 'own', cond }), [])
  t.strictSame(Object.keys(unguarded(await add({ name: 'own', cond, entity: ['Project', 'Label'] }))), ['Country'])
  t.strictSame(Object.keys(unguarded(await add({ name: 'own', cond, default: false }))), [
    'Project', 'Country', 'Label',
  ])
  t.strictSame(Object.keys(unguarded(await add({ name: 'public', cond: { tenant: 1 }, entity: ['Project', 'Label'] }))),
    ['Project', 'Country', 'Label'])
  t.strictSame(
    Object.keys(unguarded(
      await add({
        name: 'own',
        cond: () => {
          throw new Error('no request')
        },
        entity: ['Project', 'Label'],
      })
    )),
    ['Country']
  )
})

t.test('the scope guards rows of the same entity only if they are the records themselves', async (t) => {
  const entities = entitiesOf()
  const crud = (writable: any) => new CrudBase<any>({ model: entities.Task, writable, queryConfig: whitelist({}) })
  t.strictSame(
    unguarded(
      await warningsOf(entities, { '/tasks': { crud: crud(['title', 'project', 'parent']), scope } }, {
        shared: ['Project'],
      })
    ),
    { Task: ["'parent' in bodies"] }
  )
  t.strictSame(
    await warningsOf(entities, { '/tasks': { crud: crud(['title']), scope, operations: ['list', 'get', 'update'] } }),
    [],
    'nothing leads anywhere'
  )
  t.strictSame(
    await warningsOf(entities, {
      '/tasks': { crud: crud(['title', 'parent']), scope, operations: ['list', 'get', 'delete'] },
    }),
    [],
    'no bodies'
  )
  t.strictSame(
    unguarded(
      await warningsOf(entities, {
        '/tasks': { crud: crud({ create: ['title', 'project'], update: ['parent'] }), scope, operations: ['update'] },
      })
    ),
    { Task: ["'parent' in bodies"] },
    'bodies of the routes that there are'
  )
})

t.test('a name that is not an entity stops start-up', async (t) => {
  const entities = entitiesOf()
  await t.rejects(warningsOf(entities, {}, { shared: ['Contry'] }), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: "crudKit: 'shared' names 'Contry', which is not an entity of the ORM. Did you mean 'Country'?",
  })
  await t.rejects(warningsOf(entities, {}, { shared: 'Country' as never }), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: /shared: expected array, got 'Country'$/,
  })
})

t.test('estimated totals of all rows are refused if rows are hidden', async (t) => {
  const of = (pagination: object, filters?: Filters) => {
    const entities = entitiesOf(filters)
    return { entities, crud: new CrudBase<any>({ model: entities.Project, queryConfig: whitelist({ pagination }) }) }
  }
  const refused = {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: /count: 'planned' and a (scope|MikroORM filter) cannot be combined/,
  }
  const start = ({ entities, crud }: ReturnType<typeof of>, options = {}) =>
    warningsOf(entities, { '/projects': { crud, operations: ['list'], ...options } })
  await t.rejects(start(of({ count: 'planned' }), { scope }), refused)
  await t.rejects(
    start(of({ count: 'planned' }, { own: { name: 'own', cond: ({ tenant }: any) => ({ tenant }), default: true } })),
    refused
  )
  for (const one of [of({ count: 'planned', estimateAllRows: true }), of({ count: 'exact' }), of({ count: 'none' })]) {
    t.strictSame(await start(one, { scope }), [])
  }
  t.strictSame(await start(of({ count: 'planned' })), [])
  const { entities, crud } = of({ count: 'planned' })
  const orm = new MikroORM({ entities: entities.all as never, dbName: 'none' })
  await t.rejects(crud.list(orm.em.fork(), undefined, { scope: { tenant: 1 } }), refused)
  const em = orm.em.fork()
  em.addFilter({ name: 'own', entity: entities.Project as never, cond: { tenant: 1 } as never })
  await t.rejects(crud.list(em), refused)
})

t.test('an estimate covers the rows of filters, and ignores includes and sorts', async (t) => {
  const Owner = entity('Owner', { ...primaryKey, tenant: p.integer(), name: p.string() }, {
    filters: { own: { name: 'own', cond: { tenant: 1 }, default: true } },
  })
  const Garden = entity('Garden', { ...primaryKey, name: p.string(), owner: () => p.manyToOne(Owner) })
  const bind = (queryConfig: object): CrudBase<any> => {
    const crud = new CrudBase<any>({
      model: Garden,
      queryConfig: whitelist({ pagination: { count: 'planned' }, ...queryConfig }),
    })
    crud.bind(new MikroORM({ entities: [Garden, Owner], dbName: 'none' }).em.fork())
    return crud
  }
  t.throws(() => bind({ allowedFilters: ['owner.name'] }), {
    code: 'FST_CRUD_CONFIG_INVALID',
    message: /^The resource of Garden: count: 'planned' and a MikroORM filter cannot be combined/,
  })
  bind({ allowedFilters: ['owner'], allowedIncludes: ['owner'] })
  bind({ allowedSorts: ['owner.name'] })
})
