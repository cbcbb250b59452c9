/** The data provider of react-admin, called by react-admin's own hooks, against listening servers. */
import { closeDom, submitForm } from '../helpers/dom.ts'
import {
  EditBase, Form, useCreate, useDelete, useDeleteMany, useGetList, useGetManyAggregate, useGetManyReference, useGetOne,
  useInput, useNotificationContext, useUpdate, useUpdateMany,
} from 'ra-core'
import { createElement, type ReactElement, type ReactNode } from 'react'
import t from 'tap'
import { createDataProvider, FormError } from '../../src/admin/react-admin/index.ts'
import { CrudError, isCrudError } from '../../src/client/index.ts'
import { exampleApi, nurseryApi } from '../helpers/admin-api.ts'
import { renderHook } from '../helpers/hooks.ts'
import { settled, within } from '../helpers/react-admin.ts'

t.teardown(closeDom)

const names = (data: ReadonlyArray<{ name: string }> | undefined) => data?.map(({ name }) => name)

t.test('react-admin shows and changes records of the example', async (t) => {
  const { api, requests } = await exampleApi(t)
  const dataProvider = createDataProvider(api, {
    resources: { categories: { sortById: false, operations: ['updateMany'] } },
  })
  const wrap = within(t, dataProvider)
  const { items: categories } = await api['/categories'].list({ sort: ['+name'] })
  const tech = categories.find(({ name }) => name === 'Tech')!
  requests()

  t.test('lists have pages, an order and filters', async (t) => {
    const list = await renderHook(t, wrap, () =>
      useGetList('products', {
        pagination: { page: 2, perPage: 2 },
        sort: { field: 'price', order: 'DESC' },
        filter: {
          price_gte: 20, stock_gt: 0, 'name@ilike': '%a%', category: { name_neq_any: undefined },
          or: [{ name_q: 'a' }, { category: { name: 'Tech' } }], not: { price_gt: 100_000 },
        },
      }))
    const { data, total, pageInfo } = await list.until(({ isSuccess }) => isSuccess)
    t.strictSame(requests(), [
      'GET /products?filter[price][gte]=20&filter[stock][gt]=0&filter[name][ilike]=%a%' +
      '&filter[or][0][name][contains]=a&filter[or][1][category.name]=Tech&filter[not][price][gt]=100000' +
      '&sort=-price&page=2&per_page=2',
    ])
    const expected = await api['/products'].list({
      filter: {
        price: { gte: 20 },
        stock: { gt: 0 },
        name: { ilike: '%a%' },
        or: [{ name: { contains: 'a' } }, { 'category.name': 'Tech' }],
        not: { price: { gt: 100_000 } },
      },
      sort: ['-price'], page: 2, per_page: 2,
    })
    t.strictSame(names(data), names(expected.items))
    t.equal(total, expected.total)
    t.strictSame(pageInfo, { hasNextPage: true, hasPreviousPage: true })
  })

  t.test('a page that is larger than the server allows takes several requests', async (t) => {
    requests()
    const provider = createDataProvider(api, { resources: { products: { maxPerPage: 5 } } })
    const { data, total, pageInfo } = await provider.getList('products', {
      pagination: { page: 2, perPage: 12 }, sort: { field: 'id', order: 'ASC' }, filter: {},
    })
    t.strictSame(requests(), [
      'GET /products?sort=+id&limit=5&offset=12',
      'GET /products?sort=+id&limit=5&offset=17',
      'GET /products?sort=+id&limit=2&offset=22',
    ])
    const all = await api['/products'].list({ sort: ['id'], per_page: 100 })
    t.strictSame(data.map(({ id }) => id), all.items.slice(12, 24).map(({ id }) => id))
    t.equal(total, all.total)
    t.strictSame(pageInfo, { hasNextPage: true, hasPreviousPage: true })
    const last = await provider.getList('products', {
      pagination: { page: 1, perPage: 1000 }, sort: { field: 'id', order: 'ASC' }, filter: {},
    })
    t.equal(last.data.length, all.total, 'as the export button reads them')
    t.strictSame(last.pageInfo, { hasNextPage: false, hasPreviousPage: false })
  })

  t.test('resources without a sort by key use their own order', async (t) => {
    requests()
    const sort = { field: 'id', order: 'ASC' } as const
    await dataProvider.getList('categories', { sort, pagination: { page: 1, perPage: 3 } })
    t.strictSame(requests(), ['GET /categories?page=1&per_page=3'])
    const strict = createDataProvider(api)
    await t.rejects(strict.getList('categories', { sort, pagination: { page: 1, perPage: 3 } }), {
      name: 'CrudError',
      code: 'FST_CRUD_SORT_INVALID',
    })
  })

  t.test('references from several places are read in one request', async (t) => {
    const [one, other] = categories
    const both = await renderHook(t, wrap, () => [
      useGetManyAggregate('categories', { ids: [one!.id, tech.id] }),
      useGetManyAggregate('categories', { ids: [other!.id, tech.id] }),
    ])
    requests()
    const [first, second] = await both.until((results) => results.every(({ isSuccess }) => isSuccess))
    t.strictSame(names(first!.data), [one!.name, 'Tech'])
    t.strictSame(names(second!.data), [other!.name, 'Tech'])
    t.same(requests().filter((request) => !request.includes('[in]')), [])
  })

  t.test('many references are read by hundreds', async (t) => {
    requests()
    const ids = Array.from({ length: 150 }, (_, index) => index + 1)
    const { data } = await dataProvider.getMany('products', { ids: [...ids, ...ids] })
    t.equal(requests().length, 2)
    const { total } = await api['/products'].list()
    t.equal(data.length, total)
    t.strictSame((await dataProvider.getMany('products', { ids: [] })).data, [])
    t.strictSame(requests().length, 1, 'no request without keys')
  })

  t.test('records that refer to a record', async (t) => {
    const list = await renderHook(t, wrap, () =>
      useGetManyReference('products', {
        target: 'category', id: tech.id, pagination: { page: 1, perPage: 2 }, sort: { field: 'id', order: 'DESC' },
        filter: { stock_gt: 0 },
      }))
    const { data, total } = await list.until(({ isSuccess }) => isSuccess)
    t.equal(data!.length, 2)
    t.ok(data!.every(({ category }) => category === tech.id))
    t.equal(total, 4)
  })

  t.test('meta includes relations and selects fields', async (t) => {
    const one = await renderHook(t, wrap, () =>
      useGetOne('categories', {
        id: tech.id,
        meta: { include: ['products', 'productsCount'], fields: ['id', 'name'], fieldsByInclude: { products: ['id'] } },
      }))
    const { data } = await one.until(({ isSuccess }) => isSuccess)
    t.strictSame(Object.keys(data), ['id', 'name', 'products', 'productsCount'])
    t.strictSame(Object.keys(data.products[0]), ['id'])
    const { data: [embedded] } = await dataProvider.getList('products', { meta: { embed: ['category'] } })
    t.type(embedded.category.name, 'string')
  })

  t.test('a record is created, changed and deleted', async (t) => {
    const writes = await renderHook(t, wrap, () => ({ create: useCreate(), update: useUpdate(), remove: useDelete() }))
    const [create] = writes.value.create
    const created = await create('products', {
      data: { name: 'Globe', price: 20, stock: null, description: null, category: tech.id },
    }, { returnPromise: true })
    t.match(created, { name: 'Globe', price: 20, stock: 0, description: null }, 'empty inputs have the default')

    const read = await dataProvider.getOne('products', { id: created.id, meta: { include: ['tags', 'category'] } })
    const [update] = writes.value.update
    const updated = await update('products', {
      id: created.id,
      // a form has all properties of the record, and null for inputs without one
      data: { ...read.data, price: 25, description: 'Round', unknown: null }, previousData: read.data,
    }, { returnPromise: true })
    t.match(updated, { name: 'Globe', price: 25, description: 'Round' }, 'only changes are sent')

    const [remove] = writes.value.remove
    const gone = { id: created.id, previousData: updated }
    const removed = await settled<typeof created>((callbacks) => remove('products', gone, callbacks))
    t.equal(removed.id, created.id)
    await t.rejects(dataProvider.getOne('products', { id: created.id }), { name: 'CrudError', status: 404 })
  })

  t.test('several records are changed and deleted, and failures are counted', async (t) => {
    const category = tech.id
    const ids: number[] = []
    for (const name of ['A', 'B', 'C']) ids.push((await api['/products'].create({ name, price: 1, category })).id)
    const writes = await renderHook(t, wrap, () => ({ update: useUpdateMany(), remove: useDeleteMany() }))
    const [update] = writes.value.update
    const changed = await update('products', { ids, data: { stock: 7 } }, { returnPromise: true })
    t.strictSame(changed, ids)
    const { items } = await api['/products'].list({ filter: { id: { in: ids } } })
    t.strictSame(items.map(({ stock }) => stock), [7, 7, 7])

    await api['/products'].delete(ids[1]!)
    requests()
    const [remove] = writes.value.remove
    await t.rejects(settled((callbacks) => remove('products', { ids }, callbacks)), {
      name: 'CrudError', status: 404,
      message: new RegExp(`^1 of 3 records failed \\(${ids[1]}\\)\\. The first error: `),
      cause: { name: 'CrudError', status: 404 },
    })
    t.equal(requests().length, 3, 'no write is repeated')
    t.equal((await api['/products'].list({ filter: { id: { in: ids } } })).total, 0, 'the others are deleted')
  })

  t.test('drafts are archived together', async (t) => {
    const ids: string[] = []
    for (const name of ['One', 'Two']) ids.push((await api['/categories'].create({ name: `Draft ${name}` })).id)
    const { value: [update] } = await renderHook(t, wrap, () => useUpdateMany())
    requests()
    await update('categories', { ids, data: { status: 'archived' } }, { returnPromise: true })
    t.equal(requests()[0], `PATCH /categories?filter[id][in]=${ids.join()}`)
    for (const id of ids) t.equal((await api['/categories'].get(id)).status, 'archived')
  })

  t.test('errors are shown beside the inputs of a form', async (t) => {
    const form = (child: ReactNode): ReactElement =>
      wrap(createElement(
        EditBase,
        { resource: 'categories', id: tech.id, mutationMode: 'pessimistic', redirect: false },
        createElement(Form, null, child)
      ))
    const rendered = await renderHook(t, form, () => {
      const name = useInput({ source: 'name' })
      const price = useInput({ source: 'price' })
      const { notifications } = useNotificationContext()
      return { name, price, notifications, errors: [name.fieldState.error?.message, price.fieldState.error?.message] }
    })
    const { name, price } = await rendered.until(({ name }) => name.field.value === 'Tech')
    name.field.onChange(5)
    price.field.onChange('cheap')
    await rendered.until(({ price }) => price.field.value === 'cheap')
    submitForm()
    const refused = await rendered.until(({ notifications }) => notifications.length > 0)
    t.strictSame(refused.errors, ["'name' must be a string.", "'price' must be a number."])
    t.match(refused.notifications, [{ message: "'name' must be a string. 'price' must be a number.", type: 'error' }])

    refused.name.field.onChange('Technology')
    refused.price.field.onChange(500)
    await rendered.until(({ price }) => price.field.value === 500)
    submitForm()
    await rendered.until(({ notifications }) => notifications.some(({ type }: { type?: string }) => type === 'info'))
    t.match(await api['/categories'].get(tech.id), { name: 'Technology', price: 500 })
  })

  t.test('errors of a body name its properties, and embedded ones', async (t) => {
    const error = await dataProvider.create('categories', { data: { nmae: 'x', tags: ['a'] } }).catch((error) => error)
    t.ok(isCrudError(error) && error instanceof FormError && error instanceof CrudError)
    t.equal(error.status, 400)
    t.match(error.body.errors, { name: /./, nmae: /./, tags: { 0: /./ }, root: { serverError: error.message } })
  })

  t.test('a filter that does not exist is refused by the server', async (t) => {
    await t.rejects(dataProvider.getList('categories', { filter: { nmae: 'x' } }), {
      name: 'CrudError', code: 'FST_CRUD_FILTER_INVALID', errors: [{ suggestion: 'name' }],
    })
    await t.rejects(dataProvider.getList('categories', { filter: { 'name@nearly': 'x' } }), {
      code: 'FST_CRUD_FILTER_INVALID',
      errors: [{ allowed: ['contains', 'ends', 'eq', 'ilike', 'in', 'like', 'ne', 'nin', 'starts'] }],
    })
    await t.rejects(dataProvider.getList('nothing', {}), { name: 'CrudError', status: 404 })
  })

  t.test('a list that the page no longer needs is aborted', async (t) => {
    const controller = new AbortController()
    const list = dataProvider.getList('categories', { signal: controller.signal })
    controller.abort()
    await t.rejects(list, { name: 'AbortError' })
  })
})

