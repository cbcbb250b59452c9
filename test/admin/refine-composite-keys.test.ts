/** Records with composite keys in refine, whose hooks know one `id`. */
import { closeDom } from '../helpers/dom.ts'
import {
  useCreate, useDelete, useDeleteMany, useList, useMany, useOne, useUpdate, useUpdateMany,
} from '@refinedev/core'
import t from 'tap'
import { createDataProvider, joinId } from '../../src/admin/refine/index.ts'
import { renderHook } from '../helpers/hooks.ts'
import { ledgerApi, ledgerResources } from '../helpers/ledger-api.ts'
import { within } from '../helpers/refine.ts'

t.teardown(closeDom)

t.test('records with composite keys', async (t) => {
  const { api, requests } = await ledgerApi(t)
  const dataProvider = createDataProvider(api, { resources: ledgerResources })
  const wrap = within(dataProvider)
  const [north1, north2, south1] = [['North~1/2', 1], ['North~1/2', 2], ['South!', 1]].map(joinId)

  t.test('lists, single records and several records have ids', async (t) => {
    requests()
    const list = await renderHook(t, wrap, () =>
      useList({
        resource: 'lines',
        sorters: [{ field: 'id', order: 'desc' }],
        filters: [{ field: 'invoice', operator: 'eq', value: south1 }, { field: 'position', operator: 'in', value: 2 }],
      }))
    const { result: { data } } = await list.until(({ query }) => query.isSuccess)
    t.match(data, [{ id: joinId(['South!', 1, 2]), invoice: south1 }])
    t.strictSame(requests(), [
      'GET /lines?filter[invoice.branch][eq]=South!&filter[invoice.id][eq]=1&filter[position][in]=2' +
      '&sort=-invoice.branch,-invoice.id,-position&page=1&per_page=10',
    ])
    const one = await renderHook(t, wrap, () => useOne({ resource: 'invoices', id: north2! }))
    t.match((await one.until(({ query }) => query.isSuccess)).result, { id: north2, customer: 'North~1/2 2' })
    requests()
    const many = await renderHook(t, wrap, () => useMany({ resource: 'invoices', ids: [north1!, south1!] }))
    const { result } = await many.until(({ query }) => query.isSuccess)
    t.strictSame(result.data.map(({ id }) => id).sort(), [north1, south1].sort())
    t.strictSame(requests(), ['GET /invoices?filter[id][in]=1&filter[branch][in]=North~1/2,South!&per_page=2'])
  })

  t.test('records with composite keys are created, changed and deleted', async (t) => {
    const writes = await renderHook(t, wrap, () => ({ create: useCreate(), update: useUpdate(), remove: useDelete() }))
    const { create, update, remove } = writes.value
    const { data: invoice } = await create.mutateAsync({
      resource: 'invoices',
      values: { branch: 'West', id: 7, customer: 'Ada' },
    })
    t.match(invoice, { id: 'West~7', branch: 'West', customer: 'Ada' })
    const { data: line } = await create.mutateAsync({
      resource: 'lines',
      values: { invoice: invoice.id, position: 1, text: 'New' },
    })
    t.match(line, { id: 'West~7~1', invoice: 'West~7' })
    const { data: changed } = await update.mutateAsync({
      resource: 'invoices', id: invoice.id!, values: { id: invoice.id, customer: 'Bob', version: 1 },
    })
    t.match(changed, { id: 'West~7', customer: 'Bob', version: 2 })
    await remove.mutateAsync({ resource: 'lines', id: line.id! })
    await remove.mutateAsync({ resource: 'invoices', id: invoice.id!, meta: { version: 2 } })
    await t.rejects(dataProvider.getOne({ resource: 'invoices', id: 'West~7' }), { name: 'CrudHttpError' })
  })

  t.test('several records are changed and deleted', async (t) => {
    const ids = [joinId(['North~1/2', 1, 1]), joinId(['South!', 1, 1])]
    const writes = await renderHook(t, wrap, () => ({ update: useUpdateMany(), remove: useDeleteMany() }))
    const { data } = await writes.value.update.mutateAsync({ resource: 'lines', ids, values: { text: 'Changed' } })
    t.strictSame(data.map(({ id, text }) => [id, text]), ids.map((id) => [id, 'Changed']))
    await writes.value.remove.mutateAsync({ resource: 'lines', ids })
    t.strictSame((await dataProvider.getMany({ resource: 'lines', ids })).data, [])
  })

  t.test('an id that is none is refused without a request', async (t) => {
    requests()
    for (const id of [undefined, null, NaN, '', [], {}] as never[]) {
      for (const act of [
        () => dataProvider.getOne({ resource: 'lines', id }),
        () => dataProvider.update({ resource: 'lines', id, variables: { text: 'x' } }),
        () => dataProvider.deleteOne({ resource: 'lines', id }),
        () => dataProvider.deleteMany!({ resource: 'lines', ids: [id] }),
      ]) {
        // the promise of a method, whether it throws or rejects
        await t.rejects((async () => await act())(), { message: /^id: .* is not a key of a record/ }, String(id))
      }
    }
    t.strictSame(requests(), [])
  })
})
