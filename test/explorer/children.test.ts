/** Children in the explorer's forms: what is shown, what is sent, and where errors are. */
import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import t from 'tap'
import { defineAccess, IdempotencyRecord } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { closeDom, submitForm, window } from '../helpers/dom.ts'
import { resource } from '../http/helper.ts'
import { openDomPage } from './dom-page.ts'
import { describedBy, explored } from './nursery.ts'
import { entity } from '../helpers/entity.ts'

const id = { id: p.integer().primary().autoincrement() }

const Product = entity('Product', { ...id, name: p.string() })
const Order = entity('Order', {
  ...id, customer: p.string(), version: p.integer().version(), lines: () => p.oneToMany(OrderLine).mappedBy('order'),
  notes: () => p.oneToMany(OrderNote).mappedBy('order'),
}, { tableName: 'orders' })
const OrderLine = entity('OrderLine', {
  ...id, order: () => p.manyToOne(Order), product: () => p.manyToOne(Product), quantity: p.integer().default(1),
  remark: p.string().nullable(),
})
/** The order is a part of its key. */
const OrderNote = entity('OrderNote', {
  order: () => p.manyToOne(Order).primary(), place: p.string().primary(), text: p.string(),
})

async function seed (em: EntityManager): Promise<void> {
  const [bolt, nut] = ['bolt', 'nut'].map((name) => em.create(Product, { name } as never))
  const order = em.create(Order, { customer: 'Ann' } as never)
  em.create(OrderLine, { order, product: bolt, quantity: 8 } as never)
  em.create(OrderLine, { order, product: nut, quantity: 2 } as never)
  em.create(OrderNote, { order, place: 'a/b', text: 'fragile' } as never)
  em.create(Order, { customer: 'Bob' } as never)
  await em.flush()
}

