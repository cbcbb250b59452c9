import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { describe, expect, test } from 'tstyche'
import { createDataProvider as forReactAdmin } from '../../src/admin/react-admin/index.ts'
import { createDataProvider as forRefine } from '../../src/admin/refine/index.ts'
import { createClient } from '../../src/client/index.ts'
import { infiniteQueryOptions, queryOptions } from '../../src/client/tanstack-query.ts'
import { AllowedField, AllowedFilters, AllowedInclude, AllowedSort, CrudBase, type ApiOf } from '../../src/index.ts'
import { Plant } from '../fixtures/entities.ts'

export const resources = {
  '/plants': new CrudBase({
    model: Plant,
    queryConfig: {
      allowedFilters: [new AllowedFilters('name', 'eq', ['eq', 'in'])],
      allowedSorts: [new AllowedSort('name')],
      allowedFields: [new AllowedField('id'), new AllowedField('name')],
      allowedIncludes: [new AllowedInclude('tags'), AllowedInclude.count('tags')],
    },
    writable: ['name'],
  }),
}
const api = createClient<ApiOf<typeof resources>>('')
const repeatable = createClient<ApiOf<{ '/plants': { crud: typeof resources['/plants'], idempotency: true } }>>('')

describe('data providers', () => {
  test('options name resources and their properties', () => {
    expect(forReactAdmin).type.toBeCallableWith(api, { resources: { plants: { id: 'uuid', maxPerPage: 50 } } })
    expect(forReactAdmin).type.not.toBeCallableWith(api, { resources: { plnats: {} } })
    expect(forReactAdmin).type.not.toBeCallableWith(api, { resources: { plants: { version: 'vresion' } } })
    expect(forReactAdmin).type.not.toBeCallableWith(api, { resources: { plants: { sortByID: false } } })
    expect(forRefine).type.toBeCallableWith(api, { resources: { plants: { id: 'uuid' } } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { '/plants': {} } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { plants: { id: 'uuidd' } } })
    expect(forRefine).type.toBeCallableWith(api, { resources: { plants: { id: ['id', 'supplier.id'] } } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { plants: { id: ['id', 'suplier.id'] } } })
    expect(forRefine).type.toBeCallableWith(api, { resources: { plants: { plainFilters: ['name'] } } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { plants: { plainFilters: ['nmae'] } } })
    expect(forRefine).type.toBeCallableWith(api, { resources: { plants: { operations: [] } } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { plants: { operations: ['updateMany'] } } })
    expect(forRefine).type.not.toBeCallableWith(api, { resources: { plants: { idempotency: true } } })
    expect(forRefine).type.toBeCallableWith(repeatable, { resources: { plants: { idempotency: true } } })
    expect(forReactAdmin).type.toBeCallableWith(api, { resources: { plants: { references: { group: 'plants' } } } })
    expect(forReactAdmin).type.not.toBeCallableWith(api, { resources: { plants: { references: { gruop: 'plants' } } } })
    expect(forReactAdmin).type.not.toBeCallableWith(api, { resources: { plants: { references: { group: 'groups' } } } })
  })
})

describe('options of TanStack Query', () => {
  const plantList = queryOptions(['plants', 'list'], api['/plants'].list)
  const plant = queryOptions(['plants', 'get'], api['/plants'].get)
  const plantPages = infiniteQueryOptions(['plants', 'pages'], api['/plants'].pages)

  test('the arguments are those of the method', () => {
    expect(plantList).type.toBeCallableWith({ filter: { name: { in: ['a'] } }, sort: ['-name'] })
    expect(plantList).type.toBeCallableWith()
    expect(plantList).type.not.toBeCallableWith({ filter: { nmae: 'x' } })
    expect(plantList).type.not.toBeCallableWith({ sort: ['price'] })
    expect(plant).type.toBeCallableWith(1, { include: ['tags'] })
    expect(plant).type.not.toBeCallableWith()
    expect(plant).type.not.toBeCallableWith(1, { include: ['tag'] })
    expect(plantPages).type.toBeCallableWith({ per_page: 5 })
    expect(plantPages).type.not.toBeCallableWith({ page: 5 })
    expect(queryOptions).type.not.toBeCallableWith(['plants'], api['/plants'].each)
    expect(infiniteQueryOptions).type.not.toBeCallableWith(['plants'], api['/plants'].list)
  })

  test('the data follow from the arguments', () => {
    const list = useQuery(plantList({ fields: ['name'], include: ['tagsCount'] }))
    expect(list.data!.items).type.toBe<Array<{ name: string, tagsCount: number }>>()
    expect(useQuery(plantList({ limit: 3 })).data!.offset).type.toBe<number>()
    expect(useQuery(plant(1, { include: ['tags'] })).data!.tags[0]!.name).type.toBe<string>()
    const { data } = useInfiniteQuery(plantPages({ fields: ['id'] }))
    expect(data!.pages[0]!.items).type.toBe<Array<{ id: number }>>()
  })
})
