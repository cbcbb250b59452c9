/** The explorer in a browser, with resources of every kind: hostile data, all types, composite keys, versions. */
import t from 'tap'
import { entities, Order, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { eventually, openBrowser, skipReason } from '../helpers/browser.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { accessibilityFaults, openPage, settled } from './explorer-page.ts'
import { describedBy, explored } from './nursery.ts'

// a browser on a busy machine
t.setTimeout(600_000)

const HOSTILE = '<script>document.title = "x"</script><img src=x onerror=alert(1)> \u202Ecba'

/** Whether the list is up to date, or marked as busy, in the first frame that says that a record is deleted. */
const FIRST_FRAME_OF_DELETION = `(async () => {
  while (!document.querySelector('.drawer').textContent.includes('The record is deleted.')) {
    await new Promise(requestAnimationFrame)
  }
  const list = document.querySelector('.grid')
  return list.ariaBusy === 'true' || !list.textContent.includes('Betony') ? 'yes' : 'no'
})()`

const skip = skipReason()
if (skip) t.pass(skip)
else {
  await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
    const app = await explored(t, orm)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const base = `${origin}/explorer`
    const browser = await openBrowser(t)
    const em = orm.em.fork()
    await em.nativeUpdate(Plant, { id: 1 }, { name: HOSTILE, latinName: 'x'.repeat(100) })

    t.test('every resource shows its records, with all relations, and opens one', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      for (const resource of (await describedBy(app)).resources) {
        const paths = resource.includes.slice(0, 10).map(({ path }) => path)
        await page.goto(base + resource.path + (paths.length > 0 ? `?include=${paths.join()}` : ''))
        await settled(page)
        if (resource.operations.list) {
          t.ok(await page.locator('tbody tr').count() > 0, resource.path)
          t.equal(await page.getByRole('alert').count(), 0, resource.path)
          await page.locator('tbody td').first().click()
        } else {
          t.equal(await page.locator('.request, .filters, .toolbar .popover').count(), 0, 'no tools of a list')
          // a record is opened by its key
          await page.getByLabel('Id').fill('1')
          await page.getByRole('button', { name: 'Open the record' }).click()
        }
        await page.locator('.values').first().waitFor()
        t.strictSame(await accessibilityFaults(page), [], resource.path)
        t.equal(await page.locator('.drawer').getByRole('alert').count(), 0, resource.path)
      }
      t.strictSame(faults, [])
    })

    t.test('hostile text is shown as text', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${base}/plants?filter[id]=1&filter[status]=all&~open=1`)
      await settled(page)
      const shown = HOSTILE.replace('\u202E', '⟨U+202E⟩')
      await eventually(t, () => page.getByRole('heading', { level: 2 }).last().innerText(), shown)
      await eventually(t, () => page.locator('tbody tr').innerText(), /<script>document\.title/)
      t.equal(await page.locator('main script, main img').count(), 0)
      await eventually(t, () => page.title(), /^Plant · /)
      t.strictSame(faults, [])
    })

    t.test('a stale version shows the difference, and what is kept is sent with the present version', async (t) => {
      const { page, faults, asked } = await openPage(browser, origin)
      const [order] = (await app.inject({ url: '/orders' })).json().items
      await page.goto(`${base}/orders?~open=${order.id}`)
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      // the form reads the record once more, with its relations
      await settled(page)
      const drawer = page.getByRole('complementary')
      await drawer.getByRole('textbox', { name: 'Note' }).fill('mine')
      await app.inject({
        method: 'PATCH', url: `/orders/${order.id}`, headers: { 'if-match': '*' }, payload: { note: 'theirs' },
      })
      await page.keyboard.press('Control+Enter')
      await eventually(t, () => drawer.getByRole('group', { name: 'Note' }).innerText(), /Now\s+theirs\s+Yours\s+mine/)
      t.strictSame(await accessibilityFaults(page), [])
      await drawer.getByRole('radio', { name: 'mine' }).check()
      await drawer.getByRole('button', { name: 'Continue with this choice' }).click()
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.getByRole('button', { name: 'Edit', exact: true }).waitFor()
      t.equal((await em.fork().findOneOrFail(Order, order.id)).note, 'mine')
      t.equal(asked.filter((request) => request.startsWith('PATCH')).length, 2)
      t.strictSame(faults, [])
    })

    t.test('several records are created at once from JSON, and one is deleted and restored', async (t) => {
      const { page, faults } = await openPage(browser, origin)
      await page.goto(`${base}/plants?~create=yes`)
      await page.getByRole('button', { name: /Paste JSON/ }).click()
      const supplier = (await app.inject({ url: '/suppliers' })).json().items[0].id
      const body = ['Aster', 'Betony'].map((name, index) => ({ name, sku: `new-${index}`, status: 'active', supplier }))
      await page.getByRole('textbox', { name: /A record, or a list of at most 7/ }).fill(JSON.stringify(body))
      await page.getByRole('button', { name: 'Create 2' }).click()
      await page.getByRole('complementary').waitFor({ state: 'detached' })
      await settled(page)
      await page.getByText('Betony').first().click()
      const drawer = page.getByRole('complementary')
      await drawer.getByRole('button', { name: 'Delete', exact: true }).click()
      await drawer.getByRole('alert').getByRole('button', { name: 'Delete', exact: true }).click()
      const isMarked = await page.waitForFunction(FIRST_FRAME_OF_DELETION)
      t.equal(await isMarked.jsonValue(), 'yes', 'a list that still has the deleted record is marked as out of date')
      await eventually(t, () => page.locator('tbody').getByText('Betony').count(), 0)
      await drawer.getByRole('button', { name: 'Restore' }).click()
      await page.locator('tbody').getByText('Betony').first().waitFor()
      t.strictSame(faults, [])
    })
  })
}
