import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, expect, test } from 'tstyche'
import { CrudBase, crudKit, crudRoutes, type CrudKitOptions, type CrudRoutesOptions } from '../../src/index.ts'
import { CategorySchema, ProductSchema, type Category } from './fixtures.ts'

declare const fastify: FastifyInstance
declare const orm: NonNullable<CrudKitOptions['orm']>
const crud = new CrudBase({ model: CategorySchema, writable: ['name'] })
const products = new CrudBase({ model: ProductSchema })
const untyped: CrudBase = new CrudBase<any>({ model: CategorySchema })

/** A CRUD class of an application. */
class CategoryCrud extends CrudBase<Category> {
  constructor () {
    super({ model: CategorySchema })
  }
}

describe('the scope of crudRoutes', () => {
  test('is a condition on the entity, from a function or an async function of the request', () => {
    fastify.register(crudRoutes, { prefix: '/x', crud, scope: () => ({ name: 'x' }) })
    fastify.register(crudRoutes, { crud, scope: () => ({}) })
    fastify.register(crudRoutes, {
      crud,
      scope: (request) => {
        expect(request).type.toBeAssignableTo<FastifyRequest>()
        return { name: request.ip }
      },
    })
    fastify.register(crudRoutes, { crud, scope: async (request) => ({ name: request.ip }) })
    fastify.register(crudRoutes, { crud, scope: ({ ip }) => ip === '' ? {} : { name: ip, status: { $in: ['draft'] } } })
    fastify.register(crudRoutes, {
      crud: new CategoryCrud(),
      scope: ({ ip }) => ({
        $or: [{ name: 'x' }, { author: { name: ip } }],
        products: { $some: { price: { $gt: 1 } } },
      }),
    })
    fastify.register(crudRoutes, {
      crud,
      scope: ({ ip }) => {
        if (ip === '') throw new Error('an error of the application')
        return { created_at: new Date(), author: 1, parent: null, secret: ip, settings: { theme: 'dark' } }
      },
    })
  })

  test('refuses names that the entity does not have', () => {
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: () => ({ nmae: 'x' }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: ({ ip }) => ({ nmae: ip }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: async ({ ip }) => ({ nmae: ip }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud: new CategoryCrud(), scope: async () => ({ nmae: 'x' }) })
  })

  test('refuses a wrong name beside a right one, and in every part of the condition', () => {
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: () => ({ name: 'x', satus: 'draft' }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: ({ ip }) => ip === '' ? {} : { name: 'x', satus: 'draft' } })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: async () => ({ $or: [{ name: 'x' }, { nmae: 'y' }] }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: () => ({ author: { name: 'x', nmae: 'y' } }) })
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { crud, scope: () => ({ products: { $some: { tags: { nmae: 'y' } } } }) })
  })

  test('refuses values of other types', () => {
    // @ts-expect-error a function whose result has names of properties of the entity and values of their types
    fastify.register(crudRoutes, { crud, scope: () => ({ name: 7 }) })
    // @ts-expect-error a function whose result has names of properties of the entity and values of their types
    fastify.register(crudRoutes, { crud, scope: () => ({ created_at: true }) })
    // @ts-expect-error a function whose result has names of properties of the entity and values of their types
    fastify.register(crudRoutes, { crud, scope: { name: 'x' } })
  })

  test('may have any names if the entity or the condition has no type', () => {
    fastify.register(crudRoutes, { crud: untyped, scope: ({ ip }) => ({ anything: ip }) })
    fastify.register(crudRoutes, { crud, scope: (): object => ({}) })
    fastify.register(crudRoutes, { crud, scope: (): any => ({}) })
    fastify.register(crudRoutes, { crud, scope: (): Record<string, unknown> => ({}) })
  })

  test('is checked where options are declared before they are used', () => {
    const options: CrudRoutesOptions<Category> = { crud, scope: ({ ip }) => ({ name: ip }) }
    fastify.register(crudRoutes, options)
    fastify.register(crudRoutes, { ...options, prefix: '/x', operations: ['list'] })
    const loose: CrudRoutesOptions = { crud, scope: () => ({ anything: 1 }) }
    fastify.register(crudRoutes, loose)
    fastify.register(crudRoutes, (parent) => ({ ...options, prefix: parent.prefix }))
    expect<CrudRoutesOptions<Category>>().type.not.toBeAssignableFrom({ crud, scope: () => ({ nmae: 'x' }) })
    expect<CrudRoutesOptions<Category>>().type.not.toBeAssignableFrom({ crud: products })
  })
})

