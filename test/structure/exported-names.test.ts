/** An exported name stands for one thing: no two files of `src` and `plugins` declare the same one. */
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
