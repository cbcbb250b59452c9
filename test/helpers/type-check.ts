/** Type checks of programs that exist only in memory. */
import path from 'node:path'
import ts from 'typescript'

const root = path.resolve(import.meta.dirname, '../..')

/** The compiler options of a `tsconfig.json`, named from the root of the repository. */
export function optionsOf (file: string): ts.CompilerOptions {
  const config = path.join(root, file)
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys,
    path.dirname(config))
  return { ...options, noEmit: true }
}

/** A host with files in memory, by their paths. Files on the disk are parsed once. */
export function hostOf (files: ReadonlyMap<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true)
  const { readFile, fileExists, directoryExists, getSourceFile } = host
  const folders = new Set([...files.keys()].map((name) => path.dirname(name)))
  return {
    ...host,
    directoryExists: (name) => folders.has(name) || directoryExists?.(name) === true,
    fileExists: (name) => files.has(name) || fileExists(name),
    readFile: (name) => files.get(name) ?? readFile(name),
    getSourceFile (name, version) {
      const text = files.get(name)
      if (text !== undefined) return ts.createSourceFile(name, text, version)
      let parsed = sources.get(name)
      if (parsed === undefined) sources.set(name, parsed = getSourceFile(name, version))
      return parsed
    },
  }
}
const sources = new Map<string, ts.SourceFile | undefined>()

/** A program that has been checked. */
export interface Checked {
  readonly program: ts.Program
  /** The errors of a file, as sentences. */
  readonly errorsOf: (name: string) => string[]
}

/** Checks files in memory, as if they were in a folder. */
export function checkTypes (
  folder: string,
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions
): Checked {
  const named = new Map(Object.entries(files).map(([name, text]) => [path.join(folder, name), text]))
  const program = ts.createProgram([...named.keys()], options, hostOf(named, options))
  const errorsOf = (name: string): string[] => {
    const file = program.getSourceFile(path.join(folder, name))!
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, '\n')
    )
  }
  return { program, errorsOf }
}

const SUBPATHS: Readonly<Record<string, string>> = {
  '': 'index.ts', '/client': 'client/index.ts', '/explorer': '../plugins/explorer.ts',
  '/react-admin': 'admin/react-admin/index.ts', '/refine': 'admin/refine/index.ts',
  '/tanstack-query': 'client/tanstack-query.ts',
}

/** Lets imports of the package lead to its sources, for a file two folders below the root. */
export function fromSources (program: string): string {
  return program.replace(/from 'fastify-crud-kit(\/[\w-]+)?'/g,
    (_, subpath = '') => `from '../../src/${SUBPATHS[subpath]}'`)
}
