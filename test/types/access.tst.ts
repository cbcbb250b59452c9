import type { InferEntity } from '@mikro-orm/core'
import { describe, expect, test } from 'tstyche'
import type { FastifyRequest } from 'fastify'
import { CrudBase, defineAccess, type AccessOptions } from '../../src/index.ts'
import { AuthorSchema, CategorySchema, type Category } from './fixtures.ts'

interface Entities {
  Category: Category
  Author: InferEntity<typeof AuthorSchema>
}
const role = (request: FastifyRequest): string => String(request.headers['x-role'])
declare const absent: string | null | undefined
declare function accept (access: AccessOptions): void

describe('defineAccess', () => {
  test('takes names of entities, of properties, and operations', () => {
    accept(
      defineAccess<Entities>()({
        role,
        roles: {
          admin: true,
          member: {
            Category: {
              rows: () => ({ name: 'x' }), hidden: ['price'], readonly: ['name'], operations: ['list', 'get'],
            },
            Author: { rows: async () => ({ id: 1 }), readonly: true },
            '*': false,
          },
          guest: { Category: { only: ['id', 'name'] }, Author: true },
        },
        documentFor: 'guest',
      })
    )
    accept(defineAccess()({ role, roles: { any: { Anything: { hidden: ['whatever'] } } } }))
    accept(defineAccess()({ role: () => absent, roles: { any: true } }))
    accept(defineAccess()({ role: async () => absent, roles: { any: true } }))
    accept({ role: () => absent, roles: { any: true } })
  })

  test('takes hidden properties of entities', () => {
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { rows: () => ({ secret: 'x' }) } } } }))
  })

  test('refuses names that do not exist', () => {
    // @ts-expect-error Categry
    accept(defineAccess<Entities>()({ role, roles: { one: { Categry: true } } }))
    // @ts-expect-error not assignable
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { hidden: ['nmae'] } } } }))
    // @ts-expect-error not assignable
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { only: ['id', 'nmae'] } } } }))
    // @ts-expect-error not assignable
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { readonly: ['nmae'] } } } }))
    // @ts-expect-error not assignable
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { operations: ['lst'] } } } }))
    // @ts-expect-error may only specify known properties
    accept(defineAccess<Entities>()({ role, roles: { one: { Category: { rows: { nmae: 'x' } } } } }))
    // @ts-expect-error not assignable
    accept(defineAccess<Entities>()({ role, roles: { one: true }, documentFor: 'two' }))
  })
})

describe('forRole', () => {
  test('has the methods of the class with their types', () => {
    const categories = new CrudBase({ model: CategorySchema, writable: ['name'] })
    const view = categories.forRole('guest')
    expect(view.list).type.toBe<typeof categories.list>()
    expect(view).type.not.toHaveProperty('bind')
    expect(view).type.not.toHaveProperty('forRole')
  })
})
