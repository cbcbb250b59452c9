/** Measures what the library adds to the start of a process: published JavaScript, in fresh processes. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { builtIndex } from './built.ts'

/** CPU time in milliseconds. */
export interface StartupCost {
  readonly others: number
  readonly imported: number
  readonly registered: number
  readonly sum: number
}

const root = fileURLToPath(new URL('..', import.meta.url))

export async function measureStartup (resources: number, runs: number): Promise<StartupCost[]> {
  const costs: StartupCost[] = []
  // the first run fills the disk's cache and does not count
  for (let run = 0; run <= runs; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.join(root, 'bench/startup-process.ts'),
      builtIndex(),
      String(resources),
    ])
    if (run > 0) costs.push(JSON.parse(stdout))
  }
  return costs
}
