/** The table of commands: their arguments, options and help. */
import type { CliCommand, CommandOption } from './command.ts'

const HELP: CommandOption = { help: 'Shows this help.' }

/** Which tables of a database to read. */
const SELECTION = {
  schema: { value: 'name', repeated: true, help: 'A schema to read, repeatable. Default: all schemas.' },
  take: { value: 'pattern', repeated: true, help: "Tables to take, repeatable: orders, 'sales.*'. Default: all." },
} satisfies Readonly<Record<string, CommandOption>>

/** The commands by name, in the order of help. */
export const COMMANDS: ReadonlyMap<string, CliCommand> = new Map<string, CliCommand>([
  ['init', {
    summary: 'Writes a project that starts: entities, resources, roles, the explorer and a test.',
    argument: { name: 'folder', help: 'Where the project is. Default: library.' },
    options: {
      url: {
        value: 'postgresql://...',
        help: 'A database that exists: the resources are those of its tables. Default: two example tables in PGlite.',
      },
      ...SELECTION,
      'no-dockerfile': { help: 'Writes no Dockerfile.' },
      yes: { help: 'Asks nothing.' },
    },
    notes: [
      'Files that exist are never changed. In the folder, npm install && npm start runs the project, with its explorer',
      'at http://127.0.0.1:3000/explorer. In a package that you have already, use pull instead of --url.',
    ],
    load: async () => (await import('./init/init.ts')).init,
  }],
  ['pull', {
    summary: 'Writes entities and resources for the tables and views of a database.',
    options: {
      url: { value: 'postgresql://...', help: 'The database. Without it, the variable DATABASE_URL is read.' },
      ...SELECTION,
      out: { value: 'folder', help: 'Where entities/ and resources/ are. Default: the current folder.' },
      print: { help: 'Prints the files and writes none.' },
    },
    notes: ['Files that exist are never changed: pull prints how they differ from what it would write.'],
    load: async () => (await import('./pull/pull.ts')).pull,
  }],
  ['check', {
    summary: 'Compares what requests may do with crud.lock.json, and the entities with the database.',
    argument: { name: 'file', help: 'The file of the application. Default: server.ts, app.ts, src/...' },
    options: {
      update: { help: 'Writes crud.lock.json.' },
      lock: { value: 'file', help: 'Another file than crud.lock.json.' },
      'env-file': { value: 'file', help: 'Variables of the environment that the application needs, such as .env.' },
      'no-database': { help: 'Does not ask the database, and lets the server start without it.' },
    },
    notes: [
      'The application is loaded, and does not listen. The exit code is 1 if requests may do more than the file says,',
      'or if the database is not what the entities say.',
    ],
    load: async () => (await import('./check/check.ts')).check,
  }],
])

/** The options of a command, with those that every command has. */
export const optionsOf = (command: CliCommand): Readonly<Record<string, CommandOption>> => ({
  ...command.options,
  help: HELP,
})
