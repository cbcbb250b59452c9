/**
 * Steps are generator functions of a module or methods of a class. A generator function that is made inside another
 * function has a prototype and a hidden class for each call. V8 keeps them, with everything that the function can see,
 * until the next full collection. With one such function, updates took a fifth more of the CPU.
 */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'

const root = path.join(import.meta.dirname, '../..')

/** The lines of generator functions inside other functions. */
function nestedGenerators (file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node, inside: boolean): void => {
    const isFunction = ts.isFunctionLike(node)
    const isGenerator = (ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)) &&
      node.asteriskToken !== undefined && !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
    if (inside && isGenerator) {
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
    }
    ts.forEachChild(node, (child) => visit(child, inside || isFunction))
  }
  visit(source, false)
  return found
}

t.test('no function makes a generator function', async (t) => {
  const files = fs.globSync('{src,plugins}/**/*.ts', { cwd: root }).filter((file) =>
    fs.readFileSync(path.join(root, file), 'utf8').includes('function *')
  )
  t.ok(files.length > 10, 'files are found')
  t.strictSame(files.flatMap((file) => nestedGenerators(file, fs.readFileSync(path.join(root, file), 'utf8'))), [])
})

t.test('a generator function inside a function is found', async (t) => {
  t.strictSame(
    nestedGenerators('a.ts', 'function * outer () {\n  function * inner () {}\n  yield * go(function * () {})\n}'),
    ['a.ts:2', 'a.ts:3']
  )
})
