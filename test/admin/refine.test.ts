/** The data provider of refine, called by refine's own hooks, against listening servers. */
import { closeDom } from '../helpers/dom.ts'
import {
  useApiUrl, useCreate, useCreateMany, useCustom, useDelete, useDeleteMany, useList, useMany, useOne, useUpdate,
  useUpdateMany, type CrudFilter, type CrudOperators,
} from '@refinedev/core'
import t from 'tap'
import { createDataProvider, CrudHttpError } from '../../src/admin/refine/index.ts'
import { createClient } from '../../src/client/index.ts'
import { exampleApi, nurseryApi, type ExampleApi } from '../helpers/admin-api.ts'
import { renderHook } from '../helpers/hooks.ts'
import { within } from '../helpers/refine.ts'

t.teardown(closeDom)

const names = (data: ReadonlyArray<Record<string, any>>) => data.map(({ name }) => name)

t.test('refine shows and changes records of the example', async (t) => {
  const { api, url, requests } = await exampleApi(t)
  const dataProvider = createDataProvider(api)
  const wrap = within(dataProvider)
  const { items: categories } = await api['/categories'].list({ sort: ['+name'] })
  const tech = categories.find(({ name }) => name === 'Tech')!
  requests()

  t.test('lists have pages, orders and filters', async (t) => {
    const list = await renderHook(t, wrap, () =>
      useList({
        resource: 'products',
        pagination: { currentPage: 2, pageSize: 2 },
        sorters: [{ field: 'price', order: 'desc' }, { field: 'name', order: 'asc' }],
        filters: [
          { field: 'price', operator: 'gte', value: 20 },
          { operator: 'and', value: [{ field: 'stock', operator: 'gt', value: 0 }] },
          {
            operator: 'or',
            value: ['Tech', 'Garden'].map((value) => ({ field: 'category.name', operator: 'eq', value })),
          },
        ],
        meta: { include: ['category'], fields: ['id', 'name'], fieldsByInclude: { category: ['name'] } },
      }))
    const { result } = await list.until(({ query }) => query.isSuccess)
    t.strictSame(requests(), [
      'GET /products?filter[price][gte]=20&filter[stock][gt]=0&filter[category.name][in]=Tech,Garden' +
      '&fields[category]=name&sort=-price,+name&include=category&fields=id,name&page=2&per_page=2',
    ])
    t.equal(result.data.length, 2)
    t.ok(result.total! > 4)
    t.strictSame(Object.keys(result.data[0]!).sort(), ['category', 'id', 'name'])
  })

  t.test('lists without pages are read completely', async (t) => {
    requests()
    const provider = createDataProvider(api, { resources: { products: { maxPerPage: 10 } } })
    const { data, total } = await provider.getList({ resource: 'products', pagination: { mode: 'off' } })
    t.equal(data.length, (await api['/products'].list()).total)
    t.equal(total, data.length)
    t.match(requests()[0], /^GET \/products\?per_page=10&cursor=$/)
    t.strictSame((await provider.getList({ resource: 'products' })).data.length, 10, 'refine shows ten by default')
  })

  t.test('records by their keys in one request', async (t) => {
    requests()
    const ids = categories.slice(0, 3).map(({ id }) => id)
    const many = await renderHook(t, wrap, () => useMany({ resource: 'categories', ids }))
    const { result } = await many.until(({ query }) => query.isSuccess)
    t.strictSame(result.data.map(({ id }) => id).sort(), [...ids].sort())
    t.equal(requests().length, 1)
    const one = await renderHook(t, wrap,
      () => useOne({ resource: 'categories', id: tech.id, meta: { include: ['productsCount'] } }))
    t.match((await one.until(({ query }) => query.isSuccess)).result, { name: 'Tech', productsCount: 5 })
  })

  t.test('create, update and delete', async (t) => {
    const writes = await renderHook(t, wrap, () => ({ create: useCreate(), update: useUpdate(), remove: useDelete() }))
    const { data: created } = await writes.value.create.mutateAsync({
      resource: 'products',
      values: { name: 'Globe', price: 20, category: tech.id },
    })
    t.match(created, { name: 'Globe', price: 20, stock: 0 })
    const { data: updated } = await writes.value.update.mutateAsync({
      resource: 'products', id: created.id!, values: { price: 25 },
    })
    t.match(updated, { name: 'Globe', price: 25 })
    await writes.value.remove.mutateAsync({ resource: 'products', id: created.id! })
    await t.rejects(dataProvider.getOne({ resource: 'products', id: created.id! }), {
      name: 'CrudHttpError', statusCode: 404, code: 'FST_CRUD_NOT_FOUND', cause: { name: 'CrudError', status: 404 },
    })
  })

  t.test('several records are changed and deleted, and failures are counted', async (t) => {
    const category = tech.id
    const ids: number[] = []
    for (const name of ['A', 'B', 'C']) ids.push((await api['/products'].create({ name, price: 1, category })).id)
    const writes = await renderHook(t, wrap, () => ({ update: useUpdateMany(), remove: useDeleteMany() }))
    const { data } = await writes.value.update.mutateAsync({ resource: 'products', ids, values: { stock: 7 } })
    t.strictSame(data.map(({ id, stock }) => [id, stock]), ids.map((id) => [id, 7]))
    await api['/products'].delete(ids[1]!)
    await t.rejects(writes.value.remove.mutateAsync({ resource: 'products', ids }), {
      name: 'CrudHttpError',
      statusCode: 404,
      message: `1 of 3 records failed (${ids[1]}). The first error: The record was not found.`,
    })
    t.equal((await api['/products'].list({ filter: { id: { in: ids } } })).total, 0, 'the others are deleted')
  })

  t.test('errors name the properties of a form', async (t) => {
    const { value: create } = await renderHook(t, wrap, () => useCreate())
    const error = await create.mutateAsync({
      resource: 'categories', values: { name: 5, tags: ['a'] }, errorNotification: false,
    }).catch((error: unknown) => error)
    t.ok(error instanceof CrudHttpError)
    t.match(error, {
      message: /'name' must be a string/,
      statusCode: 400,
      errors: { name: ["'name' must be a string."], 'tags.0': [/./] },
      cause: { name: 'CrudError', errors: [{ source: { pointer: '/name' } }, {}] },
    })
  })

  t.test('filters of every operator that the API has', async (t) => {
    const find = async (...filters: CrudFilter[]) =>
      names(
        (await dataProvider.getList({ resource: 'categories', filters, sorters: [{ field: 'name', order: 'asc' }] }))
          .data
      )
    const by = (operator: Exclude<CrudOperators, 'and' | 'or'>, value?: unknown, field = 'name') =>
      find({ field, operator, value })
    t.strictSame(await by('eq', 'Tech'), ['Tech'])
    t.strictSame(await by('eqs', 'Tech'), ['Tech'])
    t.strictSame(await by('in', ['Tech', 'Books']), ['Books', 'Tech'])
    t.strictSame(await by('in', 'Tech'), ['Tech'])
    t.strictSame(await by('contains', 'OOK'), ['Books'])
    t.strictSame(await by('containss', 'OOK'), [])
    t.strictSame(await by('containss', 'ook'), ['Books'])
    t.strictSame(await by('startswith', 'boo'), ['Books'])
    t.strictSame(await by('startswiths', 'boo'), [])
    t.strictSame(await by('endswith', 'OKS'), ['Books'])
    t.strictSame(await by('endswiths', 'oks'), ['Books'])
    t.strictSame(await by('containss', '%'), [], 'wildcards are literal')
    t.ok(!(await by('ne', 'Tech')).includes('Tech'))
    t.ok(!(await by('nin', ['Tech', 'Books'])).includes('Books'))
    t.ok((await by('between', [498, 500], 'price')).includes('Tech'))
    t.ok((await by('nnull', true, 'price')).includes('Tech'))
    t.notOk((await by('null', true, 'price')).includes('Tech'))
    const range = (['gt', 'gte', 'lt', 'lte'] as const).map((operator) => ({ field: 'price', operator, value: 499 }))
    t.strictSame(await find(...range), [])
    t.strictSame(await find(range[1]!, range[3]!), ['Tech'])
    t.strictSame(await find({ operator: 'or', value: [{ field: 'name', operator: 'eq', value: 'Tech' }] }), ['Tech'])
    t.ok((await by('eq', undefined)).length > 5, 'a filter without a value is none')
  })

  t.test('groups of filters', async (t) => {
    const tech: CrudFilter = { field: 'name', operator: 'contains', value: 'te' }
    const cheap: CrudFilter = { operator: 'and', value: [{ field: 'price', operator: 'lt', value: 50 }] }
    const { items: all } = await api['/categories'].list({ per_page: 100, sort: ['name'] })
    for (const [filters, parameters, keeps] of [
      [[{ operator: 'or', value: [tech, cheap] }], 'filter[or][0][name][contains]=te&filter[or][1][price][lt]=50',
        ({ name, price }) => /te/i.test(name) || price! < 50],
      [[tech, { ...tech, value: 'ch' }], 'filter[name][contains]=te&filter[and][0][name][contains]=ch',
        ({ name }) => /te/i.test(name) && /ch/i.test(name)],
      [
        [{ field: 'name', operator: 'ncontains', value: 'o' }, {
          field: 'price', operator: 'nbetween', value: [0, 50],
        }],
        'filter[not][name][contains]=o&filter[and][0][not][price][between]=0,50',
        ({ name, price }) => !/o/i.test(name) && !(price! <= 50),
      ],
      [[{ operator: 'or', value: [] }, { operator: 'or', value: [{ ...tech, value: undefined }] }], '', () => true],
    ] as ReadonlyArray<[CrudFilter[], string, (category: typeof all[number]) => boolean]>) {
      requests()
      const { data } = await dataProvider.getList({
        resource: 'categories', filters, sorters: [{ field: 'name', order: 'asc' }], pagination: { pageSize: 100 },
      })
      t.equal(/\?(filter.*?)?&?sort=/.exec(requests()[0]!)![1] ?? '', parameters)
      t.strictSame(names(data), names(all.filter(keeps)), parameters)
    }
  })

  t.test('an operator that the API does not have is refused before a request', async (t) => {
    requests()
    const filters = [{ field: 'name', operator: 'sounds', value: 'x' } as unknown as CrudFilter]
    await t.rejects(dataProvider.getList({ resource: 'categories', filters }), {
      name: 'TypeError',
      message: /^The filter 'name': the API has no operator for 'sounds', but for eq, eqs, ne, /,
    })
    t.strictSame(requests(), [])
  })

  t.test('an application sends its own requests by useCustom', async (t) => {
    const custom = await renderHook(t, wrap, () => ({
      url: useApiUrl(),
      answer: useCustom({
        url: `${useApiUrl()}/categories`,
        method: 'get',
        config: {
          query: { per_page: 1, fields: 'name' },
          filters: [{ field: 'name', operator: 'eq', value: 'Tech' }],
          sorters: [{ field: 'name', order: 'desc' }],
        },
      }),
    }))
    const { url: found, answer } = await custom.until(({ answer }) => answer.query.isSuccess)
    t.equal(found, url)
    t.match(answer.result.data, { items: [{ name: 'Tech' }] })
    const { data } = await dataProvider.custom({ url: '/categories?per_page=1', method: 'get', query: { page: 2 } })
    t.match(data, { page: 2 })
    t.strictSame(await dataProvider.custom({ url: '/categories', method: 'head' }), { data: {} })
    const send = async (url: string) => await dataProvider.custom({ url, method: 'get' })
    await t.rejects(send('/nothing'), { name: 'CrudHttpError', statusCode: 404 })
    for (const outside of ['https://example.com/', `${url}.example.com/`, '//example.com', '/\\example.com', 'x']) {
      await t.rejects(send(outside), { name: 'TypeError', message: /^custom: .* is not a URL of the API\./ })
    }
  })

  t.test('custom requests have the headers of the client and their own', async (t) => {
    const sent: Headers[] = []
    const client = createClient<ExampleApi>(url, {
      headers: { authorization: 'a', accept: 'x' },
      fetch: async (url, init) => {
        sent.push(init.headers as Headers)
        return await fetch(url, init)
      },
    })
    await createDataProvider(client).custom({ url: '/tags', method: 'get', headers: { 'x-own': 'b' } })
    t.strictSame([...sent[0]!], [['accept', 'application/json'], ['authorization', 'a'], ['x-own', 'b']])
    t.throws(() => createDataProvider({} as typeof api),
      new TypeError('This is not a client that createClient returned.'))
  })

  t.test('a list that the page no longer needs is aborted', async (t) => {
    const controller = new AbortController()
    const queryContext = { signal: controller.signal, queryKey: [] } as any
    const list = dataProvider.getList({ resource: 'categories', meta: { queryContext } })
    controller.abort()
    await t.rejects(list, { name: 'AbortError' })
  })
})

