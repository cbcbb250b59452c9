/** The questions of `init`, which a terminal asks one after the other. */
import { createInterface } from 'node:readline/promises'
import { CommandFailure, type Surroundings } from '../surroundings.ts'

/** Asks a question. The answer is a text without spaces around it. */
export type Ask = (question: string) => Promise<string>

/**
 * Calls a function that asks questions.
 *
 * @throws {CommandFailure} if the developer presses Ctrl-C or Ctrl-D
 */
export async function withQuestions<Answers> (
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
export async function askWhether (question: string, ask: Ask): Promise<boolean> {
  const answer = (await ask(`${question} (Y/n)`)).toLowerCase()
  if (answer === '' || answer === 'y' || answer === 'yes') return true
  return answer === 'n' || answer === 'no' ? false : await askWhether(question, ask)
}
