/** Entities of two tenants, a server whose roles may use some of them, and requests of users. */
import { defineEntity, p } from '@mikro-orm/core'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  crudKit, type AccessOptions, type CrudKitOptions, type RoleRules,
} from '../../../src/index.ts'
import type { Include } from '../../../src/config/index.ts'
import { newServer } from '../../helpers/server.ts'

const id = { id: p.integer().primary().autoincrement() }

export const User = defineEntity({
  name: 'User',
  properties: { ...id, tenant: p.integer(), name: p.string(), salary: p.integer().default(0) },
})
export const Project = defineEntity({
  name: 'Project',
  properties: {
    ...id, tenant: p.integer(), name: p.string(), budget: p.integer().default(0), status: p.string().default('open'),
    owner: () => p.manyToOne(User).nullable(), parent: () => p.manyToOne(Project).nullable(),
    tasks: () => p.oneToMany(Task).mappedBy('project').orderBy({ effort: 'desc' }), labels: () => p.manyToMany(Label),
    version: p.integer().version(),
  },
})
export const Task = defineEntity({
  name: 'Task',
  properties: {
    ...id, tenant: p.integer(), title: p.string(), note: p.string().default(''), effort: p.integer().default(0),
    project: () => p.manyToOne(Project).nullable(), deleted_at: p.datetime(3).nullable(),
  },
})
export const Label = defineEntity({ name: 'Label', properties: { ...id, tenant: p.integer(), name: p.string() } })
export const Country = defineEntity({
  name: 'Country',
  properties: { code: p.string().primary(), name: p.string(), population: p.integer() },
})
export const entities = [User, Project, Task, Label, Country]

/** Records of the tenants 1 and 2, with the same texts. */
export async function seed (em: EntityManager): Promise<void> {
  for (const tenant of [1, 2]) {
    const ann = em.create(User, { tenant, name: 'Ann', salary: 100 * tenant })
    const labels = ['red', 'blue'].map((name) => em.create(Label, { tenant, name }))
    const apollo = em.create(Project, {
      tenant, name: 'Apollo', budget: 10 * tenant, status: 'open', owner: ann, labels,
    })
    const gemini = em.create(Project, { tenant, name: 'Gemini', budget: 30, status: 'closed', parent: apollo })
    em.create(Task, { tenant, title: 'Land', note: 'moon', effort: 1, project: apollo })
    em.create(Task, { tenant, title: 'Launch', note: 'sea', effort: 5, project: apollo })
    em.create(Task, { tenant, title: 'Dock', note: 'moon', effort: 3, project: gemini, deleted_at: new Date(0) })
    await em.flush()
  }
  em.create(Country, { code: 'AT', name: 'Austria', population: 9 })
  em.create(Country, { code: 'CH', name: 'Switzerland', population: 8 })
}

/** All that the tests use, for resources that the roles limit. */
export const projects = new CrudBase<any>({
  model: Project,
  writable: 'all',
  queryConfig: {
    allowedFilters: [
      AllowedFilters.exact('name'),
      new AllowedFilters('budget', 'gte', ['gte', 'eq', 'isnull']),
      AllowedFilters.exact('status').default('open'),
      AllowedFilters.exact('owner'),
      AllowedFilters.exact('owner.name'),
      AllowedFilters.exact('tasks.title'),
      AllowedFilters.exact('parent.budget'),
      AllowedFilters.search('q', ['name', 'owner.name', 'status']),
      AllowedFilters.anyOf('any', [AllowedFilters.exact('name'), AllowedFilters.exact('budget')]),
      AllowedFilters.custom('named', (qb: any, value: any) => qb.andWhere({ name: value })),
    ],
    allowedSorts: [
      new AllowedSort('name'), new AllowedSort('budget'), new AllowedSort('owner.name'),
      new AllowedSort('status', 'budget', { alias: 'state' }),
    ],
    allowedFields: ['id', 'name', 'budget', 'owner', 'tasks.title', 'tasks.effort'].map((name) =>
      new AllowedField(name)
    ),
    allowedIncludes: [
      new AllowedInclude('owner'), new AllowedInclude('parent'), new AllowedInclude('tasks'),
      new AllowedInclude('tasks.project'), new AllowedInclude('labels'), AllowedInclude.count('tasks'),
      AllowedInclude.exists('owner'), AllowedInclude.sum('tasks.effort'),
    ],
    defaultSort: ['-budget', 'name'],
  },
})
/** Projects for questions about many of them. */
export const overview = {
  crud: new CrudBase<any>({
    model: Project,
    queryConfig: {
      allowedFilters: [
        AllowedFilters.exact('name'), new AllowedFilters('budget', 'gte', ['gte', 'isnull']),
        AllowedFilters.exact('owner.name'), AllowedFilters.exact('parent.name'), AllowedFilters.exact('tasks.title'),
        new AllowedFilters('tasksCount', 'gte'), new AllowedFilters('tasksEffortSum', 'gte'),
      ],
      allowedSorts: [new AllowedSort('id'), new AllowedSort('tasksEffortSum')],
      allowedFields: [new AllowedField('id')],
      allowedIncludes: [AllowedInclude.count('tasks'), AllowedInclude.sum('tasks.effort')],
      allowedFacets: ['status', 'budget', 'owner.name', 'parent.name', 'parent.budget'].map((path) =>
        new AllowedFacet(path)
      ),
      allowedGroups: ['status', 'budget', 'owner', 'owner.name', 'parent.name'].map((path) => new AllowedGroup(path)),
      allowedAggregates: [
        AllowedAggregate.count(),
        new AllowedAggregate('budget', ['sum', 'max']),
        new AllowedAggregate('owner.salary', ['max']),
        new AllowedAggregate('parent.name', ['min', 'countDistinct']),
      ],
    },
  }),
  operations: ['list', 'aggregate', 'deleteMany'],
  query: true,
} satisfies NonNullable<CrudKitOptions['resources']>[string]
export const tasks = new CrudBase<any>({
  model: Task,
  writable: 'all',
  queryConfig: {
    allowedFilters: [
      AllowedFilters.exact('title'), AllowedFilters.exact('project'), AllowedFilters.exact('project.name'),
      AllowedFilters.search('q', ['title', 'note']), AllowedFilters.trashed(),
    ],
    allowedSorts: [new AllowedSort('id'), new AllowedSort('title'), new AllowedSort('project.name')],
    allowedIncludes: [new AllowedInclude('project'), new AllowedInclude('project.owner')],
    defaultSort: ['id'],
  },
})
export const users = new CrudBase<any>({
  model: User, writable: 'all', queryConfig: { allowedFilters: [AllowedFilters.exact('name')] },
})
export const labels = new CrudBase<any>({ model: Label, writable: 'all' })
export const countries = new CrudBase<any>({
  model: Country,
  writable: 'all',
  queryConfig: { allowedFilters: [AllowedFilters.exact('name')], allowedSorts: [new AllowedSort('population')] },
})