t.test('versions, batches, other keys and lists without a total', async (t) => {
  const { api, requests } = await nurseryApi(t)
  const dataProvider = createDataProvider(api, {
    resources: { orders: { version: 'version' }, plants: { id: 'uuid', maxPerPage: 3 } },
  })
  const wrap = within(dataProvider)

  t.test('a write changes only the version that the user saw', async (t) => {
    const { data: { version } } = await dataProvider.getOne({ resource: 'orders', id: 1 })
    const change = (variables: object, meta?: object) =>
      dataProvider.update({ resource: 'orders', id: 1, variables, ...meta && { meta } })
    t.match((await change({ note: 'first', version })).data, { note: 'first', version: version + 1 })
    await t.rejects(change({ note: 'second', version }), { statusCode: 412 } as object as Error)
    t.match((await change({ note: 'third' }, { version: version + 1 })).data, { note: 'third' })
    await t.rejects(dataProvider.deleteOne({ resource: 'orders', id: 1, meta: { version } }), { name: 'CrudHttpError' })
    requests()
    await t.rejects(
      change({ note: 'fourth' }),
      new TypeError(
        "No version in the values ('version') or in meta.version: " +
          'this write could overwrite the change of another user.'
      )
    )
    t.strictSame(requests(), [])
  })

  t.test('records are created in one request, all or none', async (t) => {
    const { value: create } = await renderHook(t, wrap, () => useCreateMany())
    requests()
    const { data } = await create.mutateAsync({
      resource: 'plants',
      values: ['One', 'Two'].map((name) => ({ name, supplier: 1 })),
    })
    t.strictSame(names(data), ['One', 'Two'])
    t.ok(data.every(({ id, uuid }) => id === uuid))
    t.strictSame(requests().slice(0, 1), ['POST /plants'])
    await t.rejects(
      dataProvider.createMany({
        resource: 'plants',
        variables: [{ name: 'Three', supplier: 1 }, { name: 3, supplier: 1 }],
      }),
      { name: 'CrudHttpError', errors: { '1.name': [/./] } } as object as Error
    )
    t.strictSame(
      (await dataProvider.getList({
        resource: 'plants',
        filters: [{ field: 'name', operator: 'eq', value: 'Three' }],
      })).data,
      []
    )
  })

  t.test('several records take one request if the resource says so, and one for each otherwise', async (t) => {
    const create = (operations: ReadonlyArray<'createMany' | 'updateMany' | 'deleteMany'>) =>
      createDataProvider(api, { resources: { plants: { id: 'uuid', operations } } })
    const single = create([])
    const together = create(['createMany', 'updateMany', 'deleteMany'])
    const variables = ['Four', 'Five'].map((name) => ({ name, supplier: 1 }))
    for (const [provider, count] of [[single, 2], [together, 1]] as const) {
      requests()
      const { data } = await provider.createMany({ resource: 'plants', variables })
      t.strictSame(names(data), ['Four', 'Five'])
      t.strictSame(requests(), Array(count).fill('POST /plants'))
      const ids = data.map(({ id }) => id!)
      const changed = await provider.updateMany({ resource: 'plants', ids, variables: { price: 2 } })
      t.strictSame(changed.data.map(({ id }) => id), ids)
      const removed = await provider.deleteMany({ resource: 'plants', ids })
      t.strictSame(removed.data.map(({ id }) => id), ids)
      const sent = requests()
      t.strictSame(sent.map((request) => request.split(/[ ?]/)[0]), [
        ...Array(count).fill('PATCH'),
        ...Array(count).fill('DELETE'),
      ])
      if (count === 1) t.ok(sent.every((request) => request.endsWith(` /plants?filter[uuid][in]=${ids.join()}`)))
      await t.rejects(provider.deleteMany({ resource: 'plants', ids }), {
        name: 'CrudHttpError',
        statusCode: 404,
      } as object as Error)
    }
    const wrong = [variables[0]!, { name: 3, supplier: 1 }]
    await t.rejects(single.createMany({ resource: 'plants', variables: wrong }), {
      name: 'CrudHttpError',
      message: /^1 of 2 records failed \(1\)\. The first error: /,
    } as object as Error)
  })

  t.test('a filter that takes no operator is sent without one', async (t) => {
    const provider = createDataProvider(api, { resources: { plants: { maxPerPage: 3, plainFilters: ['q'] } } })
    const find = async (...filters: CrudFilter[]) => await provider.getList({ resource: 'plants', filters })
    for (const operator of ['eq', 'contains'] as const) {
      requests()
      const { data } = await find({ field: 'q', operator, value: 'laven' })
      t.strictSame(names(data), ['Lavender', 'lavender'])
      t.match(requests()[0], /^GET \/plants\?filter\[q\]=laven&/)
    }
    const message = "The filter 'q' takes no operator: use 'eq' or 'contains', which are left out."
    await t.rejects(find({ field: 'q', operator: 'in', value: ['a'] }), new TypeError(message))
    const choice = ['a', 'b'].map((value): CrudFilter => ({ field: 'q', operator: 'eq', value }))
    await t.rejects(find({ operator: 'or', value: choice }), { name: 'CrudHttpError', message: /option `?query/ })
  })

  t.test('the key of a resource may be another property than id', async (t) => {
    const { data, total } = await dataProvider.getList({
      resource: 'plants', pagination: { currentPage: 2, pageSize: 3 }, sorters: [{ field: 'id', order: 'asc' }],
    })
    t.equal(total, 7, 'the server does not count: at least one more than those that are known')
    const [{ id } = { id: '' }] = data
    const { data: changed } = await dataProvider.update({ resource: 'plants', id: id!, variables: { id, price: 3 } })
    t.match(changed, { id, uuid: id, price: 3 })
  })
})
