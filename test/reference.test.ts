/** The pages of docs/api are what the docstrings say, and say something about everything that applications call. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { REFERENCE, writtenReference } from '../scripts/reference/write.ts'

const written = writtenReference()
const pages = [...written].filter(([file]) => file !== 'README.md')
const texts = pages.map(([, text]) => text).join('\n')

t.test('the pages are up to date; if not, run npm run reference', async (t) => {
  t.strictSame(fs.readdirSync(REFERENCE).sort(), [...written.keys()].sort())
  for (const [file, text] of written) t.ok(fs.readFileSync(path.join(REFERENCE, file), 'utf8') === text, file)
})

t.test('no page is too long to read', async (t) => {
  for (const [file, text] of written) t.ok(text.split('\n').length < 600, file)
})

t.test('the pages have no private and no internal members', async (t) => {
  t.notMatch(texts, /^\| `[#~]/m)
  t.notMatch(texts, /^### \w+\.[#~]/m)
  t.match(texts, /^### CrudBase\.list\(\)$/m)
  t.notMatch(texts, /CrudBase\.bind/)
})

t.test('every class, function and method has a text', async (t) => {
  const parts = texts.split(/^###? /m).slice(1).map((part) => part.trim().split('\n\n'))
  t.ok(parts.length > 250)
  for (const [heading, ...paragraphs] of parts) {
    const isCall = (paragraph: string): boolean => /^`(?:new )?[\w.]+\(.*`$/.test(paragraph)
    if (!paragraphs.some(isCall)) continue
    const [first] = paragraphs.filter((paragraph) => !isCall(paragraph) && !paragraph.startsWith('Its code is'))
    t.match(first, /^[A-Z`]/, heading!)
  }
})

t.test('a part lists arguments with their types, errors, an example, and links to other parts', async (t) => {
  const part = (page: string, heading: string): string =>
    written.get(page)!.split(/^(?=###? )/m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const update = part('crud-base.md', '### CrudBase.update()')
  t.match(update, /^`update\(session, id, data, options\?\): /m)
  t.match(update, /^- `options\?: CrudUpdateOptions/m)
  t.match(update, /^Throws .*\[`NotFoundError`\]\(errors\.md#notfounderror\)/m)
  const filters = part('filters.md', '## AllowedFilters')
  t.match(filters, /^`new AllowedFilters\(field, defaultOperator\?, allowedOperators\?, options\?\)`$/m)
  t.match(filters, /^ {2}- `alias\?: /m, 'options whose type is not exported')
  t.match(part('plugins.md', '## crudKit'), /^`fastify\.register\(crudKit, options\)`$/m, 'plugins are registered')
  t.match(part('explorer.md', '## crudExplorer'), /^`fastify\.register\(crudExplorer, options\)`$/m)
  t.match(part('errors.md', '## ConflictError'), 'Its code is `FST_CRUD_CONFLICT`, its status 409.')
  t.match(part('explorer.md', '## ExplorerDescription'), /^\| `limits\.includes: number` \|/m, 'members of members')
  t.match(written.get('README.md')!, '](plugins.md#crudhealth-1)', 'headings that differ in capital letters')
})

t.test('the examples are TypeScript', async (t) => {
  const examples = [...texts.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) =>
    // dots stand for what does not matter
    code!.replaceAll('{ ... }', '{}')
  )
  t.ok(examples.length > 80)
  for (const code of examples) {
    const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true })
    t.strictSame(diagnostics?.map(({ messageText }) => messageText), [], code)
  }
})
