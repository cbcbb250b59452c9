/** The packed package, as npm would publish it, and projects that install it. It packs `dist`, or builds it before. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { freePort } from '../../scripts/free-port.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs npm in a folder, and returns what it prints. */
export function npm (cwd: string, ...args: string[]): string {
  return execFileSync('npm', ['--loglevel=error', ...args], { cwd, encoding: 'utf8', env: projectEnvironment() })
}

/**
 * The Node that runs the tests is the one that the commands find. The server of the tests is not the database of a
 * project: a variable would win over `.env`.
 */
export const projectEnvironment = (more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...process.env, DATABASE_URL: undefined, PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
  NODE_OPTIONS: '', npm_config_audit: 'false', npm_config_fund: 'false', ...more,
})

/** A temporary folder with the packed package, which is removed after the test. */
export function packed (t: Test): { readonly folder: string, readonly tarball: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crud-kit-packed-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  if (!fs.existsSync(path.join(root, 'dist/src/index.js'))) {
    // 'npm run build' would begin without the page of the explorer, which other tests use
    npm(root, 'exec', '--', 'tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly')
    npm(root, 'run', 'build:bundle')
  }
  const [{ filename }] = JSON.parse(npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder))
  return { folder, tarball: path.join(folder, filename) }
}

/** Starts a file of a project, and returns the URL of its server and the lines that it has printed. */
export async function startProject (
  t: Test,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {}
): Promise<{ base: string, lines: string[] }> {
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    cwd: folder, env: projectEnvironment({ PORT: String(port), ...env }), stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${args.at(-1)} has ended`)
  })
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')))
  await Promise.race([once(child.stdout, 'data'), ended])
  return { base: `http://127.0.0.1:${port}`, lines }
}
