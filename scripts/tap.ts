/** Builds tap if necessary, runs it, and counts its assertions. */
import { spawn, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'

const require = createRequire(import.meta.url)

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
export interface TapRun {
  readonly process: ChildProcess
  readonly done: Promise<number>
}

/**
 * Starts tap with `args`. `done` resolves to its exit status. `onLine` receives the lines of its output; without
 * `onLine`, tap writes to this process's output.
 */
export function startTap (args: readonly string[], env: NodeJS.ProcessEnv, onLine?: (line: string) => void): TapRun {
  const program = path.join(path.dirname(require.resolve('tap/package.json')), 'dist/esm/run.mjs')
  const child = spawn(process.execPath, [program, ...args], {
    env,
    stdio: ['inherit', onLine ? 'pipe' : 'inherit', 'inherit'],
  })
  if (onLine && child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
  const done = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
  return { process: child, done }
}

/** Whether a line of TAP is worth logging: files, failures and comments, but not assertions that pass inside a file. */
export function isNews (line: string): boolean {
  return line.trim() !== '' && !/^\s+(ok \d|1\.\.|# Subtest|# time=|# \{ total)/.test(line) && !/^# Subtest/.test(line)
}

/**
 * After an installation, tap's generated module still has the plugins that it was published with, and .taprc removes
 * some of them. tap notices this only after it has loaded them, and fails.
 */
export function needsBuild (): boolean {
  const generated = path.join(path.dirname(require.resolve('@tapjs/test/package.json')), 'test-built/dist/esm/index.js')
  return !fs.existsSync(generated) || fs.readFileSync(generated, 'utf8').includes('@tapjs/typescript')
}

/** Counts assertions in TAP text that ends with `# { total: 24, pass: 23, skip: 1 }`. */
export function countAssertions (text: string): Counts {
  const summary = [...text.matchAll(/^# \{ total: .*\}$/gm)].at(-1)?.[0] ?? ''
  const count = (key: string) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(summary)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}
