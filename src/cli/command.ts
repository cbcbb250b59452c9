/** What a command is: its arguments, its options and its function. */
import type { ExitCode, Surroundings } from './surroundings.ts'

export interface CommandOption {
  /** What stands for the value in help. An option without one is a switch. */
  readonly value?: string
  /** Whether it may be given several times. */
  readonly repeated?: boolean
  /** A sentence. */
  readonly help: string
}

/** The arguments of a call. A switch has an empty list. */
export interface CommandInput {
  readonly argument: string | undefined
  readonly options: ReadonlyMap<string, readonly string[]>
}

type RunCommand = (input: CommandInput, surroundings: Surroundings) => Promise<ExitCode>

export interface CliCommand {
  /** A sentence. */
  readonly summary: string
  readonly argument?: { readonly name: string, readonly help: string }
  readonly options: Readonly<Record<string, CommandOption>>
  /** Lines that follow the options in help. */
  readonly notes: readonly string[]
  readonly load: () => Promise<RunCommand>
}
