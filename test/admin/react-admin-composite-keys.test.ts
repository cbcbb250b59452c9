/** Records with composite keys in react-admin, whose hooks know one `id`. */
import { closeDom } from '../helpers/dom.ts'
import {
  useCreate, useDelete, useDeleteMany, useGetList, useGetManyAggregate, useGetManyReference, useGetOne, useReference,
  useUpdate, useUpdateMany,
} from 'ra-core'
import t from 'tap'
import { createDataProvider, joinId, splitId } from '../../src/admin/react-admin/index.ts'
import { renderHook } from '../helpers/hooks.ts'
import { ledgerApi, ledgerResources } from '../helpers/ledger-api.ts'
import { settled, within } from '../helpers/react-admin.ts'

t.teardown(closeDom)

t.test('records with composite keys', async (t) => {
  const { api, requests } = await ledgerApi(t)
  const dataProvider = createDataProvider(api, { resources: ledgerResources })
  const wrap = within(t, dataProvider)
  const [north1, north2, south1] = [['North~1/2', 1], ['North~1/2', 2], ['South!', 1]].map(joinId)

  t.test('lists give each record an id, and sort by all parts of the key', async (t) => {
    requests()
    const pagination = { page: 1, perPage: 10 }
    const sort = { field: 'id', order: 'ASC' } as const
    const list = await renderHook(t, wrap, () => useGetList('invoices', { pagination, sort }))
    const { data } = await list.until(({ isSuccess }) => isSuccess)
    t.strictSame(data!.map(({ id }) => id), [north1, north2, south1])
    t.strictSame(data!.map(({ id }) => splitId(id)[1]), [1, 2, 1])
    t.strictSame(requests(), ['GET /invoices?sort=+branch,+id&page=1&per_page=10'])
    const lines = await dataProvider.getList('lines', { pagination, sort: { field: 'id', order: 'DESC' } })
    t.strictSame(lines.data.map(({ id }) => id)[0], joinId(['South!', 1, 2]))
    t.equal(lines.data[0].invoice, south1, 'a relation to a composite key has the id of its record')
  })

  t.test('one record, also with its relations', async (t) => {
    const one = await renderHook(t, wrap, () => useGetOne('invoices', { id: north2! }))
    const { data } = await one.until(({ isSuccess }) => isSuccess)
    t.match(data, { id: north2, branch: 'North~1/2', customer: 'North~1/2 2' })
    const id = joinId(['South!', 1, 2])
    const { data: line } = await dataProvider.getOne('lines', { id, meta: { include: ['invoice'] } })
    t.match(line, { id, text: 'Second', invoice: { branch: 'South!', id: 1, customer: 'South! 1' } })
    for (const wrong of ['South!!', 'South!!~9', 'South!!~1~1']) {
      await t.rejects(dataProvider.getOne('invoices', { id: wrong }), { name: 'CrudError', status: 404 }, wrong)
    }
  })

  t.test('references are read in one request for each value of the other parts', async (t) => {
    requests()
    const many = await renderHook(t, wrap, () => useGetManyAggregate('invoices', { ids: [north1!, north2!] }))
    const { data } = await many.until(({ isSuccess }) => isSuccess)
    t.strictSame(data!.map(({ id }) => id), [north1, north2])
    t.strictSame(requests(), ['GET /invoices?filter[branch][in]=North~1/2&filter[id][in]=1,2&per_page=2'])
    const ids = [north1!, south1!, north2!, 'gone', 'gone~9', north1!]
    const { data: all } = await dataProvider.getMany('invoices', { ids })
    t.strictSame(all.map(({ id }) => id).sort(), [north1, north2, south1].sort())
    t.equal(requests().length, 3, 'by id, which has fewer values than there are keys')
    const reference = await renderHook(t, wrap, () => useReference({ reference: 'invoices', id: south1! }))
    t.match((await reference.until(({ isPending }) => !isPending)).referenceRecord, {
      id: south1,
      customer: 'South! 1',
    })
  })

  t.test('records that refer to a record', async (t) => {
    for (const reference of ['lines', 'payments']) {
      const list = await renderHook(t, wrap, () =>
        useGetManyReference(reference, {
          target: 'invoice', id: south1!, pagination: { page: 1, perPage: 5 }, sort: { field: 'id', order: 'ASC' },
        }))
      const { data, total } = await list.until(({ isSuccess }) => isSuccess)
      t.equal(total, reference === 'lines' ? 2 : 1)
      t.ok(data!.every(({ invoice }) => invoice === south1))
    }
    const { total } = await dataProvider.getList('lines', { filter: { invoice: north1, position: 2 } })
    t.equal(total, 1, 'as a filter of a list')
    t.equal((await dataProvider.getList('payments', { filter: { 'invoice@in': [north1] } })).total, 0)
    t.equal((await dataProvider.getList('payments', { filter: { invoice: null } })).total, 0, 'a filter for null')
  })

  t.test('records with composite keys are created, changed and deleted', async (t) => {
    const writes = await renderHook(t, wrap, () => ({ create: useCreate(), update: useUpdate(), remove: useDelete() }))
    const { create: [create], update: [update], remove: [remove] } = writes.value
    const now = { returnPromise: true } as const
    const invoice = await create('invoices', { data: { branch: 'West', id: 7, customer: 'Ada' } }, now)
    t.match(invoice, { id: 'West~7', branch: 'West', customer: 'Ada' })
    const line = await create('lines', { data: { invoice: invoice.id, position: 1, text: 'New' } }, now)
    t.match(line, { id: 'West~7~1', invoice: 'West~7', text: 'New' })

    const change = { id: invoice.id, data: { ...invoice, customer: 'Bob' }, previousData: invoice }
    const changed = await update('invoices', change, now)
    t.match(changed, { id: 'West~7', customer: 'Bob', version: 2 })
    await t.rejects(dataProvider.update('invoices', change), { name: 'CrudError', status: 412 })

    const payment = await create('payments', { data: { amount: 1, invoice: south1 } }, now)
    const moved = { ...payment, invoice: 'West~7' }
    t.match(await update('payments', { id: payment.id, data: moved, previousData: payment }, now), {
      id: payment.id,
      invoice: 'West~7',
    })
    const freed = { id: payment.id, data: { ...moved, invoice: null }, previousData: moved }
    t.match(await update('payments', freed, now), { invoice: null })

    const removed = await settled((callbacks) => remove('lines', { id: line.id, previousData: line }, callbacks))
    t.match(removed, { id: 'West~7~1' })
    await settled((callbacks) => remove('invoices', { id: invoice.id, previousData: changed }, callbacks))
    await t.rejects(dataProvider.getOne('invoices', { id: 'West~7' }), { name: 'CrudError', status: 404 })
  })

  t.test('several records are changed and deleted', async (t) => {
    const ids = [joinId(['North~1/2', 1, 1]), joinId(['South!', 1, 1])]
    const writes = await renderHook(t, wrap, () => ({ update: useUpdateMany(), remove: useDeleteMany() }))
    await writes.value.update[0]('lines', { ids, data: { text: 'Changed' } }, { returnPromise: true })
    const { data } = await dataProvider.getMany('lines', { ids })
    t.strictSame(data.map(({ text }) => text), ['Changed', 'Changed'])
    await settled((callbacks) => writes.value.remove[0]('lines', { ids }, callbacks))
    t.strictSame((await dataProvider.getMany('lines', { ids })).data, [])
  })

  t.test('several records are changed and deleted together, by the part of the key that differs', async (t) => {
    const lines = { ...ledgerResources.lines, operations: ['updateMany', 'deleteMany'] } as const
    const provider = createDataProvider(api, { resources: { ...ledgerResources, lines } })
    const ids = [1, 2].map((number) => joinId(['North~1/2', number, 2]))
    requests()
    t.strictSame(await provider.updateMany('lines', { ids, data: { text: 'Together' } }), { data: ids })
    const path = '/lines?filter[invoice.branch][in]=North~1/2&filter[position][in]=2&filter[invoice.id][in]=1,2'
    t.strictSame(requests(), [`PATCH ${path}`])
    const { data } = await provider.getMany('lines', { ids })
    t.strictSame(data.map(({ text }) => text), ['Together', 'Together'])
    requests()
    await provider.deleteMany('lines', { ids })
    t.strictSame(requests(), [`DELETE ${path}`])
    await t.rejects(provider.deleteMany('lines', { ids: [undefined as never] }), { name: 'CrudError', status: 404 })
    t.strictSame(requests(), [], 'an id that is none')
  })

  t.test('a record without a part of its key is refused', async (t) => {
    const listWith = async (id: readonly ['invoice', 'position'] | readonly ['invoice.id', 'text'], fields: string[]) =>
      await createDataProvider(api, { resources: { lines: { id } } }).getList('lines', { meta: { fields } })
    await t.rejects(
      listWith(['invoice', 'position'], []),
      new TypeError(
        "'invoice' of a record of 'lines' is an object. Name the part of the key in it, such as 'invoice.id'."
      )
    )
    await t.rejects(listWith(['invoice.id', 'text'], ['position', 'invoice']),
      new TypeError("A record of 'lines' has no 'text', which is a part of its key (invoice.id, text)."))
  })

  t.test('an id that is none is refused without a request', async (t) => {
    requests()
    for (const id of [undefined, null, NaN, '', [], {}] as never[]) {
      for (const act of [
        () => dataProvider.getOne('lines', { id }),
        () => dataProvider.update('lines', { id, data: { text: 'x' }, previousData: { id } }),
        () => dataProvider.delete('lines', { id, previousData: { id } }),
        () => dataProvider.deleteMany('lines', { ids: [id] }),
      ]) {
        // the promise of a method, whether it throws or rejects
        await t.rejects((async () => await act())(), { message: /^id: .* is not a key of a record/ }, String(id))
      }
    }
    t.strictSame(requests(), [])
  })
})
