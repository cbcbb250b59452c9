/** docs/reference.md is what the docstrings say, and says something about everything that applications call. */
import fs from 'node:fs'
import t from 'tap'
import ts from 'typescript'
import { REFERENCE, writtenReference } from '../scripts/reference.ts'

const page = fs.readFileSync(REFERENCE, 'utf8')

t.test('the page is up to date; if not, run npm run reference', async (t) => {
  t.ok(page === writtenReference(), 'docs/reference.md')
})

t.test('the page has no private members', async (t) => t.notMatch(page, /^\| `#/m))

t.test('every class and function has a text', async (t) => {
  const sections = page.split(/^### /m).slice(1).map((section) => section.split('\n'))
  t.ok(sections.length > 100)
  for (const [name, , call = '', , text = ''] of sections) {
    if (/^`(?:new )?\w+\(/.test(call)) t.match(text, /^[A-Z`]/, name!)
  }
})

t.test('the examples are TypeScript', async (t) => {
  const examples = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) =>
    // dots stand for what does not matter
    code!.replaceAll('{ ... }', '{}')
  )
  t.ok(examples.length > 20)
  for (const code of examples) {
    const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true })
    t.strictSame(diagnostics?.map(({ messageText }) => messageText), [], code)
  }
})