describe('several resources of crudRoutes', () => {
  test('are classes or options, whose scopes are checked', () => {
    fastify.register(crudRoutes, { resources: { '/x': crud, '/y': new CategoryCrud() } })
    fastify.register(crudRoutes, {
      prefix: '/v1',
      resources: { '/x': { crud, operations: ['list'], scope: ({ ip }) => ({ name: ip }) }, '/y': products },
    })
    const resources = { '/x': crud, '/y': { crud: products, query: true } }
    fastify.register(crudRoutes, { resources })
  })

  test('refuse wrong names, values and options', () => {
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudRoutes, { resources: { '/x': { crud, scope: () => ({ nmae: 'x' }) } } })
    // @ts-expect-error operationz
    fastify.register(crudRoutes, { resources: { '/x': { crud, operationz: ['list'] } } })
    // @ts-expect-error resorces
    fastify.register(crudRoutes, { resorces: { '/x': crud } })
    // @ts-expect-error No overload matches this call
    fastify.register(crudRoutes, { resources: { '/x': crud }, crud })
  })
})

test('other options of crudRoutes keep their types', () => {
  fastify.register(crudRoutes, {
    crud,
    hooks: { all: { preHandler: async (request) => expect(request.ip).type.toBe<string>() } },
    transaction: { list: true },
    stream: { csv: { escapeFormulas: true } },
    schemas: { list: { querystring: { type: 'object' } } },
  })
  // @ts-expect-error 'scpoe' does not exist in type
  fastify.register(crudRoutes, { crud, scpoe: () => ({}) })
  // @ts-expect-error Type '"lst"' is not assignable to type
  fastify.register(crudRoutes, { crud, operations: ['lst'] })
  // @ts-expect-error 'preHandlr' does not exist in type
  fastify.register(crudRoutes, { crud, hooks: { all: { preHandlr: async () => {} } } })
  // @ts-expect-error Property 'crud' is missing in type
  fastify.register(crudRoutes, { prefix: '/x' })
})

describe('crudKit', () => {
  test('takes CRUD classes and options of routes, with the scope of each entity', () => {
    fastify.register(crudKit, {
      orm,
      resources: {
        '/a': crud,
        '/b': { crud: products, scope: ({ ip }) => ({ price: ip, category: { name: 'x' } }) },
        '/c': { crud, scope: async () => ({ name: 'x' }) },
        '/d': { crud: new CategoryCrud(), scope: () => ({ name: 'x' }), hooks: { all: { onRequest: async () => {} } } },
      },
    })
    const resources = { '/a': crud, '/b': { crud: products, scope: () => ({ price: 'x' }) } }
    fastify.register(crudKit, { orm, resources })
    const options: CrudKitOptions = { orm, resources }
    fastify.register(crudKit, options)
  })

  test('refuses a wrong name in a scope', () => {
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudKit, { orm, resources: { '/b': { crud: products, scope: () => ({ prise: 'x' }) } } })
    fastify.register(crudKit, {
      orm,
      resources: {
        '/a': crud,
        // @ts-expect-error a function whose result has names of properties of the entity
        '/b': { crud: products, scope: async ({ ip }) => ({ price: ip, prise: ip }) },
      },
    })
    const resources = { '/a': crud, '/b': { crud: products, scope: () => ({ price: 'x', nmae: 'x' }) } }
    // @ts-expect-error a function whose result has names of properties of the entity
    fastify.register(crudKit, { orm, resources })
  })

  test('refuses unknown options', () => {
    // @ts-expect-error 'resourcs' does not exist in type
    fastify.register(crudKit, { orm, resourcs: { '/a': crud } })
    // @ts-expect-error 'scpoe' does not exist in type
    fastify.register(crudKit, { orm, resources: { '/b': { crud: products, scpoe: () => ({}) } } })
    // @ts-expect-error Type 'number' is not assignable to type
    fastify.register(crudKit, { orm, resources: { '/a': 5 } })
    // @ts-expect-error Type 'string' is not assignable to type
    fastify.register(crudKit, { orm, resources: { '/a': crud }, indexAdvice: 'yes' })
  })
})

test('other plugins are registered as before', () => {
  fastify.register(async (instance, options) => {
    expect(options).type.toBe<{ a: number }>()
    instance.get('/', async () => options)
  }, { a: 1 })
  fastify.register((instance, _, done) => {
    expect(instance).type.toBeAssignableTo<FastifyInstance>()
    done()
  })
})
