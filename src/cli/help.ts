/** The help of the program and of its commands. */
import type { CliCommand, CommandOption } from './command.ts'
import { COMMANDS, optionsOf } from './commands.ts'
import { styled, type Surroundings } from './surroundings.ts'

export function generalHelp (surroundings: Surroundings): string {
  return [
    'Usage: fastify-crud-kit <command> [options]',
    '',
    ...table([...COMMANDS].map(([name, { summary }]) => [name, summary]), surroundings),
    '',
    'fastify-crud-kit <command> --help shows the options of a command.',
  ].join('\n')
}

export function commandHelp (name: string, command: CliCommand, surroundings: Surroundings): string {
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
