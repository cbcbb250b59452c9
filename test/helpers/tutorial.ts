/**
 * Runs a tutorial: a page whose sections are steps. A block of a later step replaces the file of its name. A block that
 * is marked `ts change app.ts` adds lines to it.
 */
import type { Test } from 'tap'
import { checkRequests, type CheckOptions } from './check-document.ts'
import { documentOf, readDocument, type Exchange } from './document.ts'
import { startIn, writeProgram } from './programs.ts'
import { run } from './pages.ts'

/** A section of a tutorial. */
export interface Step {
  readonly heading: string
  /** All files after the changes of the step. */
  readonly files: ReadonlyMap<string, string>
  /** The tests that the step adds. */
  readonly tests: readonly string[]
  readonly exchanges: readonly Exchange[]
}

/** The steps of a page: its sections with files or requests. */
export function stepsOf (file: string): Step[] {
  const files = new Map<string, string>()
  return readDocument(file).text.split(/^## /m).slice(1).map((text) => {
    const { blocks, exchanges } = documentOf(text)
    const tests: string[] = []
    for (const { info, code } of blocks) {
      const [, change, name] = /^ts (change )?(\S+\.ts)$/.exec(info) ?? []
      if (name === undefined) continue
      files.set(name, change === undefined ? code : changed(files.get(name) ?? '', code))
      if (name.endsWith('.test.ts')) tests.push(name)
    }
    return { heading: text.split('\n', 1)[0]!, files: new Map(files), tests, exchanges }
  }).filter(({ exchanges, tests }) => exchanges.length > 0 || tests.length > 0)
}

/**
 * A file with the lines of a change. The first of them that the file has says where: those above it are added to the
 * top of the file, and those below it are added below it.
 */
export function changed (file: string, change: string): string {
  const lines = file.split('\n')
  const added = change.trimEnd().split('\n')
  const known = added.findIndex((line) => lines.includes(line))
  if (known === -1) throw new Error(`No line of this change is in the file:\n${change}`)
  const place = lines.indexOf(added[known]!) + 1
  return [...added.slice(0, known), ...lines.slice(0, place), ...added.slice(known + 1), ...lines.slice(place)].join(
    '\n'
  )
}

/** Starts the program of each step, compares the answers to the step's requests, and runs its tests. */
export async function checkTutorial (
  t: Test,
  file: string,
  { env = {}, names = {} }: CheckOptions = {}
): Promise<void> {
  let known: Readonly<Record<string, string>> = names
  for (const { heading, files, tests, exchanges } of stepsOf(file)) {
    const folderOf = (t: Test): string => writeProgram(t, files.get('app.ts')!, files)
    if (exchanges.length > 0) {
      await t.test(heading, async (t) => {
        known = await checkRequests(t, await startIn(t, folderOf(t), 'app.ts', env), exchanges, known)
      })
    }
    for (const name of tests) {
      await t.test(name, async (t) => t.match(run(folderOf(t), name, { ...env, PORT: '0' }), /^# fail 0$|^ℹ fail 0$/m))
    }
  }
}
