/** What commands use of the process: its streams, its environment and its folder. */
import { styleText } from 'node:util'

export interface Surroundings {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly folder: string
}

/** 0: everything is fine. 1: the command has found something, or could not finish. 2: it was used in a wrong way. */
export type ExitCode = 0 | 1 | 2

/** A failure whose message is all that the developer needs. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode

  constructor (message: string, exitCode: ExitCode = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

type Style = 'bold' | 'red' | 'green' | 'yellow'

/** A text with a style. Where no terminal is, or NO_COLOR is set, it is the text alone. */
export function styled (style: Style, text: string, { stdout, env }: Surroundings): string {
  const inColour = stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return inColour ? styleText(style, text, { validateStream: false }) : text
}

/** Prints a line, or several. */
export const say = ({ stdout }: Surroundings, text: string): void => {
  stdout.write(`${text}\n`)
}
