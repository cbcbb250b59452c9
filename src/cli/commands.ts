/** The table of commands: their arguments, options and help. */
import type { CliCommand, CommandOption } from './command.ts'

const HELP: CommandOption = { help: 'Shows this help.' }

/** The commands by name, in the order of help. */
export const COMMANDS: ReadonlyMap<string, CliCommand> = new Map<string, CliCommand>([
  ['pull', {
    summary: 'Writes entities and resources for the tables and views of a database.',
    options: {
      url: { value: 'postgresql://...', help: 'The database. Without it, the variable DATABASE_URL is read.' },
      schema: { value: 'name', repeated: true, help: 'A schema to read, repeatable. Default: all schemas.' },
      take: { value: 'pattern', repeated: true, help: "Tables to take, repeatable: orders, 'sales.*'. Default: all." },
      out: { value: 'folder', help: 'Where entities/ and resources/ are. Default: the current folder.' },
      print: { help: 'Prints the files and writes none.' },
    },
    notes: ['Files that exist are never changed: pull prints how they differ from what it would write.'],
    load: async () => (await import('./pull/pull.ts')).pull,
  }],
])

/** The options of a command, with those that every command has. */
export const optionsOf = (command: CliCommand): Readonly<Record<string, CommandOption>> => ({
  ...command.options,
  help: HELP,
})
