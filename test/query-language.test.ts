/** The pages about the query language: their requests have the answers that they show, on both databases. */
import fs from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { OPERATOR_NAMES } from '../src/operators/index.ts'
import { newDatabases } from './helpers/databases.ts'
import { checkExchanges } from './helpers/check-document.ts'
import { readDocument, tablesOf } from './helpers/document.ts'
import { importProgram } from './helpers/programs.ts'

const folder = 'docs/query-language'
const files = fs.readdirSync(path.join(import.meta.dirname, '..', folder)).sort()
const pages = files.map((name) => ({ name, ...readDocument(`${folder}/${name}`) }))
const pageOf = (name: string) => pages.find((page) => page.name === name)!
const { buildCatalogue } = await importProgram<{ buildCatalogue: (databaseUrl: string) => Promise<FastifyInstance> }>(t,
  pageOf('program.md').program)

const list = (length: number, item: (index: number) => unknown): string =>
  Array.from({ length }, (_, index) => item(index)).join(',')

/** A request that exceeds each limit of the page's table, in its order. */
const EXCESSIVE = [
  list(101, () => 'sort=name').replaceAll(',', '&'), `sort=${'n'.repeat(8 * 1024)}`, 'filter[name][eq][now]=1',
  `filter[id][in]=${list(101, (index) => index)}`, `filter[name][like]=${'n'.repeat(257)}`,
  `filter[name][like]=%25${'_'.repeat(8)}`, `include=${list(11, (index) => `relation${index}`)}`, 'include=a.b.c.d',
  'filter[__proto__]=1',
]

for (const { name, skip, open } of newDatabases) {
  t.test(name, { skip }, async (t) => {
    const { url, close } = await open()
    const app = await buildCatalogue(url)
    t.teardown(async () => {
      await app.close()
      await close()
    })

    t.test('every request has the answer that its page shows', async (t) => {
      t.ok(pages.flatMap(({ exchanges }) => exchanges).length > 200, 'they are found')
      for (const { exchanges } of pages) {
        await checkExchanges(t, exchanges, async ({ method, headers, body: payload }, url) => {
          const { statusCode, headers: { 'content-type': type }, body } = await app.inject({
            method: method as 'GET' | 'POST', url, headers, ...(payload !== undefined && { payload }),
          })
          return { status: statusCode, type: String(type), text: body }
        })
      }
    })

    t.test('the queries for those who come from other libraries find records', async (t) => {
      for (const name of ['nestjs-paginate', 'platformatic-db', 'laravel-query-builder']) {
        const [[, ...rows] = []] = tablesOf(readDocument(`docs/coming-from/${name}.md`).text)
        t.ok(rows.length > 8, name)
        for (const [, cell] of rows) {
          const [, query] = /^`([^`]+)`/.exec(cell!)!
          const response = await app.inject(`/products?${query}`)
          t.equal(response.statusCode, 200, query!)
          t.ok((response.json() as { items: unknown[] }).items.length > 0, query!)
        }
      }
    })

    t.test('the tables of rows match the database', async (t) => {
      const tables = [...pageOf('README.md').text.matchAll(/^\*\*(\/\w+)\*\*\n\n((?:\|.*\n)+)/gm)]
      t.equal(tables.length, 5)
      for (const [, path, text] of tables) {
        const [header = [], ...rows] = tablesOf(text!)[0]!
        const deleted = header.includes('deleted_at') ? '&filter[trashed]=with' : ''
        const { items } = (await app.inject(`${path}?fields=${header.join(',')}${deleted}`)).json() as {
          items: Array<Record<string, unknown>>,
        }
        const cell = (value: unknown) =>
          value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
        t.strictSame(rows, items.map((item) => header.map((name) => cell(item[name]))), path!)
      }
    })

    t.test('unknown parameters and limits are errors', async (t) => {
      const mistakes = pageOf('mistakes.md')
      const refused = async (query: string): Promise<{ message: string, errors: Array<{ suggestion?: string }> }> => {
        const response = await app.inject(`/products?${query}`)
        t.equal(response.statusCode, 400, query.slice(0, 80))
        return response.json()
      }
      const [, ...unknown] = tablesOf(mistakes.text).find(([header]) => header![0] === 'Written')!
      t.equal(unknown.length, 11)
      for (const [written, meant] of unknown) {
        for (const [, name] of written!.matchAll(/`([^`]+)`/g)) {
          t.equal((await refused(`${name}=1`)).errors[0]!.suggestion, meant!.replaceAll('`', ''), name!)
        }
      }
      const [, ...limits] = tablesOf(mistakes.text).find(([header]) => header![0] === 'Limit')!
      t.equal(limits.length, EXCESSIVE.length)
      for (const [index, [, message]] of limits.entries()) {
        t.equal((await refused(EXCESSIVE[index]!)).message, message!.replaceAll('\\', ''))
      }
      for (const query of EXCESSIVE) {
        t.equal((await app.inject(`/shop?${query}`)).statusCode, 400, 'also where errors are ignored')
      }
    })
  })
}

t.test('programs behave as described', async (t) => {
  const page = pageOf('programs.md')
  for (const block of ['ts params.ts', 'ts mistakes.ts']) {
    t.match(page.block(block), 'fastify-crud-kit')
    await t.resolves(importProgram(t, page.block(block)), block)
  }
})

t.test('the table of operators has every one', async (t) => {
  const [, ...rows] = tablesOf(pageOf('filters.md').text).find(([header]) => header![0] === 'Operator')!
  const operators = rows.flatMap(([cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, operator]) => operator))
  t.strictSame([...new Set(operators)].sort(), [...OPERATOR_NAMES].sort())
})

t.test('the first page leads to all others', async (t) => {
  const links = [...pageOf('README.md').text.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link]) => link!)
  t.strictSame(links.sort(), files.filter((name) => name !== 'README.md'))
})
