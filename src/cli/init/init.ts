/** The command `init`: writes a project that starts. */
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { CommandInput } from '../command.ts'
import { CommandFailure, say, styled, type ExitCode, type Surroundings } from '../surroundings.ts'
import { writeNewFiles } from '../write-files.ts'
import { projectFiles } from './project-files.ts'

const USUAL = 'library'

export async function init ({ argument, options }: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const asks = surroundings.stdin.isTTY === true && surroundings.stdout.isTTY === true && !options.has('yes')
  const folder = argument ?? (asks ? await askFolder(surroundings) : USUAL)
  const target = path.resolve(surroundings.folder, folder)
  const name = path.basename(target).toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '') || USUAL
  const written = writeNewFiles(target, projectFiles(name))
  for (const { path: file, before } of written) {
    const word = before === undefined ? styled('green', 'new', surroundings) : styled('yellow', 'kept', surroundings)
    say(surroundings, `${word} ${path.join(folder, file)}`)
  }
  say(surroundings, `\n  cd ${folder}\n  npm install\n  npm start\n`)
  return 0
}

async function askFolder ({ stdin, stdout }: Surroundings): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout })
  const stopped = new Promise<never>((_resolve, reject) => {
    terminal.once('SIGINT', () => reject(new CommandFailure('Nothing was written.')))
  })
  try {
    const answer = await Promise.race([terminal.question(`In which folder? (${USUAL}) `), stopped])
    return answer.trim() === '' ? USUAL : answer.trim()
  } finally {
    terminal.close()
  }
}
