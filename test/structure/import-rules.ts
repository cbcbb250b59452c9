/**
 * Which file may import which. In: the text of source files. Out: sentences, one for each import that breaks a rule.
 *
 * The folders are the stages that a request passes, and imports go one way: a later stage may import an earlier one and
 * its own folder, and never the reverse. Type-only imports count, because a type from a later stage is knowledge of it.
 */
import path from 'node:path'
import ts from 'typescript'

/**
 * Stages from the first to the last. A stage consists of files or folders, and those in one item may import each other.
 * A file belongs to the first item that has its folder, so folders inside of a stage come before it.
 */
export const STAGES: ReadonlyArray<readonly string[]> = [
  ['src/base/'], ['src/borrowed/'], ['src/query/'], ['src/model/'], ['src/conditions/'], ['src/operators/'],
  ['src/config/'], ['src/access/'], ['src/plan/'], ['src/sql/'], ['src/answer/'], ['src/run/errors/'], ['src/run/pg/'],
  ['src/run/replicas/'], ['src/run/transaction/'], ['src/run/'], ['src/schema/'], ['src/entities/'], ['src/database/'],
  ['src/resource/'], ['src/read/'], ['src/write/'], ['src/crud/'], ['src/catalogue/'], ['src/comparison/'],
  ['src/advice/'], ['src/http/'], ['src/explorer/'], ['plugins/'], ['src/cli/'], ['src/client/'], ['src/admin/'],
  ['src/index.ts'],
]

/** Packages that would bring a connection into a stage that must not have one. */
const DRIVERS = /^(@mikro-orm\/(sql|postgresql|pglite)|@electric-sql\/.*|pg|pg-.*|kysely)$/

const FASTIFY = /^(fastify|fastify-plugin|@fastify\/(?!error$).*)$/

interface Rule {
  readonly in: string
  readonly forbids: (specifier: string, typeOnly: boolean) => boolean
  readonly because: string
}

/** Packages that stages must not import. The order above covers relative imports. */
const PACKAGE_RULES: readonly Rule[] = [
  // node:buffer measures and decodes text
  { in: 'src/query/', forbids: (name) => name !== 'node:buffer', because: 'src/query knows nothing but text' },
  {
    in: 'src/plan/', forbids: (name, typeOnly) => name.startsWith('@mikro-orm/') && !typeOnly,
    because: 'src/plan is pure',
  },
  { in: 'src/plan/', forbids: (name) => DRIVERS.test(name), because: 'src/plan has no connection' },
  {
    in: 'src/sql/', forbids: (name, typeOnly) => DRIVERS.test(name) && !typeOnly, because: 'src/sql has no connection',
  },
  { in: 'src/answer/', forbids: (name) => DRIVERS.test(name), because: 'src/answer has no connection' },
  // types of MikroORM tell the types of records
  { in: 'src/client/', forbids: (_, typeOnly) => !typeOnly, because: 'the client has no dependency' },
  { in: 'src/admin/', forbids: (_, typeOnly) => !typeOnly, because: 'data providers have no dependency' },
  { in: 'src/', forbids: (name, typeOnly) => FASTIFY.test(name) && !typeOnly, because: 'Fastify runs in plugins' },
]

/** Code that runs in browsers. */
const isInBrowsers = (file: string): boolean => /^src\/(client|admin)\//.test(file)

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
}

const known = new Map<string, Import[]>()

/** The imports and re-exports of a file, including dynamic ones and `import('x').Type`. */
export function readImports (text: string): readonly Import[] {
  let imports = known.get(text)
  if (imports === undefined) known.set(text, imports = parseImports(text))
  return imports
}

function parseImports (text: string): Import[] {
  const found: Import[] = []
  const add = (node: ts.Node | undefined, typeOnly: boolean) => {
    if (node && ts.isStringLiteralLike(node)) found.push({ specifier: node.text, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    } else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, true)
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest))
  return found
}

/** Every broken rule in `files` (path from the repository's root, with slashes, to text). */
export function findViolations (files: ReadonlyMap<string, string>): string[] {
  const violations: string[] = []
  for (const [file, text] of files) {
    for (const { specifier, typeOnly } of readImports(text)) {
      const reason = specifier.startsWith('.')
        ? refuseRelative(file, path.posix.join(path.posix.dirname(file), specifier), typeOnly)
        : refusePackage(file, specifier, typeOnly)
      if (reason) violations.push(`${file} imports ${specifier}: ${reason}`)
    }
  }
  return violations
}

function refuseRelative (file: string, target: string, typeOnly: boolean): string | undefined {
  if (file.startsWith('example/')) return refuseInExample(target)
  if (isInBrowsers(file) !== isInBrowsers(target) && !typeOnly) {
    return 'code for browsers shares types with the server, and no code'
  }
  const from = stageOf(file)
  if (from === undefined) return file.startsWith('src/') ? `${file} belongs to no stage` : undefined
  const to = stageOf(target)
  if (to === undefined) return `${target} belongs to no stage`
  return to > from ? `${STAGES[to]?.join(', ')} is a later stage` : undefined
}

/** The modules that package.json exports. */
const EXPORTED: ReadonlySet<string> = new Set([
  'src/index.ts', 'src/client/index.ts', 'src/client/tanstack-query.ts', 'src/admin/react-admin/index.ts',
  'src/admin/refine/index.ts', 'plugins/explorer.ts',
])

/** The example is written like an application: it uses only the exports of the package. */
function refuseInExample (target: string): string | undefined {
  return target.startsWith('example/') || EXPORTED.has(target)
    ? undefined
    : 'the example uses only what the package exports'
}

function refusePackage (file: string, specifier: string, typeOnly: boolean): string | undefined {
  return PACKAGE_RULES.find((rule) => file.startsWith(rule.in) && rule.forbids(specifier, typeOnly))?.because
}

function stageOf (file: string): number | undefined {
  const index = STAGES.findIndex((stage) =>
    stage.some((part) => part === file || (part.endsWith('/') && file.startsWith(part)))
  )
  return index === -1 ? undefined : index
}