const entities = [Product, Order, OrderLine, OrderNote, IdempotencyRecord]
const allow = defineAccess<{ Product: unknown, Order: unknown, OrderLine: unknown, OrderNote: unknown }>()
const rows = {}
const read = ['list', 'get'] as const
const ROLES = ['admin', 'adder', 'remover', 'reader']

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const orders = resource(Order, {
    allowedFilters: [{ id: ['eq', 'in'] }],
    allowedIncludes: ['lines', 'lines.product', 'notes'],
  }, {
    writable: ['customer', {
      lines: { create: ['product', 'quantity', 'remark'], update: ['quantity', 'remark'] },
      notes: ['place', 'text'],
    }],
  })
  const child = (operations: readonly string[]) => ({ OrderLine: { operations }, OrderNote: { operations: read } })
  const app = await explored(t, orm, {
    access: allow({
      role: ({ headers }) => String(headers['x-role'] ?? 'admin'),
      roles: {
        admin: true,
        adder: { '*': { rows }, ...child([...read, 'create']) },
        remover: { '*': { rows }, ...child([...read, 'delete']) },
        reader: { '*': { rows }, ...child(read) },
      } as any,
    }),
    resources: {
      '/orders': {
        crud: orders, operations: ['list', 'get', 'create', 'update', 'updateMany'], maxBatch: 4,
        idempotency: { required: true },
      },
      '/products': resource(Product, { allowedFilters: [{ name: ['eq', 'contains'] }], allowedSorts: ['name'] }),
    },
  }, { explorer: { headers: [{ name: 'x-role', values: ROLES }] } })
  const order = async (id: number) => (await app.inject(`/orders/${id}?include=lines,notes`)).json()

  t.test('the document has what the role of the caller may do with children', async (t) => {
    const lists = async (role: string) => {
      const { resources: [{ children, bodies }] } = await describedBy(app, { 'x-role': role }) as any
      const of = (body: any) => body.properties.lines?.properties ?? body.properties.lines?.type
      return [
        children.map(({ name }: any) => name).join(), of(bodies.create), Object.keys(of(bodies.update) ?? {}).join(),
      ]
    }
    t.strictSame(await lists('admin'), ['lines,notes', 'array', 'add,update,remove'])
    t.strictSame(await lists('adder'), ['lines', 'array', 'add'])
    t.strictSame(await lists('remover'), ['lines', undefined, 'remove'])
    t.strictSame(await lists('reader'), ['', undefined, ''])
  })

  const page = await openDomPage(app, '/orders?~open=1', { 'x-role': 'admin' })
  t.teardown(closeDom)
  const { all, asked, click, fill, find, shows, textOf } = page
  const LINES = '[data-field=lines]'
  const line = (number: number): string => `${LINES} .child:nth-of-type(${number})`
  const writes = () => asked.filter((request) => !request.startsWith('GET'))
  const titles = () => all(`${LINES} .child > .field-head .field-title`).map(({ textContent }) => textContent)
  const status = () => textOf(`${LINES} [role=status]`)
  const quantities = () => all(`${LINES} input[aria-label=Quantity]`).map((input) => (input as any).value)
  /** Saves, and waits until the record and the list are read again. */
  const save = async (body: string): Promise<void> => {
    await click('.form-foot .button-main', 'Save')
    await find('.actions button', 'Edit')
    t.equal(writes().at(-1), `PATCH /orders/1 ${body}`)
    await shows(t, () => all('[aria-busy=true]').length, 0)
  }
  const focused = () => window.document.activeElement?.getAttribute('aria-label')

  t.test('lines are added, changed and removed, and only changes are sent', async (t) => {
    await click('.actions button', 'Edit')
    await shows(t, quantities, ['8', '2'])
    t.match(textOf(`${line(1)} dl`), /Productbolt/, 'what cannot be changed is shown')
    await fill(`${line(1)} input[aria-label=Quantity]`, '9')
    await shows(t, status, '1 changed')
    await fill(`${line(1)} input[aria-label=Quantity]`, '8')
    await shows(t, status, '', 'the same value is no change')
    await fill(`${line(1)} input[aria-label=Quantity]`, '9')
    await click(`${line(2)} button`, 'Remove Order line 2')
    await shows(t, () => textOf(`${line(2)} s`), 'nut, 2')
    await click(`${line(2)} button`, 'Keep Order line 2')
    await shows(t, status, '1 changed')
    await click(`${line(2)} button`, 'Remove Order line 2')
    await click(`${LINES} .add-child`)
    await shows(t, focused, 'Product', 'the focus is in the new line')
    await shows(t, status, '1 new, 1 changed, 1 removed')
    await fill(`${line(3)} input[aria-label=Quantity]`, 'many')

    await click('.form-foot .button-main', 'Save')
    await shows(t, () => textOf('.drawer .notice-error'), /The API refuses 2 values/)
    t.equal(writes().at(-1),
      'PATCH /orders/1 {"lines":{"add":[{"quantity":"many"}],"update":[{"id":1,"quantity":9}],"remove":[2]}}')
    t.match(textOf(`${line(3)} [data-field=product] [role=alert]`), /product' is required/)
    t.match(textOf(`${line(3)} [data-field=quantity] [role=alert]`), /quantity' must be/)
    await shows(t, focused, 'Product', 'the focus is on the first refused value')
    await click(`${LINES} .add-child`)
    await click(`${line(3)} button`, 'Remove Order line 3')
    await shows(t, titles, ['Order line 1changed', 'Order line 2removed', 'Order line 3new'])
    t.equal(all(`${LINES} [role=alert]`).length, 0, 'the errors went away with their line')

    await fill(`${line(3)} input[role=combobox]`, 'bol')
    await find(`${line(3)} [role=option]`, 'bolt')
    ;(await find(`${line(3)} [role=option]`, 'bolt')).dispatchEvent(
      new window.Event('mousedown', { bubbles: true, cancelable: true })
    )
    await shows(t, () => textOf(`${line(3)} .lookup-chosen`), 'bolt')
    await save('{"lines":{"add":[{"product":1}],"update":[{"id":1,"quantity":9}],"remove":[2]}}')
    t.match(await order(1), { version: 2, lines: [{ id: 1, quantity: 9 }, { id: 3, product: 1, quantity: 1 }] })
  })

  t.test('a key of several parts, and a line that is gone, are said at their line', async (t) => {
    await click('.actions button', 'Edit')
    await fill('[data-field=notes] input[aria-label=Text]', 'not fragile')
    await fill(`${line(2)} input[aria-label=Quantity]`, '5')
    // beside the form, and without a new version
    await orm.em.fork().nativeDelete(OrderLine, { id: 3 })
    await click('.form-foot .button-main', 'Save')
    await shows(t, () => textOf(`${line(2)} > [role=alert]`), /absent|not exist/)
    t.equal(
      writes().at(-1),
      'PATCH /orders/1 {"lines":{"update":[{"id":3,"quantity":5}]},' +
        '"notes":{"update":[{"place":"a/b","text":"not fragile"}]}}'
    )
    await click(`${line(2)} button`, 'Remove Order line 2')
    page.go('/products')
    await shows(t, () => textOf('.unsaved'), /Ann|1/)
    page.go('/orders?~open=1')
    await shows(t, titles, ['Order line 1', 'Order line 2not there any more'], 'nothing that was typed is lost')
    await click(`${line(2)} button`, 'Forget Order line 2')
    await shows(t, titles, ['Order line 1'])
    await save('{"notes":{"update":[{"place":"a/b","text":"not fragile"}]}}')
    t.match(await order(1), { version: 3, lines: [{ id: 1 }], notes: [{ text: 'not fragile' }] })
  })

  t.test('a record that others have changed meanwhile shows the difference, and a choice', async (t) => {
    const others = async (customer: string): Promise<void> => {
      const headers = { 'if-match': '*', 'idempotency-key': customer.replace(' ', '-') }
      const { statusCode } = await app.inject({ method: 'PATCH', url: '/orders/2', headers, payload: { customer } })
      t.equal(statusCode, 200)
    }
    const edit = async (customer: string): Promise<void> => {
      await click('.actions button', 'Edit')
      await fill('input[aria-label=Customer]', customer)
    }
    const answered = 'input[name=keep-customer]'
    page.go('/orders?~open=2')
    await shows(t, () => textOf('.drawer-body'), /Bob/)
    await edit('mine')
    await others('theirs')
    await click('.form-foot .button-main', 'Save')
    await shows(t, () => textOf('.conflict fieldset'), /^CustomerBefore: Bob.*Nowtheirs.*Yoursmine$/)
    t.strictSame(all(answered).map((radio) => (radio as any).checked), [false, true], 'a change is kept by default')
    t.match(await order(2), { customer: 'theirs', version: 2 }, 'nothing was saved')
    await click('.drawer button', 'Continue with this choice')
    await click('.form-foot .button-main', 'Save')
    await find('.actions button', 'Edit')
    t.equal(writes().at(-1), 'PATCH /orders/2 {"customer":"mine"}')
    t.match(await order(2), { customer: 'mine', version: 3 })

    await edit('mine again')
    await others('theirs again')
    await click('.form-foot .button-main', 'Save')
    await shows(t, () => all(answered).length, 2)
    all(answered)[0]!.click()
    await shows(t, () => all(answered).map((radio) => (radio as any).checked), [true, false])
    const count = writes().length
    await click('.drawer button', 'Continue with this choice')
    await find('.actions button', 'Edit')
    await shows(t, () => textOf('.drawer-body'), /theirs again/)
    t.equal(writes().length, count, 'nothing more was sent')
    t.match(await order(2), { customer: 'theirs again', version: 4 })
  })

  t.test('a new record has new lines, as a form and as JSON', async (t) => {
    page.go('/orders?~create=yes')
    await fill('input[aria-label=Customer]', 'Cid')
    await click('[data-field=notes] .add-child')
    await fill('[data-field=notes] input[aria-label=Place]', 'top')
    submitForm()
    await shows(t, () => textOf('[data-field=notes] [data-field=text] [role=alert]'), /text' is required/)
    t.equal(writes().at(-1), 'POST /orders {"customer":"Cid","notes":[{"place":"top"}]}')
    await click('.drawer button', 'Paste JSON')
    await fill('.drawer textarea', '{"customer":"Cid","notes":[{"place":"top","text":"x"}],"lines":[{"product":2}]}')
    await click('.drawer button', 'Back to the form')
    await shows(t, () => all('[data-field=notes] .child input').map((input) => (input as any).value), ['top', 'x'])
    await click(`${LINES} .add-child`)
    await click(`${line(2)} button`, 'Remove')
    page.loseAnswer()
    submitForm()
    await shows(t, () => textOf('.drawer .notice-error'), /^ NETWORK/)
    submitForm()
    await find('.actions button', 'Edit')
    t.equal(writes().at(-1), writes().at(-2), 'it was sent twice')
    t.equal(await orm.em.fork().count(Order, { customer: 'Cid' }), 1, 'and done once')
    t.equal(writes().at(-1),
      'POST /orders {"customer":"Cid","lines":[{"product":2}],"notes":[{"place":"top","text":"x"}]}')
  })

  t.test('many records are not changed together with their children', async (t) => {
    page.go('/orders')
    await click('[aria-label="Select all records of this page"]')
    await click('.many-bar button', 'Edit')
    const options = () => all('.drawer select option').map(({ textContent }) => textContent)
    await shows(t, options, ['Choose…', 'Customer'])
    await fill('.drawer select', 'customer')
    await fill('input[aria-label=Customer]', 'Dee')
    const copiedKey = async (url: RegExp): Promise<string> => {
      await click('.sent button', 'Copy as…')
      await shows(t, () => textOf('.sent .copy-menu pre'), url)
      const [, key] = /idempotency-key: ([\d-]+)/.exec(textOf('.sent .copy-menu pre')!)!
      await click('.sent button', 'Copy as…')
      return key!
    }
    const dryRun = await copiedKey(/dry_run=true/)
    t.equal(await copiedKey(/dry_run=true/), dryRun, 'the same request has the same key')
    await click('.form-foot .button-main', 'Dry run')
    await find('.form-foot .button-main', 'Save')
    t.not(await copiedKey(/in\]=[\d,]+'/), dryRun, 'another request has another key')
    await click('.field button', 'Remove Customer')
    await click('.drawer-head button', 'Close')
  })

  t.test('a role that may only add, or only remove, sees only that', async (t) => {
    const askAs = async (role: string): Promise<void> => {
      await click('button', 'Ask as')
      await click('.profile label', role)
    }
    const controls = () =>
      all(`${LINES} :is(button, input)`).map(({ textContent, ariaLabel }: any) => ariaLabel ?? textContent)
    page.go('/orders?~open=1')
    await askAs('adder')
    await click('.actions button', 'Edit')
    await shows(t, controls, ['Add order line'])
    await shows(t, () => textOf(`${line(1)} dl`), /Quantity9/)
    t.equal(all('[data-field=notes]').length, 0)
    await askAs('remover')
    await shows(t, controls, ['Remove Order line 1'])
    await click(`${line(1)} button`, 'Remove Order line 1')
    await save('{"lines":{"remove":[1]}}')
    await askAs('reader')
    await click('.actions button', 'Edit')
    await find('input[aria-label=Customer]')
    await shows(t, () => all(LINES).length, 0)
  })
})
