/** Runs the command line in this process. */
import { PassThrough, Readable } from 'node:stream'
import { runCommandLine } from '../../src/cli/command-line.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command in a folder, as a process whose output is read by another one. */
export async function runCommand (
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string | undefined>> = {}
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const texts = [stdout, stderr].map(async (stream) => Buffer.concat(await stream.toArray()).toString())
  const code = await runCommandLine(args, { stdin: Readable.from([]), stdout, stderr, env, folder })
  stdout.end()
  stderr.end()
  const [out, err] = await Promise.all(texts)
  return { code, out: out!, err: err! }
}
