import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { Article, Author, Category, entities, Order, OrderLine, Product, Tag } from '../../example/entities/index.ts'
import { fill } from '../../example/seed/bulk.ts'
import { seed } from '../../example/seed/catalogue.ts'
import { progressBar } from '../../example/seed/progress-bar.ts'
import { copyTemplate, forEachDatabase } from '../helpers/databases.ts'

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  t.test('the catalogue has the rows that the examples of the documentation use', async (t) => {
    const em = orm.em.fork()
    const [tech, ...others] = await em.find(Category, { name: 'Tech', price: { $gte: 100 } }, {
      populate: ['products', 'tags', 'articles'],
    })
    t.strictSame(others, [])
    t.equal(tech?.status, 'active')
    t.ok(tech!.products.length >= 5)
    t.ok(tech!.tags.length > 0 && tech!.articles.length > 0)
    t.equal(await em.count(Category), 12)
    t.ok(await em.count(Product) >= 30)
    t.ok(await em.count(Product, { deleted_at: { $ne: null } }) > 0, 'something is soft-deleted')
    t.ok(await em.count(Article, { deleted_at: { $ne: null } }) > 0)
    t.ok(await em.count(Article, { published_at: null }) > 0, 'something is not published')
    t.ok(await em.count(Order) > 2 && await em.count(OrderLine) > 5)
    t.ok(await em.count(Tag) > 0 && await em.count(Author) > 0)
    t.strictSame(new Set((await em.find(Category, {})).map(({ status }) => status)),
      new Set(['active', 'draft', 'archived']))
  })

  t.test('fill adds categories with five products each', async (t) => {
    const em = orm.em.fork()
    const products = await em.count(Product)
    const progress: number[] = []
    await fill(em, 2_003, (done) => progress.push(done))
    t.strictSame(progress, [2_000, 2_003])
    t.equal(await em.count(Category), 12 + 2_003)
    t.equal(await em.count(Product), products + 5 * 2_003)
    const made = await em.findOneOrFail(Category, { name: 'Tech 8' }, { populate: ['products'] })
    t.match(made, { price: 633.52, status: 'draft', created_at: new Date('2020-01-01T02:16:00.000Z') })
    t.equal(made.products.length, 5)
  })

  t.test('the schema needs no update', async (t) => {
    t.equal(await orm.schema.getUpdateSchemaSQL(), '')
  })
})

t.test('the progress bar is redrawn on a terminal, and prints every tenth elsewhere', async (t) => {
  const draw = (isTTY: boolean, steps: number[]) => {
    const out = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
    const progress = progressBar(2_000, out as unknown as NodeJS.WriteStream)
    for (const done of steps) progress(done)
    return out.read() as string
  }
  t.equal(draw(false, [100, 200, 250, 2_000]), '10 %  200 of 2,000\n100 %  2,000 of 2,000\n')
  t.equal(draw(true, [1_000, 2_000]),
    `\r${'█'.repeat(20)}${'░'.repeat(20)} 50 %  1,000 of 2,000\r${'█'.repeat(40)} 100 %  2,000 of 2,000\n`)
})

t.test('npm run seed fills the folder once, npm run report prints it, and npm run import reads a file', async (t) => {
  const cwd = t.testdir({ '.data': {} })
  const template = copyTemplate()
  if (template) fs.renameSync(template.folder, path.join(cwd, '.data/example'))
  const { DATABASE_URL, ...env } = process.env
  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [
      '--liftoff-only', path.join(import.meta.dirname, `../../example/${script}.ts`), ...args,
    ], { cwd, env, encoding: 'utf8' })
  t.match(run('seed', '--categories', '7'), { status: 0, stdout: '100 %  7 of 7\n19 categories\n', stderr: '' })
  t.match(run('seed'), { status: 0, stdout: '19 categories\n' }, 'the catalogue is there already')
  t.match(run('seed', '--categories', 'x'), { status: 1, stderr: /--categories takes a whole number/ })
  t.match(run('report', 'filter[name]=Tech&sort=-price'), {
    status: 0, stdout: /'Tech' │ 499 +│ 'active' │[^]*\n1 of 1\n$/, stderr: '',
  })
  t.match(run('report', 'filter[nme]=Tech'), {
    status: 1,
    stderr: /The filter 'nme' is not allowed. Did you mean 'name'\?/,
  })
  const file = path.join(import.meta.dirname, '../../example/seed/products.csv')
  t.match(run('import', file), { status: 0, stdout: '2 products added, 2 changed\n', stderr: '' })
  t.match(run('import', file), { status: 0, stdout: '0 products added, 4 changed\n' }, 'the file can be read again')
  fs.writeFileSync(path.join(cwd, 'bad.csv'), 'sku,name,price,stock,category\nX-1,Pin,1,1,Office\nX-2,Pin,1,1,Ofice\n')
  t.match(run('import', 'bad.csv'), { status: 1, stderr: "Line 3: there is no category 'Ofice'.\n" })
  t.match(run('import'), { status: 1, stderr: /Name a CSV file/ })
})
