/** The declarations of the package: their text in editors, and what a strict project needs to read them. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '..')
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>,
  readonly dependencies: Readonly<Record<string, string>>,
  readonly peerDependencies: Readonly<Record<string, string>>,
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>,
}
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(root, 'tsconfig.build.json'), ts.sys.readFile).config,
  ts.sys,
  root
)
const isOptional = (name: string): boolean => manifest.peerDependenciesMeta[name]?.optional === true
/** Optional packages that the subpath of their name is for. */
const FRONT_ENDS = { 'ra-core': 'react-admin', '@refinedev/core': 'refine' }
const ENTRIES = [
  'src/index.ts', 'src/client/index.ts', 'src/client/tanstack-query.ts', 'src/admin/react-admin/index.ts',
  'src/admin/refine/index.ts', 'plugins/explorer.ts',
]

/** An editor of the package. Its program also writes the declarations. */
const service = ts.createLanguageService({
  getCompilationSettings: () => ({
    ...options, declaration: true, emitDeclarationOnly: true, declarationMap: false, outDir: path.join(root, 'dist'),
  }),
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  getScriptFileNames: () => ENTRIES.map((name) => path.join(root, name)),
  getScriptVersion: () => '1',
  getScriptSnapshot (name) {
    const text = ts.sys.readFile(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
})
t.teardown(() => service.dispose())
const program = service.getProgram()!
const checker = program.getTypeChecker()

t.test('every public option has its text on hover', async (t) => {
  const isOurs = ({ fileName }: ts.SourceFile): boolean =>
    fileName.startsWith(path.join(root, 'src/')) || fileName.startsWith(path.join(root, 'plugins/'))
  const without = new Set<string>()
  const seen = new Set<ts.Type>()
  let count = 0

  /** Visits the options of a type, and those of the types of its options. */
  const visit = (type: ts.Type, name: string): void => {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) { for (const part of type.types) visit(part, name) }
    if (!type.isUnion() && isOptions(type)) visitOptions(type, name)
  }
  /** Objects with members are options. Instances of classes, functions and lists are values of options. */
  const isOptions = (type: ts.Type): boolean =>
    !type.isClass() && ((type.symbol?.flags ?? 0) & ts.SymbolFlags.Class) === 0 &&
    type.getCallSignatures().length === 0 && !checker.isArrayLikeType(type)
  const visitOptions = (type: ts.Type, name: string): void => {
    for (const option of type.getProperties()) {
      const [declaration] = option.declarations ?? []
      if (declaration === undefined || option.name.startsWith('~') || option.name.startsWith('__@')) continue
      const source = declaration.getSourceFile()
      if (!isOurs(source)) continue
      count++
      const place = (declaration as ts.PropertySignature).name ?? declaration
      const hover = service.getQuickInfoAtPosition(source.fileName, place.getStart())
      if (ts.displayPartsToString(hover?.documentation) === '') {
        without.add(`${name}.${option.name} (${path.relative(root, source.fileName)})`)
      }
      visit(checker.getNonNullableType(checker.getTypeOfSymbol(option)), `${name}.${option.name}`)
    }
  }
  for (const entry of ENTRIES) {
    const source = program.getSourceFile(path.join(root, entry))!
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
      if (!/(Options|Rules|Rule|Config)$/.test(exported.name)) continue
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) === 0) continue
      visit(checker.getDeclaredTypeOfSymbol(symbol), exported.name)
    }
  }
  t.strictSame([...without].sort(), [])
  t.ok(count > 100, `options: ${count}`)
})

