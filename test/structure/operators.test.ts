/** The table of operators is complete: the type checker or this file notices an operator that lacks a part. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import type { FilterValues } from '../../src/client/input-values.ts'
import type { AllowedFilters } from '../../src/config/index.ts'
import { OPERATOR_NAMES, OPERATORS, type Operator, type OperatorForm } from '../../src/operators/index.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8')
const table = path.join(root, 'src/operators/table.ts')

t.test('every operator has a row in the table of the query language', async (t) => {
  const section = read('docs/query-language/filters.md').split('## Operators')[1]!.split('\n\n')[1]!
  const cells = section.split('\n').slice(2).map((row) => row.split('|')[1]!)
  const documented = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
  t.strictSame([...new Set(documented)].sort(), [...OPERATOR_NAMES].sort())
})

t.test('every operator has a sentence and an example for the OpenAPI document', async (t) => {
  for (const operator of OPERATOR_NAMES) {
    const { meaning, example }: OperatorForm = OPERATORS[operator]
    t.match(meaning, /^[a-z][^.]+$/, operator)
    t.not(example('one', 'two'), undefined, operator)
  }
})

type KeysOf<Input> = Input extends object ? keyof Input : never
/** Operators that the types of clients do not offer for a filter that allows them. */
type Untyped = {
  [Op in Operator]: Op extends KeysOf<FilterValues<{ name: string }, AllowedFilters<'name', Op, Op>>> ? never : Op
}[Operator]

t.test('every operator has a type for clients', async (t) => {
  // an operator without a type is a type error in this file
  const untyped: readonly Untyped[] = []
  t.strictSame(untyped satisfies readonly never[], [])
})

t.test('tests cover the SQL of every operator', async (t) => {
  const cases = read('test/sql/statements.test.ts').matchAll(/^ {4}\['\[(\w+)\]=[^']*', /gm)
  const tested = new Set([...cases].map(([, name]) => name))
  t.strictSame([...tested].sort(), [...OPERATOR_NAMES].sort())
})

/** The members of the entry of an operator. */
function membersOf (source: ts.SourceFile, operator: string): readonly ts.ObjectLiteralElementLike[] {
  let found: readonly ts.ObjectLiteralElementLike[] | undefined
  const visit = (node: ts.Node): void => {
    const isEntry = ts.isPropertyAssignment(node) && node.name.getText(source) === operator &&
      ts.isObjectLiteralExpression(node.initializer)
    if (isEntry) found ??= (node.initializer as ts.ObjectLiteralExpression).properties
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found!
}

/** Operators by the member to remove from their entry. */
const LACKING = {
  eq: 'value', ne: 'accepts', lt: 'read', between: 'sql', in: 'index', like: 'meaning', isnull: 'example',
} as const satisfies Partial<Record<keyof typeof OPERATORS, keyof OperatorForm>>

t.test('an entry without a member is a type error in the table', async (t) => {
  const text = read('src/operators/table.ts')
  const whole = ts.createSourceFile(table, text, ts.ScriptTarget.Latest, true)
  const members = Object.entries(LACKING).map(([operator, member]) => {
    const found = membersOf(whole, operator).find((one) => one.name?.getText(whole) === member)
    t.ok(found, `${operator} has the member ${member}`)
    return found!
  })
  // spaces keep the lines
  let lacking = text
  for (const { pos, end } of members) {
    const gone = lacking.slice(pos, end + 1)
    lacking = lacking.slice(0, pos) + gone.replace(/[^\n]/g, ' ') + lacking.slice(end + 1)
  }

  // types of the model that the table needs, without the MikroORM types behind them
  const files = new Map([
    [table, lacking],
    [path.join(root, 'src/model/index.ts'), "export * from './types/index.ts'\nexport * from './convert.ts'\n"],
  ])
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true,
    allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'],
  }
  const host = ts.createCompilerHost(options, true)
  const { getSourceFile } = host
  host.getSourceFile = (name, version, ...rest) => {
    const changed = files.get(path.resolve(name))
    return changed === undefined
      ? getSourceFile.call(host, name, version, ...rest)
      : ts.createSourceFile(name, changed, version, true)
  }
  const program = ts.createProgram([table], options, host)
  const source = program.getSourceFile(table)!
  const lineOf = (position: number): number => whole.getLineAndCharacterOfPosition(position).line
  const lines = program.getSemanticDiagnostics(source).map(({ start }) => lineOf(start!))
  for (const [index, [operator, member]] of Object.entries(LACKING).entries()) {
    const entry = members[index]!.parent.parent
    t.ok(lines.some((line) => line >= lineOf(entry.getStart(whole)) && line <= lineOf(entry.end)),
      `${operator} without ${member}`)
  }
})
