/** The OpenAPI document of resources that roles limit. */
import swagger from '@fastify/swagger'
import t, { type Test } from 'tap'
import type { MikroORM } from '@mikro-orm/postgresql'
import { crudKit, type AccessOptions, type CrudKitOptions } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { access, entities, projects, roleOf, seed, sender, serveWith, tasks, users } from './fixtures.ts'

const roles: AccessOptions['roles'] = {
  admin: { '*': {}, User: { hidden: ['salary'] } },
  member: { Project: { hidden: ['budget'], readonly: ['owner'] }, Task: { operations: ['list', 'get'] } },
}

async function documentOf (
  t: Test,
  orm: MikroORM,
  access: Partial<AccessOptions> = {},
  requireIfMatch = false
): Promise<any> {
  const app = newServer(t)
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'test', version: '1' } } })
  await app.register(
    crudKit,
    {
      orm, indexAdvice: false,
      resources: {
        '/projects': { crud: projects, operations: ['list', 'get', 'create', 'update'], query: true, requireIfMatch },
        '/tasks': { crud: tasks, operations: ['list', 'create', 'createMany'], stream: true },
        '/users': users,
      },
      access: { role: roleOf, roles, ...access } as AccessOptions,
    } satisfies CrudKitOptions
  )
  await app.ready()
  return app.swagger()
}

/** The schema of an operation's records, which are components of the document. */
const recordOf = (document: any, operation: any): any => {
  const page = resolved(document, operation.responses['200'].content['application/json'].schema)
  return resolved(document, page.anyOf[0].properties.items.items)
}

