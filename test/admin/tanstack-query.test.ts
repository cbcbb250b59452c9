/** The options for TanStack Query, used by its own hooks and client, against a listening server. */
import { closeDom } from '../helpers/dom.ts'
import {
  QueryClient, QueryClientProvider, queryOptions as withTags, useInfiniteQuery, useQuery,
} from '@tanstack/react-query'
import { createElement, type ReactElement, type ReactNode } from 'react'
import t from 'tap'
import { createClient, CrudError, etagOf } from '../../src/client/index.ts'
import { infiniteQueryOptions, queryOptions, retry } from '../../src/client/tanstack-query.ts'
import { exampleApi, nurseryApi, type ExampleApi } from '../helpers/admin-api.ts'
import { renderHook } from '../helpers/hooks.ts'

t.teardown(closeDom)

t.test('queries of lists and records', async (t) => {
  const { api, requests } = await exampleApi(t)
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } })
  t.teardown(() => queryClient.clear())
  const wrap = (child: ReactNode): ReactElement => createElement(QueryClientProvider, { client: queryClient }, child)
  const productList = queryOptions(['products', 'list'], api['/products'].list)
  const product = queryOptions(['products', 'get'], api['/products'].get)
  const productPages = infiniteQueryOptions(['products', 'pages'], api['/products'].pages)

  t.test('a list is read once for all that use it', async (t) => {
    const lists = await renderHook(t, wrap, () => [
      useQuery(productList({ filter: { price: { gte: 100 } }, sort: ['-price'] })),
      useQuery(productList({ filter: { price: { gte: 100 } }, sort: ['-price'] })),
    ])
    const [one, other] = await lists.until((all) => all.every(({ isSuccess }) => isSuccess))
    t.ok(one!.data!.items.every(({ price }) => price! >= 100))
    t.equal(one!.data, other!.data)
    t.strictSame(requests(), ['GET /products?filter[price][gte]=100&sort=-price'])
    t.strictSame(
      queryClient.getQueryData(withTags(productList({ filter: { price: { gte: 100 } }, sort: ['-price'] })).queryKey),
      one!.data
    )
  })

  t.test('a record by its key', async (t) => {
    const { items: [first] } = await api['/products'].list()
    const { id } = first!
    const one = await renderHook(t, wrap, () => [
      useQuery(product(id)), useQuery(product(id, { include: ['category'] })), useQuery(product(BigInt(id!))),
    ])
    const [bare, included, big] = await one.until((all) => all.every(({ isSuccess }) => isSuccess))
    t.strictSame(bare!.data, first)
    t.match(included!.data, { id, category: { name: String } })
    t.strictSame(big!.data, first)
  })

  t.test('pages follow cursors', async (t) => {
    requests()
    const all = await renderHook(t, wrap, () => {
      const { data, ...query } = useInfiniteQuery(productPages({ sort: ['id'], per_page: 4 }))
      return { data, ...query }
    })
    await all.until(({ isSuccess }) => isSuccess)
    await all.value.fetchNextPage()
    const { data, hasNextPage, hasPreviousPage } = await all.until(({ data }) => data?.pages.length === 2)
    t.strictSame(data!.pages.flatMap(({ items }) => items.map(({ id }) => id)),
      (await api['/products'].list({ sort: ['id'], per_page: 8 })).items.map(({ id }) => id))
    t.ok(hasNextPage)
    t.notOk(hasPreviousPage)
    t.equal(requests().length, 3)
    const { next_cursor: cursor } = data!.pages[0]!
    t.equal(productPages({ sort: ['id'], cursor: cursor! }).initialPageParam, cursor)
  })

  t.test('queries have keys of their arguments', async (t) => {
    t.strictSame(productList().queryKey, ['products', 'list'])
    t.strictSame(productList({ page: 2 }).queryKey, ['products', 'list', { page: 2 }])
    t.strictSame(product(5).queryKey, ['products', 'get', 5])
    await queryClient.invalidateQueries({ queryKey: ['products'], refetchType: 'none' })
    t.ok(queryClient.getQueryState(product((await api['/products'].list()).items[0]!.id).queryKey)?.isInvalidated)
  })

  t.test('a query that is cancelled ends its request', async (t) => {
    const { signal, abort } = ((controller) => ({
      signal: controller.signal,
      abort: () => controller.abort(),
    }))(new AbortController())
    const lists = [
      productList().queryFn({ signal }),
      productList({ page: 1 }).queryFn({ signal }),
      product(1).queryFn({ signal }),
      product(1, { include: ['tags'] }).queryFn({ signal }),
      productPages().queryFn({ signal, pageParam: '' }),
    ]
    abort()
    for (const list of lists) await t.rejects(list as Promise<unknown>, { name: 'AbortError' })
  })
})

t.test('TanStack Query reads data again', async (t) => {
  const { api } = await nurseryApi(t)
  const queryClient = new QueryClient()
  t.teardown(() => queryClient.clear())
  const order = queryOptions(['orders', 'get'], api['/orders'].get)(1)
  const list = queryOptions(['orders', 'list'], api['/orders'].list)()
  /** Reads, and returns the data that components see. */
  const read = async (options: { readonly queryKey: readonly unknown[] }) => {
    await queryClient.fetchQuery(options)
    return queryClient.getQueryData<object>(options.queryKey)!
  }

  t.test('a record that a write has changed comes with its new version', async (t) => {
    for (const version of [1, 2, 3]) {
      const shown = await read(order)
      t.equal(etagOf(shown), `"${version}"`)
      await api['/orders'].update(1, { note: `after ${version}` }, { ifMatch: shown })
    }
  })

  t.test('unchanged data stays the same object, so that nothing is rendered again', async (t) => {
    const shown = await read(order)
    t.equal(await read(order), shown)
    const page = await read(list)
    t.equal(await read(list), page)
    await api['/orders'].update(1, { note: 'other' })
    t.not(await read(list), page)
  })
})

t.test('only a read without an answer is repeated', async (t) => {
  const network = new CrudError({ status: 0, code: 'NETWORK', detail: 'x' })
  t.strictSame([0, 1, 2, 3].map((failures) => retry(failures, network)), [true, true, true, false])
  t.notOk(retry(0, new CrudError({ status: 400, code: 'FST_CRUD_FILTER_INVALID', detail: 'x' })))
  t.notOk(retry(0, new CrudError({ status: 503, code: 'FST_CRUD_UNAVAILABLE', detail: 'x' })))
  t.notOk(retry(0, new TypeError('a mistake of the application')))

  let calls = 0
  const api = createClient<ExampleApi>('http://localhost', {
    fetch: async () => {
      calls++
      return new Response('{"code":"FST_CRUD_FILTER_INVALID","detail":"no"}', { status: 400 })
    },
  })
  const queryClient = new QueryClient()
  const list = queryOptions(['tags'], api['/tags'].list)
  await t.rejects(queryClient.fetchQuery(list()), { name: 'CrudError', status: 400 })
  t.equal(calls, 1)
  queryClient.clear()
})
