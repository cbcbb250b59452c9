/** The command `init`: writes a project that starts, with its own tables or with those of a database. */
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { CommandInput } from '../command.ts'
import type { Pulled } from '../pull/pull.ts'
import { shellWord } from '../shell-word.ts'
import { CommandFailure, say, styled, type ExitCode, type Surroundings } from '../surroundings.ts'
import { writeNewFiles } from '../write-files.ts'
import { projectFiles } from './project-files.ts'

const USUAL = 'library'

interface Choices {
  readonly folder: string
  /** The URL of a database that exists. */
  readonly url: string | undefined
  readonly dockerfile: boolean
}

export async function init (input: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const { folder, url, dockerfile } = await choicesOf(input, surroundings)
  const target = path.resolve(surroundings.folder, folder)
  const name = path.basename(target).toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').replaceAll(/^-+|-+$/g, '') || USUAL
  const pulled = url === undefined ? undefined : await pulledFrom(url, input)
  const database = pulled && { url: fromAnywhere(url!, surroundings.folder), files: pulled.files }
  const written = writeNewFiles(target, projectFiles({ name, dockerfile, database }))
  for (const { path: file, before } of written) {
    const word = before === undefined ? styled('green', 'new', surroundings) : styled('yellow', 'kept', surroundings)
    say(surroundings, `${word} ${path.join(folder, file)}`)
  }
  for (const note of pulled?.notes ?? []) say(surroundings, note)
  say(surroundings, `\n  cd ${shellWord(folder)}\n  npm install\n  npm start\n`)
  return 0
}

/** Reads a database, with code that a project without one does not load. */
async function pulledFrom (url: string, input: CommandInput): Promise<Pulled> {
  const { pulledFiles, selectionOf } = await import('../pull/pull.ts')
  return await pulledFiles('init', '--url', url, selectionOf(input))
}

/** The same URL for a program in another folder. */
function fromAnywhere (url: string, folder: string): string {
  const [, relative] = /^pglite:\/\/(.+)$/.exec(url) ?? []
  return relative === undefined || relative === 'memory' ? url : `pglite://${path.resolve(folder, relative)}`
}

/** The choices of the options. A terminal is asked for those that the options leave open. */
async function choicesOf ({ argument, options }: CommandInput, surroundings: Surroundings): Promise<Choices> {
  const [url] = options.get('url') ?? []
  const selects = ['schema', 'take'].find((option) => options.has(option))
  if (selects !== undefined && url === undefined) {
    throw new CommandFailure(`init: '--${selects}' needs '--url postgresql://...', the database with the tables.`, 2)
  }
  const usual: Choices = { folder: argument ?? USUAL, url, dockerfile: !options.has('no-dockerfile') }
  const asks = surroundings.stdin.isTTY === true && surroundings.stdout.isTTY === true && !options.has('yes')
  if (!asks) return usual
  return await withQuestions(surroundings, async (ask) => ({
    folder: argument ?? (await ask(`In which folder? (${USUAL})`) || USUAL),
    url: url ?? (await ask('The URL of a database that exists, or nothing for a new one:') || undefined),
    dockerfile: usual.dockerfile && await askWhether('With a Dockerfile?', ask),
  }))
}

/** Asks a question. The answer is a text without spaces around it. */
type Ask = (question: string) => Promise<string>

/**
 * Calls a function that asks questions.
 *
 * @throws {CommandFailure} if the developer presses Ctrl-C or Ctrl-D
 */
async function withQuestions<Answers> (
  { stdin, stdout }: Surroundings,
  work: (ask: Ask) => Promise<Answers>
): Promise<Answers> {
  const terminal = createInterface({ input: stdin, output: stdout })
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(new CommandFailure('\nNothing was written.'))
    terminal.once('SIGINT', stop)
    terminal.once('close', stop)
  })
  // it is also rejected after the last question
  stopped.catch(() => {})
  try {
    return await work(async (question) => (await Promise.race([terminal.question(`${question} `), stopped])).trim())
  } finally {
    terminal.close()
  }
}

/** Asks until the answer is yes or no. No answer is yes. */
async function askWhether (question: string, ask: Ask): Promise<boolean> {
  const answer = (await ask(`${question} (Y/n)`)).toLowerCase()
  if (answer === '' || answer === 'y' || answer === 'yes') return true
  return answer === 'n' || answer === 'no' ? false : await askWhether(question, ask)
}
