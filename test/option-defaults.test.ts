/** The default that a docstring says is the default that the code applies, and guides say the same. */
import fs from 'node:fs'
import t from 'tap'
import ts from 'typescript'

/** The source of a default; of an exported constant, its value. */
const valueOf = (text: string): string => /^[A-Z_]+$/.test(text) ? constants.get(text) ?? text : text

/** The options that are declared by `withDefault`: the place, the docstring and the source of the default. */
function declaredDefaults (file: string): Array<{ name: string, doc: string, value: string }> {
  const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: Array<{ name: string, doc: string, value: string }> = []
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAssignment(node) && ts.isCallExpression(node.initializer) &&
      node.initializer.expression.getText() === 'withDefault'
    ) {
      const [, value] = node.initializer.arguments
      const doc = ts.getJSDocCommentsAndTags(node).map((part) => part.getText()).join()
      found.push({
        name: node.name.getText(), doc: doc.replace(/\s*\n\s*\*?\s*/g, ' '), value: valueOf(value!.getText()),
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** A default as prose writes it: `1 000`, `'refuse'`. */
const said = (text: string): string => text.replaceAll(/[`'"]/g, '').replaceAll(/(?<=\d)[ _](?=\d)/g, '')

const files = fs.globSync('{src,plugins}/**/*.ts').sort()
const constants = new Map(
  files.flatMap((file) =>
    [...fs.readFileSync(file, 'utf8').matchAll(/^export const ([A-Z_]+) = (\S+)$/gm)].map(([, name, value]) =>
      [name!, value!] as const
    )
  )
)
const declared = files.flatMap((file) => declaredDefaults(file).map((option) => ({ ...option, file })))

t.test('each docstring says the default of its option', async (t) => {
  t.ok(declared.length > 20)
  for (const { file, name, doc, value } of declared) {
    // an option that has its docstring in a generic interface has none here
    if (doc === '') continue
    t.match(said(doc), new RegExp(`Default: ${said(value)}\\b`), `${file}: ${name}`)
  }
})

t.test('the guide to the plugins says no other default', async (t) => {
  const rows = fs.readFileSync('docs/reference/plugin.md', 'utf8').matchAll(
    /^\| `(\w+)` \|.*\bdefault `?('?[\w ]+)'?`? \|$/gm
  )
  let compared = 0
  for (const [, name, text] of rows) {
    const defaults = declared.filter((option) => option.name === name && option.file.startsWith('src/http/'))
    if (defaults.length === 0) continue
    compared++
    t.ok(defaults.some(({ value }) => said(value) === said(text!)), `${name!}: ${text!}`)
  }
  t.ok(compared >= 6, `${compared} compared`)
})
