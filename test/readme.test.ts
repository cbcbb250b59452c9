/** The statements of the README and its pages are true. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import * as library from '../src/index.ts'
import { OPERATOR_NAMES } from '../src/operators/index.ts'
import { completed, parseAbridged } from './helpers/abridged.ts'
import { checkDocument, readDocument, runClient, runProgram } from './helpers/document.ts'

const root = path.resolve(import.meta.dirname, '..')
const readme = readDocument('README.md')

t.test('the smallest program gives the answers of the README', async (t) => {
  t.equal(readme.exchanges.length, 2)
  await checkDocument(t, readme)
})

t.test('the program on an existing database gives the answers of its page', async (t) => {
  const page = readDocument('docs/existing-database.md')
  t.equal(page.exchanges.length, 7)
  await checkDocument(t, page)
})

t.test('the program about transactions commits all or nothing', async (t) => {
  const page = readDocument('docs/transactions.md')
  t.equal(page.exchanges.length, 7)
  await checkDocument(t, page)
})

t.test('the program about operations is healthy', async (t) => {
  const page = readDocument('docs/operations.md')
  t.equal(page.exchanges.length, 3)
  await checkDocument(t, page)
})

t.test('the script without promises prints the output of its page', async (t) => {
  const page = readDocument('docs/scripts.md')
  t.equal(runProgram(t, page.program), /^```text\n([^]*?)^```/m.exec(page.text)![1])
})

t.test('the client prints the output of its page', async (t) => {
  const { program, block } = readDocument('docs/client.md')
  t.equal(await runClient(t, program, block('ts client.ts')), block('text'))
})

t.test('an abridged answer must match the actual one', async (t) => {
  const actual = { items: [{ id: 1, text: '...' }, { id: 2 }], next: 'abc', total: 2 }
  const full = (shown: string, names = new Map<string, string>()) => completed(parseAbridged(shown), actual, names)
  for (
    const right of [
      '{ "items": [{ "id": 1, "text": "..." }, { "id": 2 }], "next": "abc", "total": 2 }',
      '{ "items": [{ "id": 1, ... }, ...], ... }',
      '{ "total": 2, "items": [...], "next": "<next>" }',
    ]
  ) t.strictSame(full(right), actual, right)
  for (
    const wrong of [
      '{ "items": [{ "id": 1, "text": "..." }, { "id": 2 }] }',
      '{ "items": [{ "id": 2, ... }, ...], ... }',
      '{ "items": [{ "id": 1, ... }, { "id": 2, ... }], ... }',
      '{ "items": [{ "id": 1, ... }, { "id": 2 }, ...], ... }',
      '{ "items": [...], "next": "abc", "total": 2, ... }',
      '{ "total": "<total>", ... }',
      '{ "absent": null, ... }',
      '[...]',
      '{ "items": {}, ... }',
    ]
  ) t.notSame(full(wrong), actual, wrong)
  const names = new Map<string, string>()
  full('{ "next": "<next>", ... }', names)
  t.strictSame([...names], [['next', 'abc']])
})

t.test('the query table has every operator', async (t) => {
  const table = readme.text.slice(readme.text.indexOf('## Query language'), readme.text.indexOf('## The whitelist'))
  for (const operator of OPERATOR_NAMES) t.match(table, operator)
})

t.test('every error class is in the table of codes', async (t) => {
  const classes = Object.entries(library).filter(([name]) => /^[A-Z].*Error$/.test(name))
  t.ok(classes.length > 10)
  for (const [name, Class] of classes) {
    const { code } = new (Class as new(items: unknown) => { code: string })(
      /ValidationError$|^TooLarge/.test(name) && name !== 'DataValidationError' ? [] : 'text'
    )
    t.match(readme.text, `\`${code}\``, name)
  }
})

const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...fs.globSync('docs/**/*.md', { cwd: root }),
]
const anchorOf = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
const anchorsOf = (file: string): string[] =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))

t.test('links lead to files, and to headings in them', async (t) => {
  for (const page of pages) {
    for (const [, link] of fs.readFileSync(path.join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file, anchor] = link!.split('#') as [string, string?]
      const target = file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file)
      if (!t.ok(fs.existsSync(target), `${page}: ${link}`) || anchor === undefined) continue
      t.ok(anchorsOf(target).includes(anchor), `${page}: ${link} has no heading in its file`)
    }
  }
})

t.test('the list of pages has every page', async (t) => {
  const list = fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8')
  for (const page of fs.readdirSync(path.join(root, 'docs')).filter((name) => /^[^R].*\.md$/.test(name))) {
    t.match(list, `](${page})`, page)
  }
})
