/** Reads the arguments of the program, and runs a command or shows help. */
import { parseArgs } from 'node:util'
import { didYouMean, nearest } from '../base/suggest.ts'
import type { CliCommand, CommandInput, CommandOption } from './command.ts'
import { COMMANDS, optionsOf } from './commands.ts'
import { CommandFailure, say, styled, type ExitCode, type Surroundings } from './surroundings.ts'

/** Runs the program. Failures are printed as sentences. */
export async function runCommandLine (args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    return await run(args, surroundings)
  } catch (error) {
    const { message } = error as Error
    surroundings.stderr.write(`${styled('red', message, { ...surroundings, stdout: surroundings.stderr })}\n`)
    return error instanceof CommandFailure ? error.exitCode : 1
  }
}

async function run (args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined) {
    say(surroundings, generalHelp(surroundings))
    return 2
  }
  const command = COMMANDS.get(name)
  if (command === undefined) return await withoutCommand(name, rest, surroundings)
  if (asksForHelp(rest)) {
    say(surroundings, commandHelp(name, command, surroundings))
    return 0
  }
  const input = readInput(name, command, rest)
  return await (await command.load())(input, surroundings)
}

async function withoutCommand (name: string, rest: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const topic = name === 'help' ? rest[0] : undefined
  if (topic !== undefined && COMMANDS.has(topic)) {
    say(surroundings, commandHelp(topic, COMMANDS.get(topic)!, surroundings))
    return 0
  }
  if (name === 'help' || asksForHelp([name])) {
    say(surroundings, generalHelp(surroundings))
    return 0
  }
  const names = [...COMMANDS.keys()]
  const sentence = name.startsWith('-')
    ? `The command comes first, and '${shown(name)}' is none`
    : `There is no command '${shown(name)}'`
  throw wrongUse(sentence, nearest(name, names), `Commands: ${names.join(', ')}.`)
}

const asksForHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h')

/**
 * Reads the arguments of a command.
 *
 * @throws {CommandFailure} for wrong arguments, with exit code 2
 */
function readInput (name: string, command: CliCommand, args: readonly string[]): CommandInput {
  const known = optionsOf(command)
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(known).map(([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' }])
    ),
  })
  const options = new Map<string, string[]>()
  let argument: string | undefined
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (command.argument === undefined || argument !== undefined) {
        const meant = Object.keys(known).find((option) => isUrl(token.value) && isUrl(known[option]?.value))
        throw wrongUse(
          `${name}: the argument '${shown(token.value)}' is one too many`,
          meant === undefined ? undefined : `--${meant}`,
          seeHelp(name)
        )
      }
      argument = token.value
    } else if (token.kind === 'option') {
      const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined
      if (option === undefined) {
        const near = nearest(token.name, Object.keys(known))
        throw wrongUse(
          `${name}: there is no option '${token.rawName}'`,
          near === undefined ? undefined : `--${near}`,
          seeHelp(name)
        )
      }
      const values = options.get(token.name) ?? []
      if (values.length > 0 && option.repeated !== true) {
        throw wrongUse(`${name}: '${token.rawName}' is given twice`, undefined, seeHelp(name))
      }
      options.set(token.name, [...values, valueOf(name, token.rawName, token.value, option)])
    }
  }
  return { argument, options }
}

function valueOf (name: string, option: string, value: string | undefined, { value: hint }: CommandOption): string {
  if (hint === undefined) {
    if (value === undefined) return ''
    throw wrongUse(`${name}: '${option}' takes no value`, undefined, seeHelp(name))
  }
  if (value === undefined || value === '') {
    throw wrongUse(`${name}: '${option}' needs a value, such as ${option} ${hint}`, undefined, seeHelp(name))
  }
  return value
}

const isUrl = (text: string | undefined): boolean => text?.includes('://') === true

/** An argument in a message: the rest of a URL may have a password. */
const shown = (argument: string): string => argument.replace(/(?<=:\/\/).*$/s, '...')

const seeHelp = (name: string): string => `See fastify-crud-kit ${name} --help.`

const wrongUse = (sentence: string, near: string | undefined, otherwise: string): CommandFailure =>
  new CommandFailure(didYouMean(sentence, near, otherwise), 2)

function generalHelp (surroundings: Surroundings): string {
  return [
    'Usage: fastify-crud-kit <command> [options]',
    '',
    ...table([...COMMANDS].map(([name, { summary }]) => [name, summary]), surroundings),
    '',
    'fastify-crud-kit <command> --help shows the options of a command.',
  ].join('\n')
}

function commandHelp (name: string, command: CliCommand, surroundings: Surroundings): string {
  const { summary, argument, notes } = command
  const options = Object.entries(optionsOf(command))
  const usage = [
    `fastify-crud-kit ${name}`,
    ...argument === undefined ? [] : [`[${argument.name}]`],
    ...options.filter(([option]) => option !== 'help').map(([option, facts]) => `[${written(option, facts)}]`),
  ]
  return [
    `Usage: ${usage.join(' ')}`,
    '',
    summary,
    '',
    ...table([
      ...argument === undefined ? [] : [[argument.name, argument.help] as const],
      ...options.map(([option, facts]) => [written(option, facts), facts.help] as const),
    ], surroundings),
    ...notes.length === 0 ? [] : ['', ...notes],
  ].join('\n')
}

const written = (name: string, { value }: CommandOption): string => `--${name}${value === undefined ? '' : ` ${value}`}`

function table (rows: ReadonlyArray<readonly [string, string]>, surroundings: Surroundings): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${styled('bold', name.padEnd(width), surroundings)}  ${text}`)
}
