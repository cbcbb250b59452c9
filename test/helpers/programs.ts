/** Runs programs of the documentation, in separate folders. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { freePort } from '../../scripts/free-port.ts'

const root = path.resolve(import.meta.dirname, '../..')

export type Environment = Readonly<Record<string, string>>

/**
 * Puts a program into a separate folder. Imports of the package lead to its sources, since there may be no build yet. A
 * database in memory becomes a copy of the run's empty one.
 */
export function writeProgram (t: Test, program: string, others: ReadonlyMap<string, string> = new Map()): string {
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const template = process.env['PGLITE_TEMPLATE']
  if (template) fs.cpSync(template, path.join(folder, 'data'), { recursive: true })
  for (const [name, code] of [...others, ['app.ts', program] as const]) {
    const text = withSources(code)
    fs.writeFileSync(path.join(folder, name), template ? text.replace("'pglite://memory'", "'pglite://data'") : text)
  }
  return folder
}

function withSources (program: string): string {
  return program.replace(/from 'fastify-crud-kit(\/\w+)?'/g, (_, room = '') => {
    const file = room === '/explorer' ? 'plugins/explorer.ts' : `src${room}/index.ts`
    return `from '${pathToFileURL(path.join(root, file)).href}'`
  })
}

/** The exports of a program. */
export async function importProgram<Exports> (t: Test, program: string): Promise<Exports> {
  return await import(pathToFileURL(path.join(writeProgram(t, program), 'app.ts')).href) as Exports
}

/** Runs a program with a second file beside it, e.g. a test of the program. Returns the output of the second file. */
export function runBeside (t: Test, program: string, file: string, code: string): string {
  const cwd = writeProgram(t, program)
  fs.writeFileSync(path.join(cwd, file), withSources(code))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--liftoff-only', file], {
    cwd, encoding: 'utf8', env: { ...process.env, PORT: '0' },
  })
  if (status !== 0) throw new Error(stdout + stderr)
  return stdout
}

/** Runs the program as a process, and returns the start of its URLs. */
export async function startProgram (t: Test, program: string, env: Environment = {}): Promise<string> {
  return await startIn(t, writeProgram(t, program), 'app.ts', env)
}

/** Runs a file of a folder as a process until the end of the test, and returns the start of its URLs. */
export async function startIn (t: Test, folder: string, file: string, env: Environment = {}): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--liftoff-only', file], {
    cwd: folder, env: { ...process.env, PORT: String(port), ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(output)
    }),
  ])
  return `http://127.0.0.1:${port}`
}

/** Runs a page's program, and another one that sends it requests at API_URL. Returns the output of the latter. */
export async function runClient (t: Test, server: string, client: string): Promise<string> {
  const base = await startProgram(t, server)
  const file = path.join(t.testdirName, 'client.ts')
  fs.writeFileSync(file, withSources(client))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['client.ts'], {
    cwd: t.testdirName, encoding: 'utf8', env: { ...process.env, API_URL: base },
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
