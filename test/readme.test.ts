/** The README and the pages of docs/: their links, lists and tables. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import * as library from '../src/index.ts'
import { OPERATOR_NAMES } from '../src/operators/index.ts'
import { completed, parseAbridged, parseWritten } from './helpers/abridged.ts'
import { readDocument, tablesOf } from './helpers/document.ts'
import { slugOf } from '../scripts/reference/links.ts'

const root = path.resolve(import.meta.dirname, '..')

t.test('an abridged answer must match the actual one', async (t) => {
  const actual = { items: [{ id: 1, text: '...' }, { id: 2 }], next: 'abc', total: 2 }
  t.strictSame(parseAbridged('{ "price": 499.00, ... }'), { price: Symbol.for('the number 499.00'), '...': true })
  t.notSame(parseAbridged('[499]'), parseWritten('[499.00]'), 'digits count')
  const full = (shown: string, names = new Map<string, string>()) => completed(parseAbridged(shown), actual, names)
  for (const right of [
    '{ "items": [{ "id": 1, "text": "..." }, { "id": 2 }], "next": "abc", "total": 2 }',
    '{ "items": [{ "id": 1, ... }, ...], ... }',
    '{ "total": 2, "items": [...], "next": "<next>" }',
  ]) t.strictSame(full(right), actual, right)
  for (const wrong of [
    '{ "items": [{ "id": 1, "text": "..." }, { "id": 2 }] }', '{ "items": [{ "id": 2, ... }, ...], ... }',
    '{ "items": [{ "id": 1, ... }, { "id": 2, ... }], ... }', '{ "items": [{ "id": 1, ... }, { "id": 2 }, ...], ... }',
    '{ "items": [...], "next": "abc", "total": 2, ... }', '{ "total": "<total>", ... }', '{ "absent": null, ... }',
    '[...]', '{ "items": {}, ... }',
  ]) t.notSame(full(wrong), actual, wrong)
  const names = new Map<string, string>()
  full('{ "next": "<next>", ... }', names)
  t.strictSame([...names], [['next', 'abc']])
})

t.test('the README has at most 150 lines', async (t) => {
  const { text, exchanges } = readDocument('README.md')
  t.ok(text.trimEnd().split('\n').length <= 150)
  t.equal(exchanges.length, 2)
})

t.test('the query table has every operator', async (t) => {
  const { text } = readDocument('docs/query-language/README.md')
  const table = text.slice(text.indexOf('| Parameter |'), text.indexOf('## The catalogue'))
  for (const operator of OPERATOR_NAMES) t.match(table, operator)
})

t.test('every error class is in the table of codes', async (t) => {
  const { text } = readDocument('docs/reference/errors.md')
  const classes = Object.entries(library).filter(([name]) => /^[A-Z].*Error$/.test(name))
  t.ok(classes.length > 10)
  for (const [name, Class] of classes) {
    const { code } = new (Class as new(items: unknown) => { code: string })(
      /ValidationError$|^TooLarge/.test(name) && name !== 'DataValidationError' ? [] : 'text'
    )
    t.match(text, `\`${code}\``, name)
  }
})

t.test('the messages of the page about troubleshooting are those of the code', async (t) => {
  const { text } = readDocument('docs/operating/troubleshooting.md')
  const tables = tablesOf(text).filter(([header]) => header![0] === 'Message contains')
  t.equal(tables.length, 2)
  // texts that are broken into several lines are joined
  const code = fs.globSync('{src,plugins}/**/*.ts', { cwd: root })
    .map((file) => fs.readFileSync(path.join(root, file), 'utf8').replace(/['`] \+\s*['`]/g, ''))
    .join('\n')
    .replaceAll("\\'", "'")
  for (const [cell] of tables.flatMap(([, ...rows]) => rows)) {
    const fragment = cell!.replaceAll('`', '')
    t.ok(code.includes(fragment), fragment)
  }
})

const pages = [
  'README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'bench/README.md', 'CHANGELOG.md',
  ...fs.globSync('docs/**/*.md', { cwd: root }),
]

/** The anchors of a page's headings. A heading that was there before gets a number. */
function anchorsOf (file: string): string[] {
  const anchors = [...fs.readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slugOf(heading!))
  return anchors.map((anchor, index) => {
    const before = anchors.slice(0, index).filter((other) => other === anchor).length
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

/** The addresses of files that the package does not have. Pages that it has name these instead of paths. */
const IN_REPOSITORY = /^https:\/\/github\.com\/fastify-crud-kit\/fastify-crud-kit\/(?:blob|raw)\/main\//

/** The targets of a page's links, without those on other sites. */
function linksOf (text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)]
  return targets.map(([, link]) => link!).filter((link) => IN_REPOSITORY.test(link) || !/^https?:/.test(link))
}

t.test('links lead to files, and to headings in them', async (t) => {
  for (const page of pages) {
    for (const link of linksOf(fs.readFileSync(path.join(root, page), 'utf8'))) {
      const [file, anchor] = link.replace(IN_REPOSITORY, '/').split('#') as [string, string?]
      const folder = file.startsWith('/') ? '' : path.dirname(page)
      const target = file === '' ? path.join(root, page) : path.join(root, folder, file)
      if (!t.ok(fs.existsSync(target), `${page}: ${link}`) || anchor === undefined) continue
      t.ok(anchorsOf(target).includes(anchor), `${page}: ${link} has no heading in its file`)
    }
  }
})

t.test('a page can be read in one go', async (t) => {
  const limitOf = (page: string) => page.startsWith('docs/recipes/') ? 120 : 400
  // the reference is looked things up in, and its pages are generated
  for (const page of fs.globSync('docs/**/*.md', { cwd: root }).filter((page) => !page.startsWith('docs/api/'))) {
    const lines = fs.readFileSync(path.join(root, page), 'utf8').trimEnd().split('\n').length
    t.ok(lines <= limitOf(page), `${page} has ${lines} lines`)
  }
})

t.test('the list of pages has every page', async (t) => {
  const list = fs.readFileSync(path.join(root, 'docs/README.md'), 'utf8')
  const others = (page: string) => !/^README\.md$|^decisions\/[^R]/.test(page)
  for (const page of fs.globSync('**/*.md', { cwd: path.join(root, 'docs') }).filter(others)) {
    t.match(list, `](${page})`, page)
  }
})