t.test('every export and each of its members has its text on hover', async (t) => {
  const without = new Set<string>()
  let count = 0

  const isOurs = (declaration: ts.Declaration): boolean =>
    !declaration.getSourceFile().fileName.includes('/node_modules/') &&
    (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0 &&
    !ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal')
  const visit = (symbol: ts.Symbol, name: string): void => {
    const [declaration] = symbol.declarations ?? []
    if (declaration === undefined || !isOurs(declaration)) return
    const own = ts.getNameOfDeclaration(declaration)
    if (own !== undefined && ts.isPrivateIdentifier(own)) return
    count++
    if (ts.displayPartsToString(symbol.getDocumentationComment(checker)) === '') {
      without.add(`${name} (${path.relative(root, declaration.getSourceFile().fileName)})`)
    }
  }
  const CLASS = ts.SymbolFlags.Class
  for (const entry of ENTRIES) {
    const source = program.getSourceFile(path.join(root, entry))!
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      visit(symbol, exported.name)
      // the keywords of a JSON Schema have their meaning from its specification
      if (exported.name === 'JsonSchema') continue
      const types: ts.Type[] = []
      if (symbol.flags & (CLASS | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) {
        types.push(checker.getDeclaredTypeOfSymbol(symbol))
      }
      // the static methods of a class
      if (symbol.flags & CLASS) types.push(checker.getTypeOfSymbol(symbol))
      for (const member of types.flatMap((type) => type.getProperties())) {
        if (/^(?:~|__|prototype$)/.test(member.name)) continue
        visit(member, `${exported.name}.${member.name}`)
      }
    }
  }
  t.strictSame([...without].sort(), [])
  t.ok(count > 600, `exports and members: ${count}`)
})

/** The declarations that the build writes, by path. */
function declarations (): ReadonlyMap<string, string> {
  const written = new Map<string, string>()
  program.emit(undefined, (name, text) => written.set(name, text), undefined, true)
  return written
}

const importsOf = (subpaths: readonly string[]): string =>
  subpaths.filter((subpath) => subpath !== './package.json')
    .map((subpath, at) => `export * as part${at} from 'fastify-crud-kit${subpath.slice(1)}'`).join('\n')

/** What applications export, whose types declarations must be able to name. */
const EXPORTED = `
import { defineEntity, p } from '@mikro-orm/core'
import { AllowedFilters, AllowedSort, CrudBase } from 'fastify-crud-kit'
import { createClient } from 'fastify-crud-kit/client'
import type { ApiOf } from 'fastify-crud-kit'

export const Category = defineEntity({ name: 'Category', properties: { id: p.integer().primary(), name: p.string() } })
export const categories = new CrudBase({
  model: Category,
  writable: ['name'],
  queryConfig: { allowedFilters: [AllowedFilters.exact('name')], allowedSorts: [new AllowedSort('name')] },
})
export const { list, create } = categories
export const resources = { '/categories': categories }
export const api = createClient<ApiOf<typeof resources>>('https://api.example.com')
export const client = api['/categories']
`

t.test('a project that checks libraries, and writes declarations of its own, reads the declarations', async (t) => {
  const project = path.join(root, 'dist/project')
  const installed = path.join(project, 'node_modules/fastify-crud-kit')
  const application = path.join(project, 'application.ts')
  const files = new Map([
    ...Array.from(declarations(), ([name, text]) => [path.join(installed, path.relative(root, name)), text] as const),
    [path.join(installed, 'package.json'), JSON.stringify(manifest)],
    // inside of this package, its name would stand for itself
    [path.join(project, 'package.json'), '{ "type": "module" }'],
    [application, `${importsOf(Object.keys(manifest.exports))}\n${EXPORTED}`],
  ])
  const isFolder = (name: string): boolean => [...files.keys()].some((file) => file.startsWith(`${name}/`))
  const settings: ts.CompilerOptions = {
    strict: true, noEmit: true, declaration: true, skipLibCheck: false, exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext, types: ['node'],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  }
  const host = ts.createCompilerHost(settings, true)
  const { readFile, fileExists, getSourceFile } = host
  const program = ts.createProgram([application], settings, {
    ...host,
    directoryExists: (name) => isFolder(name) || ts.sys.directoryExists(name),
    fileExists: (name) => files.has(name) || fileExists(name),
    readFile: (name) => files.get(name) ?? readFile(name),
    getSourceFile: (name, version) =>
      files.has(name) ? ts.createSourceFile(name, files.get(name)!, version) : getSourceFile(name, version),
  })
  const ours = program.getSourceFiles().filter(({ fileName }) => files.has(fileName))
  t.ok(ours.length > 100, `files: ${ours.length}`)
  const diagnostics = ours.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
    ...source.isDeclarationFile ? [] : program.getDeclarationDiagnostics(source),
  ])
  t.strictSame(
    diagnostics.map(({ file, messageText }) =>
      `${path.relative(root, file!.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    ),
    []
  )

  // a package that an application need not have would be an error there, although it is installed here
  const names = new Set<string>()
  for (const source of ours.filter(({ isDeclarationFile }) => isDeclarationFile)) {
    for (const { fileName } of ts.preProcessFile(source.text, true, true).importedFiles) {
      if (/^[^./]/.test(fileName) && !fileName.startsWith('node:')) {
        names.add(/^(?:@[^/]+\/)?[^/]+/.exec(fileName)![0])
      }
    }
  }
  const declared = (name: string): boolean => {
    // a package without types of its own has them in @types
    const { resolvedModule } = ts.resolveModuleName(name, path.join(root, 'src/index.ts'), settings, ts.sys)
    const { name: types = '' } = resolvedModule?.packageId ?? {}
    return types in manifest.dependencies ||
      (types in manifest.peerDependencies && (types in FRONT_ENDS || !isOptional(types)))
  }
  t.strictSame([...names].filter((name) => !declared(name)), [], 'packages without a dependency')
})
