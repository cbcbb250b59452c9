/** Runs the samples of a page of documentation. CONTRIBUTING.md says how blocks of code are marked. */
import { spawnSync } from 'node:child_process'
import type { Test } from 'tap'
import { checkRequests, type CheckOptions } from './check-document.ts'
import { readDocument, type Block } from './document.ts'
import { startIn, writeProgram, type Environment } from './programs.ts'

/** Languages of blocks that are answers, output or configuration. All others are code, which has to run. */
const SHOWN: ReadonlySet<string> = new Set(['json', 'text', 'http', 'sh', 'sql', 'yaml', 'ini', 'dockerfile'])
const PART = 'ts part'
/** The part of the README that test/authorization.test.ts puts into its program. */
const README_PART = 'ts part 3'

/** The files of a page by name. Blocks marked `ts part` are added to app.ts before it listens. */
export function filesOf (blocks: readonly Block[]): Map<string, string> {
  const files = new Map<string, string>()
  for (const { info, code } of blocks) {
    const [, name] = /^ts (\S+\.ts)$/.exec(info) ?? []
    if (name !== undefined) files.set(name, [files.get(name), code].filter((text) => text !== undefined).join('\n'))
  }
  const parts = blocks.filter(({ info }) => info === PART).map(({ code }) => code).join('\n')
  const app = files.get('app.ts')
  if (app !== undefined) files.set('app.ts', app.replace(/^await app\.listen/m, (listen) => parts + listen))
  return files
}

/** Blocks that no test would run, because their marks say nothing about it. */
export function unmarked (blocks: readonly Block[]): string[] {
  return blocks
    .filter(({ info }) => !SHOWN.has(info.split(' ')[0]!) && ![PART, README_PART].includes(info))
    .filter(({ info }) => !/^ts \S+\.ts$/.test(info))
    .map(({ info, code }) => `${info}: ${code.split('\n')[0]}`)
}

/**
 * Starts the server of a page, and compares the answers to its requests. Runs all of its other files, which find the
 * server at API_URL. If a block marked `text` follows a file, it is the output of that file.
 */
export async function checkPage (t: Test, file: string, { env = {}, names = {} }: CheckOptions = {}): Promise<void> {
  const { blocks, exchanges } = readDocument(file)
  const files = filesOf(blocks)
  const server = files.has('server.ts') ? 'server.ts' : 'app.ts'
  const outputOf = (name: string): string | undefined => {
    const last = blocks.findLastIndex(({ info }) => info === `ts ${name}`)
    return blocks[last + 1]?.info === 'text' ? blocks[last + 1]!.code : undefined
  }
  const runnable = [...files.keys()].filter((name) => name !== 'app.ts' || server === name)
  const others = runnable.filter((name) => name !== server)
  const program = files.get('app.ts') ?? ''
  const serves = files.get(server)?.includes('.listen(') === true

  if (serves) {
    await t.test(server, async (t) => {
      const base = await startIn(t, writeProgram(t, program, files), server, env)
      await checkRequests(t, base, exchanges, names)
      for (const name of others.filter((name) => !name.endsWith('.test.ts'))) {
        // its own folder, because a PGlite folder has one process
        await t.test(name, async (t) => {
          compare(t, name, run(writeProgram(t, program, files), name, { ...env, API_URL: base }), outputOf(name))
        })
      }
    })
  }
  const alone = serves ? others.filter((name) => name.endsWith('.test.ts')) : runnable
  for (const name of alone) {
    await t.test(name, async (t) => {
      const output = run(writeProgram(t, program, files), name, { ...env, PORT: '0' })
      if (name.endsWith('.test.ts')) t.match(output, /^# fail 0$|^ℹ fail 0$/m, name)
      else compare(t, name, output, outputOf(name))
    })
  }
}

function compare (t: Test, name: string, output: string, shown: string | undefined): void {
  if (shown === undefined) t.pass(`${name} runs`)
  else t.equal(output, shown, name)
}

/** Runs a file until it ends, and returns its output. */
export function run (folder: string, name: string, env: Environment): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--liftoff-only', name], {
    cwd: folder, encoding: 'utf8', env: { ...process.env, ...env },
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}
