/**
 * An exported name stands for one thing: no two files of `src` and `plugins` declare the same one. And the index of a
 * room exports only what files outside of it import.
 */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'

const root = path.join(import.meta.dirname, '../..')

/** Names that several files declare. Remove a name from this list when one file is left. Never add one. */
const EXCEPTIONS: readonly string[] = [
  // each plugin says to @fastify/autoload that it is not loaded by itself
  'autoload',
]

const DECLARATION = /^export (?:async )?(?:function\s*\*?|class|interface|type|const|let)\s+([A-Za-z_$][\w$]*)/gm

/** The names that more than one of the files declares. Overloads and a type beside its value are in one file. */
function repeatedNames (files: ReadonlyMap<string, string>): string[] {
  const places = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    for (const [, name = ''] of text.matchAll(DECLARATION)) {
      places.set(name, (places.get(name) ?? new Set()).add(file))
    }
  }
  return [...places].filter(([, found]) => found.size > 1).map(([name]) => name).sort()
}

t.test('an exported name is declared in one file', async (t) => {
  const files = fs.globSync('{src,plugins}/**/*.ts', { cwd: root })
  t.ok(files.length > 100, 'files are found')
  t.strictSame(repeatedNames(new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))),
    EXCEPTIONS)
})

t.test('a name in two files is found, and overloads are not', async (t) => {
  t.strictSame(
    repeatedNames(
      new Map([
        ['a.ts', 'export function one (a: string): void\nexport function one (a: number): void\nexport type Two = 1'],
        ['b.ts', 'export const Two = 2\nconst one = 3'],
      ])
    ),
    ['Two']
  )
})

/** Indexes that users of the package import. */
const PUBLIC = /^src\/(?:index|(?:client|entities|admin\/[^/]+)\/index)\.ts$/

const LISTS = /\b(import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'(\.[^']*)'/g

/** The names in the lists of imports and exports of a file, each with the file that it comes from. */
function listsOf (file: string, text: string): { isExport: boolean, names: string[], from: string }[] {
  return [...text.matchAll(LISTS)].map(([, word, list = '', from = '']) => ({
    isExport: word === 'export',
    names: list.split(',').map((item) => item.trim().replace(/^type /, '').replace(/ as .*/, '')).filter(Boolean),
    from: path.posix.join(path.posix.dirname(file), from),
  }))
}

/** The names that indexes export and no other file imports from them. */
function unusedExports (files: ReadonlyMap<string, string>): string[] {
  const lists = [...files].map(([file, text]) => [file, listsOf(file, text)] as const)
  const used = new Set(
    lists.flatMap(([, all]) => all.flatMap(({ names, from }) => names.map((name) => `${from} ${name}`)))
  )
  return lists.flatMap(([file, all]) =>
    file.endsWith('/index.ts') && file.startsWith('src/') && !PUBLIC.test(file)
      ? all.flatMap(({ isExport, names }) => isExport ? names : []).map((name) => `${file} ${name}`)
      : []
  ).filter((entry) => !used.has(entry))
}

t.test('an index exports what others import', async (t) => {
  const files = fs.globSync('{src,plugins,explorer,test,scripts,bench,example}/**/*.{ts,tsx,mjs}', {
    cwd: root, exclude: ['**/node_modules'],
  }).map((file) => file.split(path.sep).join('/'))
  t.strictSame(unusedExports(new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))), [])
})

t.test('a name that nobody imports is found', async (t) => {
  t.strictSame(
    unusedExports(
      new Map([
        ['src/a/index.ts', "export { one, two, type Three } from './b.ts'\nexport type { Four } from './c.ts'"],
        ['src/d.ts', "import { one, type Three } from './a/index.ts'"],
      ])
    ),
    ['src/a/index.ts two', 'src/a/index.ts Four']
  )
})
