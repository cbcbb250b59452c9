/**
 * Conditions are lists of which all hold, and never objects that are merged: of two conditions on one property, a merge
 * would lose one. TypeScript tells which values may be conditions in MikroORM's words: those of which the code knows no
 * more than that they are objects.
 */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'

const root = path.join(import.meta.dirname, '../..')
/** The files that read, write or pass on conditions. */
const FILES = 'src/{{access,advice,conditions,plan,read,resource,sql,sync}/**/*,borrowed/filters}.ts'
/** The only file that writes conditions of more than one part. */
const WRITER = 'src/conditions/to-mikro-orm.ts'

/** Places where objects that may be conditions are merged. */
function merges (program: ts.Program, file: ts.SourceFile): string[] {
  const checker = program.getTypeChecker()
  const found: string[] = []
  const mayBeCondition = (node: ts.Node): boolean => {
    const type = checker.getTypeAtLocation(node)
    return (type.isUnion() ? type.types : [type]).some((one) =>
      (one.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) !== 0 ||
      one.aliasSymbol?.name === 'FilterQuery'
    )
  }
  look(file, (node) => {
    const merged = ts.isSpreadAssignment(node)
      ? [node.expression]
      : isCallOf(node, 'Object.assign', 'Utils.merge')
        ? node.arguments
        : []
    if (merged.some(mayBeCondition)) found.push(placeOf(node, file))
  })
  return found
}

/** Places where an object gets a second member, which may replace the first one. */
function members (file: ts.SourceFile): string[] {
  const found: string[] = []
  look(file, (node) => {
    const isSecond = ts.isObjectLiteralExpression(node) && node.properties.length > 1
    const isSet = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
      (ts.isElementAccessExpression(node.left) || ts.isPropertyAccessExpression(node.left))
    if (isSecond || isSet || isCallOf(node, 'Object.assign')) found.push(placeOf(node, file))
  })
  return found
}

function look (node: ts.Node, at: (node: ts.Node) => void): void {
  at(node)
  ts.forEachChild(node, (child) => look(child, at))
}

const isCallOf = (node: ts.Node, ...names: readonly string[]): node is ts.CallExpression =>
  ts.isCallExpression(node) && names.includes(node.expression.getText())

const placeOf = (node: ts.Node, file: ts.SourceFile): string =>
  `${path.relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`

const sourceOf = (text: string): ts.SourceFile => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true)

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.json'), (file) => fs.readFileSync(file, 'utf8')).config,
  ts.sys,
  root
)

t.test('no condition is merged into another one', async (t) => {
  const files = fs.globSync(FILES, { cwd: root }).map((file) => path.join(root, file))
  t.ok(files.includes(path.join(root, WRITER)))
  const program = ts.createProgram(files, { ...options, noEmit: true })
  t.strictSame(files.flatMap((file) => merges(program, program.getSourceFile(file)!)), [])
  t.strictSame(members(program.getSourceFile(path.join(root, WRITER))!), [], `objects of ${WRITER} have one member`)
})

t.test('a merge is found', async (t) => {
  const text = `declare const one: object, other: unknown, query: FilterQuery<{ id: number }>, plan: { id: 1 }
    type FilterQuery<Type> = { [Name in keyof Type]?: Type[Name] }
    const [a, b, c, d] = [{ ...one, id: 1 }, { id: 1, ...other }, { ...query }, { ...plan, id: 2 }]
    Object.assign(a, one); Object.assign(plan, { id: 3 })`
  const file = sourceOf(text)
  const host = { ...ts.createCompilerHost({}), getSourceFile: (name: string) => name === 'a.ts' ? file : undefined }
  t.equal(merges(ts.createProgram(['a.ts'], { noLib: true }, host), file).length, 4)
})

t.test('a second member is found', async (t) => {
  const found = (text: string): number => members(sourceOf(text)).length
  t.equal(found('f({ [a]: 1 }, { $and: [{ b }] })'), 0)
  for (const text of ['f({ a, b })', 'c[a] = 1', 'c.a = 1', 'Object.assign(c, a)']) {
    t.equal(found(text), 1, text)
  }
})