export const resources = {
  '/projects': { crud: projects, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'] },
  '/tasks': {
    crud: tasks,
    operations: ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'],
    stream: true,
    allowHardDelete: true,
  },
  '/users': users, '/labels': labels, '/countries': countries,
} satisfies CrudKitOptions['resources']

/** The role and tenant of a request are in its headers. */
export const roleOf = ({ headers }: FastifyRequest): string => String(headers['x-role'] ?? 'guest')
export const tenantOf = ({ headers }: FastifyRequest): number => Number(headers['x-tenant'])

export const ownRows = { rows: (request: FastifyRequest) => ({ tenant: tenantOf(request) }) }

/** Rules that most tests use. */
export const access: AccessOptions = {
  role: roleOf,
  roles: {
    admin: true,
    member: {
      Project: { ...ownRows, hidden: ['budget'], readonly: ['owner'] },
      Task: { ...ownRows, hidden: ['note', 'effort'] },
      Label: ownRows,
      Country: { operations: ['list', 'get'] },
    },
    guest: { Country: { only: ['code', 'name'], operations: ['list', 'get'] } },
  },
}

/** A server with the option `access`, ready for requests. */
export async function serveWith (
  t: Test,
  orm: MikroORM,
  options: Partial<CrudKitOptions> = {},
  prepare: (app: FastifyInstance) => unknown = () => {}
): Promise<FastifyInstance> {
  const app = newServer(t)
  await app.register(
    crudKit,
    {
      orm, access, resources, indexAdvice: false, shared: entities.map(({ name }) => name), ...options,
    } as CrudKitOptions
  )
  await prepare(app)
  await app.ready()
  return app
}

export interface Answer {
  readonly status: number
  readonly body: any
  readonly headers: Readonly<Record<string, unknown>>
}

export interface As {
  readonly role?: string
  readonly tenant?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends the requests of a user: `send('GET', '/projects')`, `send('POST', '/projects', { name: 'Apollo' })`. */
export function sender (app: FastifyInstance, { role = 'member', tenant = 1, headers = {} }: As = {}) {
  return async (
    method: string,
    url: string,
    payload?: unknown,
    more: Readonly<Record<string, string>> = {}
  ): Promise<Answer> => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { 'x-role': role, 'x-tenant': String(tenant), ...headers, ...more },
      ...(payload !== undefined && { payload: payload as object }),
    })
    const isJson = response.body !== '' && String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode, body: isJson ? JSON.parse(response.body) : response.body, headers: response.headers,
    }
  }
}

/** Sends the requests of a member, the only role of a server, whose rules these are. */
export async function memberWith (
  t: Test,
  orm: MikroORM,
  rules: RoleRules,
  options: Partial<CrudKitOptions> = {}
): Promise<ReturnType<typeof sender>> {
  return sender(await serveWith(t, orm, { access: { role: roleOf, roles: { member: rules } }, ...options }))
}

/**
 * The CRUD of an entity whose relation can be included, asked for its existence, and filtered by.
 *
 * @param path the filter's path below the relation
 * @param includes more of them
 */
export const crudOfRelation = (
  model: unknown,
  relation: string,
  path = 'name',
  includes: readonly Include[] = []
): CrudBase<any> =>
  new CrudBase<any>({
    model: model as never,
    writable: 'all',
    queryConfig: {
      allowedFilters: [AllowedFilters.exact(`${relation}.${path}`)],
      allowedSorts: [new AllowedSort('id')],
      allowedIncludes: [new AllowedInclude(relation), AllowedInclude.exists(relation), ...includes],
    },
  })