const resolved = (document: any, schema: any): any =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)]

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('shows what the roles see together, and says who may what', async (t) => {
    const document = await documentOf(t, orm)
    const { paths } = document
    const [list, create] = [paths['/projects'].get, paths['/projects'].post]
    t.strictSame(list['x-roles'], ['admin', 'member'])
    t.ok(list.responses['403'] !== undefined && create.responses['403'] !== undefined, 'roles may refuse operations')
    t.strictSame(create['x-roles'], ['admin', 'member'])
    t.strictSame(paths['/tasks'].post['x-roles'], ['admin'])
    const record = recordOf(document, list)
    t.strictSame(record.properties.budget['x-roles'], ['admin'])
    t.strictSame(record.properties.owner['x-roles'], ['admin'], 'the relation to an entity that members may not use')
    t.notOk('x-roles' in record.properties.name)
    t.strictSame(record.required?.includes('budget') ?? false, false)
    const body = resolved(document, create.requestBody.content['application/json'].schema)
    t.strictSame(body.properties.budget['x-roles'], ['admin'])
    t.notOk('x-roles' in body.properties.name)
    t.ok(body.required.includes('name'))
    const parameter = (name: string) => list.parameters.find((one: any) => one.name === name)
    t.strictSame(parameter('filter[budget]')['x-roles'] ?? parameter('filter[budget]').schema['x-roles'], ['admin'])
    t.notOk('x-roles' in parameter('filter[name]'))
    const query = paths['/projects/query'].post
    t.strictSame(query['x-roles'], ['admin', 'member'])
    const { filter } = resolved(document, query.requestBody.content['application/json'].schema).properties
    const { budget, name } = resolved(document, filter).properties
    t.strictSame([budget['x-roles'], name['x-roles']], [['admin'], undefined])
    t.notOk('salary' in recordOf(document, paths['/users'].get).properties, 'no role sees it')
    t.notMatch(JSON.stringify(document), /salary/, 'not in any sort, example or text')
    t.match(JSON.stringify(paths['/projects'].get), /budget/, 'which name what a role sees')
    t.strictSame(paths['/users'].get['x-roles'], ['admin'])
  })

  t.test('documentFor: shows what one role sees', async (t) => {
    const { paths, components } = await documentOf(t, orm, { documentFor: 'member' })
    t.notOk(paths['/users'])
    t.strictSame(Object.keys(paths['/tasks']), ['get'])
    t.notMatch(JSON.stringify([paths, components]), /budget|owner|salary|x-roles/)
    t.match(JSON.stringify(paths['/projects'].get), /filter\[name\]/)
  })

  t.test('a version that no role of the document sees has no headers', async (t) => {
    const rules = (hidden: readonly string[]) => ({ one: { Project: { hidden } }, other: { Project: {} } })
    const shown = async (roles: object, documentFor?: string): Promise<unknown> => {
      const { paths } = await documentOf(t, orm, { roles, ...(documentFor !== undefined && { documentFor }) } as never)
      const { parameters, responses } = paths['/projects/{id}'].patch
      return [parameters.some(({ name }: any) => name === 'If-Match'), 'ETag' in (responses['200'].headers ?? {})]
    }
    t.strictSame(await shown(rules(['version'])), [true, true], 'another role sees it')
    t.strictSame(await shown(rules(['version']), 'other'), [true, true])
    t.strictSame(await shown(rules(['version']), 'one'), [false, false])
    t.strictSame(await shown(rules(['budget']), 'one'), [true, true])
    t.strictSame(await shown({ one: rules(['version']).one }), [false, false])
    const required = await documentOf(t, orm, { roles: rules(['version']), documentFor: 'one' } as never, true)
    const { parameters } = required.paths['/projects/{id}'].patch
    t.match(parameters.find(({ name }: any) => name === 'If-Match'), { required: true, schema: { enum: ['*'] } },
      'but a write without If-Match is refused')
  })

  t.test('a role that creates only single records, or only lists, has a document without the other ones', async (t) => {
    const roles = {
      one: { Task: { operations: ['list', 'create'] } },
      many: { Task: { operations: ['list', 'createMany'] } },
      both: { Task: {} },
    }
    const posted = async (some: object, documentFor?: string): Promise<any> => {
      const { paths } = await documentOf(t, orm,
        { roles: some, ...documentFor !== undefined && { documentFor } } as never)
      const { description, requestBody, responses, 'x-create-many': limit } = paths['/tasks'].post
      const typeOf = ({ content }: any) => content['application/json'].schema.type === 'array' ? 'array' : 'record'
      return {
        tells: /may also be a list/.test(description), limit: limit !== undefined, body: typeOf(requestBody),
        answer: typeOf(responses['201']), about: responses['201'].description,
      }
    }
    const [record, list] = [{ body: 'record', answer: 'record' }, { body: 'array', answer: 'array' }]
    const without = { tells: false, limit: false }
    const both = { tells: true, limit: true, ...record, about: 'The new record, or for a list, the new records.' }
    t.strictSame(await posted(roles, 'one'), { ...without, ...record, about: 'The new record.' })
    t.strictSame(await posted({ one: roles.one }), { ...without, ...record, about: 'The new record.' })
    t.strictSame(await posted(roles, 'many'), { ...without, ...list, about: 'The new records.' })
    t.strictSame(await posted(roles, 'both'), both)
    t.strictSame(await posted(roles), both)
    t.strictSame(await posted({ one: roles.one, many: roles.many }), both)
  })

  t.test('documentFor: does not change what the others may write', async (t) => {
    const app = await serveWith(t, orm, { access: { ...access, documentFor: 'guest' } })
    const send = sender(app, { role: 'admin' })
    const country = { code: 'LI', name: 'Liechtenstein', population: 0 }
    t.match((await send('POST', '/countries', country)).body, country)
    t.match((await send('PATCH', '/countries/LI', { population: 1 })).body, { population: 1 })
    t.match((await send('POST', '/projects', [{ tenant: 1, name: 'Mir' }])).body, [{ name: 'Mir' }])
    t.equal((await send('POST', '/countries', { code: 'x', title: 'y' })).status, 400)
  })

  t.test('a document for one role has no schemas that nothing in it refers to', async (t) => {
    const rules = {
      reader: { Project: { operations: ['list'] }, Task: { operations: ['get'] } },
      writer: { Project: { operations: ['list', 'create', 'update'] }, User: true },
    } as const satisfies AccessOptions['roles']
    for (const [documentFor, expected] of [
      ['reader', ['Error', 'Project', 'ProjectPage', 'ProjectFilter', 'ProjectQuery']],
      [
        'writer',
        [
          'Error', 'Project', 'WrittenProject', 'ProjectPage', 'ProjectFilter', 'ProjectQuery', 'NewProject',
          'ProjectChanges', 'User', 'UserPage', 'NewUser', 'UserChanges',
        ],
      ],
    ] as const) {
      const { paths, components } = await documentOf(t, orm, { documentFor, roles: rules } as never)
      t.strictSame(Object.keys(components.schemas), expected)
      const text = JSON.stringify([paths, components])
      for (const name of expected) t.ok(text.includes(`"#/components/schemas/${name}"`), name)
    }
    const { components } = await documentOf(t, orm, { roles: { reader: rules.reader } } as never)
    const expected = ['Error', 'Project', 'ProjectPage', 'ProjectFilter', 'ProjectQuery']
    t.strictSame(Object.keys(components.schemas), expected, 'nor does one for all roles')
  })
})
