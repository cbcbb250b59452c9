/** The promises of SECURITY.md are covered by tests. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'

const root = path.join(import.meta.dirname, '../..')
const page = fs.readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
const REPOSITORY = 'https://github.com/fastify-crud-kit/fastify-crud-kit/blob/main/'
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!.replace(REPOSITORY, ''))

t.test('every promise is linked to a test', async (t) => {
  const section = /^## Promises\n([^]*?)^## /m.exec(page)![1]!
  const promises = section.split('\n').filter((line) => line.startsWith('|')).slice(2)
  t.ok(promises.length >= 10)
  for (const promise of promises) {
    const [, , test = ''] = promise.split('|')
    t.ok(linksOf(test).length > 0 && linksOf(test).every((link) => /^test\/.*\.test\.ts$/.test(link)), promise)
  }
})

t.test('it names no unattended address', async (t) => {
  t.notMatch(page, /[\w.]+@[\w-]+\.[a-z]+/i)
})
