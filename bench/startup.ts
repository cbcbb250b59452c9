/** Measures what the library adds to the start of a process: published JavaScript, in fresh processes. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

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

/** Compiles file by file, without checking types. Running TypeScript directly would measure its compilation, too. */
async function build (): Promise<void> {
  const { default: ts } = await import('typescript')
  fs.rmSync(BUILT, { recursive: true, force: true })
  for (const folder of ['src', 'plugins']) {
    for (const file of fs.globSync(`${folder}/**/*.ts`, { cwd: root })) {
      const { outputText } = ts.transpileModule(fs.readFileSync(path.join(root, file), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2024,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      })
      const target = path.join(BUILT, file.replace(/\.ts$/, '.js'))
      fs.mkdirSync(path.dirname(target), { recursive: true })
      fs.writeFileSync(target, outputText)
    }
  }
  fs.writeFileSync(path.join(BUILT, 'package.json'), '{ "type": "module" }')
}
