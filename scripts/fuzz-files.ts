/**
 * Finds the test files with random examples: those that import test/helpers/property.ts, directly or through a helper.
 */
import fs from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const HELPER = path.join(root, 'test/helpers/property.ts')
/** Tests of the helper itself, which set their own seed. */
const EXCEPT = ['test/structure/property-seeds.test.ts']

/** The files of this project that a file imports, including itself. */
function reachable (file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !fs.existsSync(file)) return seen
  seen.add(file)
  for (const [, specifier] of fs.readFileSync(file, 'utf8').matchAll(/(?:from|import\(?) '(\.[^']+)'/g)) {
    const target = path.join(path.dirname(file), specifier!)
    // source files need no search, because only tests draw examples
    if (target.startsWith(path.join(root, 'test'))) reachable(target, seen)
  }
  return seen
}

/** Paths relative to the project's root. */
export function fuzzFiles (): string[] {
  return fs.globSync('test/**/*.test.ts', { cwd: root }).sort().filter(
    (file) => !EXCEPT.includes(file) && reachable(path.join(root, file)).has(HELPER)
  )
}
