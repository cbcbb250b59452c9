import { describe, expect, test } from 'tstyche'
import { resources } from '../../example/resources/index.ts'
import { createClient, type ApiOf } from '../../src/client/index.ts'

const api = createClient<ApiOf<typeof resources>>('')

describe('a client of the example', () => {
  test('fields and includes determine the type of records', async () => {
    const { items } = await api['/categories'].list({ fields: ['id', 'name', 'status'], include: ['productsCount'] })
    expect(items).type.toBe<
      Array<{ id: string, name: string, status: 'draft' | 'active' | 'archived', productsCount: number }>
    >()
    const product = await api['/products'].get(1, {
      fields: ['price'], include: ['category'], fieldsByInclude: { category: ['name'] },
    })
    expect(product).type.toBe<{ price: number, category: { name: string } | null }>()
    const article = await api['/articles'].get(1, { fields: ['title'], include: ['user'] })
    expect(article.author!.name).type.toBe<string>()
    expect(article).type.not.toHaveProperty('body')
    expect(await api['/authors'].get(1, { fields: ['name'] })).type.toBe<{ name: string }>()
    expect(await api['/tags'].get(1, { fields: ['id', 'name'] })).type.toBe<{ id: number, name: string }>()
  })

  test('names that no whitelist has are errors', () => {
    expect(api['/categories'].list).type.not.toBeCallableWith({ fields: ['uuid'] })
    expect(api['/products'].list).type.not.toBeCallableWith({ sort: ['uuid'] })
    expect(api['/articles'].list).type.not.toBeCallableWith({ include: ['author'] })
    expect(api['/authors'].list).type.not.toBeCallableWith({ filter: { title: 'x' } })
    expect(api['/tags'].create).type.not.toBeCallableWith({ nmae: 'x' })
    expect(api['/authors'].list).type.not.toBeCallableWith({ fields: ['nmae'] })
    expect(api['/articles'].list).type.not.toBeCallableWith({ fields: ['nmae'] })
    expect(api['/tags'].list).type.not.toBeCallableWith({ fields: ['nmae'] })
  })
})
