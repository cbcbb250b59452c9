/**
 * Bundles the library as `npm run build` does, for all processes that are measured. TypeScript that Node.js runs
 * directly is another program: compiling it takes time at the start, and its sources fill the memory, so that garbage
 * collection meets the first requests. V8 then kept short-lived objects of all later requests in about every second
 * process, which cost a fifth of their CPU.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { bundle } from '../scripts/bundle.ts'

/** A folder that git ignores. It is below the package's, so that its modules find the installed packages. */
const BUILT = path.join(import.meta.dirname, 'dist')

/** The path of the library's built index.js. If it is missing, a process that is not measured makes it. */
export function builtIndex (): string {
  const index = path.join(BUILT, 'src/index.js')
  if (!fs.existsSync(index)) execFileSync(process.execPath, [import.meta.filename])
  return index
}

/**
 * Lets the next process that asks for it make the bundle of the present sources.
 *
 * @param root the folder of a checkout
 */
export function forgetBuilt (root: string = path.join(import.meta.dirname, '..')): void {
  fs.rmSync(path.join(root, 'bench/dist'), { recursive: true, force: true })
}

if (import.meta.main) {
  await bundle(BUILT)
  fs.writeFileSync(path.join(BUILT, 'package.json'), '{ "type": "module" }')
}
