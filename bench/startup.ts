/** Measures what the library adds to the start of a process: published JavaScript, in fresh processes. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bundle } from '../scripts/bundle.ts'

/** CPU time in milliseconds. */
export interface StartupCost {
  readonly others: number
  readonly imported: number
  readonly registered: number
  readonly sum: number
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** A folder below node_modules, which git ignores and which finds the installed packages. */
const BUILT = path.join(root, 'node_modules/.cache/fastify-crud-kit-bench')

export async function measureStartup (resources: number, runs: number): Promise<StartupCost[]> {
  await (built ??= build())
  const costs: StartupCost[] = []
  // the first run fills the disk's cache and does not count
  for (let run = 0; run <= runs; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.join(root, 'bench/startup-process.ts'),
      path.join(BUILT, 'src/index.js'),
      String(resources),
    ])
    if (run > 0) costs.push(JSON.parse(stdout))
  }
  return costs
}

let built: Promise<void> | undefined

/** Bundles the sources as `npm run build` does. Running TypeScript directly would measure its compilation, too. */
async function build (): Promise<void> {
  fs.rmSync(BUILT, { recursive: true, force: true })
  await bundle(BUILT)
  fs.writeFileSync(path.join(BUILT, 'package.json'), '{ "type": "module" }')
}