t.test('versions, other keys and lists without a total', async (t) => {
  const { api, requests } = await nurseryApi(t)
  const dataProvider = createDataProvider(api, {
    resources: { orders: { version: 'version' }, plants: { id: 'uuid', maxPerPage: 3 } },
  })

  t.test('a write changes only the version that the user saw', async (t) => {
    const { data: previousData } = await dataProvider.getOne('orders', { id: 1 })
    const change = (note: string) =>
      dataProvider.update('orders', { id: 1, data: { ...previousData, note }, previousData })
    const { data } = await change('first')
    t.match(data, { note: 'first', version: previousData.version + 1 })
    await t.rejects(change('second'), { name: 'CrudError', status: 412 })
    await t.rejects(dataProvider.delete('orders', { id: 1, previousData }), { name: 'CrudError', status: 412 })
    // also with the record of a list, which has no entity tag
    const { data: [listed] } = await dataProvider.getList('orders', { filter: { id: 1 } })
    t.match((await dataProvider.update('orders', { id: 1, data: { note: 'third' }, previousData: listed })).data, {
      note: 'third',
    })
  })

  t.test('a write without a version is refused before it is sent', async (t) => {
    requests()
    await t.rejects(dataProvider.update('orders', { id: 1, data: { note: 'x' }, previousData: { id: 1 } }),
      new TypeError('No version in previousData.version: this write could overwrite the change of another user.'))
    await t.rejects(dataProvider.delete('orders', { id: 1 }), TypeError)
    t.strictSame(requests(), [])
  })

  t.test('the key of a resource may be another property than id', async (t) => {
    const { data, total, pageInfo } = await dataProvider.getList('plants', {
      pagination: { page: 1, perPage: 7 },
      sort: { field: 'id', order: 'ASC' },
    })
    t.equal(data.length, 7, 'in pages of three')
    t.equal(total, undefined, 'the server does not count')
    t.strictSame(pageInfo, { hasNextPage: true, hasPreviousPage: false })
    t.ok(data.every(({ id, uuid }) => id === uuid))
    const ids = data.slice(0, 4).map(({ id }) => id)
    requests()
    t.strictSame((await dataProvider.getMany('plants', { ids })).data.map(({ id }) => id).sort(), [...ids].sort())
    t.equal(requests().length, 2)
    const { data: previousData } = await dataProvider.getOne('plants', { id: ids[0] })
    const changed = await dataProvider.update('plants', {
      id: ids[0], data: { ...previousData, price: 3 }, previousData,
    })
    t.match(changed.data, { id: ids[0], price: 3 })
  })

  t.test('several records are changed or deleted by one request for each hundred', async (t) => {
    const provider = createDataProvider(api, {
      resources: { plants: { id: 'uuid', operations: ['updateMany', 'deleteMany'] } },
    })
    const wrap = within(t, provider)
    const names = Array.from({ length: 103 }, (_, index) => `Bulk ${index}`)
    const plants = await api['/plants'].createMany(names.map((name) => ({ name, supplier: 1 })))
    const ids = plants.map(({ uuid }) => uuid!)
    const some = ids.slice(0, 3)
    const writes = await renderHook(t, wrap, () => ({ update: useUpdateMany(), remove: useDeleteMany() }))
    const [update] = writes.value.update
    requests()
    t.strictSame(await update('plants', { ids: some, data: { price: 7 } }, { returnPromise: true }), some)
    t.strictSame(requests()[0], `PATCH /plants?filter[uuid][in]=${some.join()}`)
    t.equal((await api['/plants'].get(some[2]!)).price, 7)
    requests()
    await t.rejects(provider.updateMany('plants', { ids: some, data: { price: 'x' } }), {
      name: 'CrudError', status: 400, body: { errors: { price: /./ } },
    })
    t.strictSame(await provider.updateMany('plants', { ids: some, data: {} }), { data: some })
    t.strictSame(await provider.deleteMany('plants', { ids: [] }), { data: [] })
    t.equal(requests().length, 1, 'nothing is sent if nothing changes')

    const [remove] = writes.value.remove
    await settled((callbacks) => remove('plants', { ids: some }, callbacks))
    requests()
    await t.rejects(provider.deleteMany('plants', { ids: [...ids, ids[5]!] }), {
      name: 'CrudError', status: 404, message: '3 of 103 records were not found. The others are done.',
    })
    t.strictSame(requests().map((request) => request.split('?')[0]), ['DELETE /plants', 'DELETE /plants'])
    await t.rejects(provider.deleteMany('plants', { ids: some }), { message: '3 of 3 records were not found.' })
    t.strictSame((await api['/plants'].list({ filter: { uuid: { in: ids.slice(3, 100) } } })).items, [])
  })

  t.test('a failure after the first hundred says how many records are done', async (t) => {
    const provider = createDataProvider(api, { resources: { plants: { id: 'uuid', operations: ['deleteMany'] } } })
    const names = Array.from({ length: 100 }, (_, index) => `More ${index}`)
    const plants = await api['/plants'].createMany(names.map((name) => ({ name, supplier: 1 })))
    const ids = plants.map(({ uuid }) => uuid!)
    await t.rejects(provider.deleteMany('plants', { ids: [...ids, 'x'] }), {
      name: 'CrudError', status: 400, code: 'FST_CRUD_FILTER_INVALID', message: /^100 of 101 records are done\. ./,
      cause: { status: 400 },
    })
    await provider.updateMany('plants', { ids: [], data: { price: 1 } })
  })
})
