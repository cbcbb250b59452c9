/** The command `pull`: writes entities and resources for the tables and views of a database. */
import { ConfigError } from '../../base/errors.ts'
import { readOnly, DatabaseFactory } from '../../database/index.ts'
import { IdempotencyRecord } from '../../entities/index.ts'
import type { CommandInput } from '../command.ts'
import { diffLines } from '../diff.ts'
import { CommandFailure, say, styled, type ExitCode, type Surroundings } from '../surroundings.ts'
import { writeNewFiles, type NewFile, type WrittenFile } from '../write-files.ts'
import path from 'node:path'
import { relationName, type DatabaseFacts, type SkippedRelation } from './database-facts.ts'
import { nextStep, packageNote } from './next-step.ts'
import { planEntities } from './plan-entities.ts'
import { readDatabase, type TakenTables } from './read-database.ts'
import { entityFile, entityList } from './write-entity.ts'
import { resourceFile, resourceList } from './write-resource.ts'

export async function pull (input: CommandInput, surroundings: Surroundings): Promise<ExitCode> {
  const { options } = input
  const url = options.get('url')?.[0] ?? surroundings.env['DATABASE_URL']
  if (url === undefined || url === '') {
    throw new CommandFailure("pull: '--url postgresql://...' is missing, and so is the variable DATABASE_URL.", 2)
  }
  const source = options.has('url') ? '--url' : 'DATABASE_URL'
  const { files, notes } = await pulledFiles('pull', source, url, selectionOf(input))
  if (options.has('print')) {
    for (const { path, text } of files) say(surroundings, `// ${path}\n${text}`)
    for (const note of notes) surroundings.stderr.write(`${note}\n`)
    return 0
  }
  const folder = options.get('out')?.[0] ?? '.'
  const absolute = path.resolve(surroundings.folder, folder)
  const isFirst = report(folder, writeNewFiles(absolute, files), surroundings)
  for (const note of notes) say(surroundings, note)
  const next = isFirst ? nextStep(folder, absolute) : packageNote(absolute)
  if (next !== undefined) say(surroundings, next)
  return 0
}

/** The tables that the options of a command select. */
export const selectionOf = ({ options }: CommandInput): TakenTables =>
  ({ schemas: options.get('schema') ?? [], take: options.get('take') ?? [] })

/** The files and sentences of a `pull`. */
export interface Pulled {
  readonly files: readonly NewFile[]
  readonly notes: readonly string[]
}

/**
 * Reads the database at a URL.
 *
 * @param command the name of the command, for messages
 * @param source what gives the URL
 * @throws {CommandFailure} with exit code 2 if the text is not a URL of a database, and with 1 if the database cannot
 *   be read
 */
export async function pulledFiles (
  command: string,
  source: string,
  url: string,
  selection: TakenTables
): Promise<Pulled> {
  const failure = (cause: unknown, exitCode: ExitCode): unknown => {
    if (!(cause instanceof ConfigError)) return cause
    const message = cause.message.replace(/^DatabaseFactory: /, `${command}: `).replaceAll('databaseUrl', source)
    return new CommandFailure(message, exitCode, { cause })
  }
  let factory
  try {
    // MikroORM needs at least one entity to connect, and nothing here uses the table of this one
    factory = new DatabaseFactory({ databaseUrl: url, entities: [IdempotencyRecord], pool: { max: 1 } })
  } catch (cause) {
    throw failure(cause, 2)
  }
  const facts = await factsOf(factory, selection).catch((cause: unknown) => {
    throw failure(cause, 1)
  })
  return filesFor(facts, selection)
}

/** Reads a database in a transaction that cannot write. */
async function factsOf (factory: DatabaseFactory, selection: TakenTables): Promise<DatabaseFacts> {
  try {
    const engine = await factory.getEngine()
    return await readOnly(engine.em.fork(), async (em) => await readDatabase(em, selection))
  } finally {
    await factory.close()
  }
}

/** The files for the tables and views of a database, and sentences about what they leave out. */
export function filesFor ({ relations, skipped }: DatabaseFacts, { schemas, take }: TakenTables): Pulled {
  const { entities, notes } = planEntities(relations)
  if (entities.length === 0) {
    const where = schemas.length === 0 ? '' : ` in the schema ${schemas.join(' or ')}`
    const which = take.length === 0 ? '' : ` that ${take.map((pattern) => `'${pattern}'`).join(' or ')} takes`
    throw new CommandFailure(
      `The database has no table or view${where}${which} that this role can read. ${
        sentencesFor(skipped).map((sentence) => `${sentence} `).join('')
      }Check the URL, --schema and --take.`
    )
  }
  return {
    files: [
      ...entities.map((plan) => ({ path: `entities/${plan.file}.ts`, text: entityFile(plan) })),
      { path: 'entities/index.ts', text: entityList(entities) },
      ...entities.map((plan) => ({ path: `resources/${plan.file}.ts`, text: resourceFile(plan) })),
      { path: 'resources/index.ts', text: resourceList(entities) },
    ],
    notes: [
      ...sentencesFor(skipped),
      ...notes,
      ...entities.flatMap(({ relation, notes }) => notes.map((note) => `${relationName(relation)}: ${note}`)),
    ],
  }
}

/** The number of tables that a sentence names. */
const NAMED = 5

/** A sentence for each reason why tables are left out. */
function sentencesFor (skipped: readonly SkippedRelation[]): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, relations]) => {
    const names = relations.slice(0, NAMED).map((relation) => relationName(relation)).join(', ')
    const others = relations.length > NAMED ? ` and ${relations.length - NAMED} more` : ''
    return `Left out: ${names}${others}, because ${reason}.`
  })
}

/** Names the new files, and prints the differences of the others. Says whether all of them are new. */
function report (folder: string, written: readonly WrittenFile[], surroundings: Surroundings): boolean {
  const fresh = written.filter(({ before }) => before === undefined)
  const changed = written.filter(({ before, text }) => before !== undefined && before !== text)
  for (const { path: file } of fresh) {
    say(surroundings, `${styled('green', 'new', surroundings)} ${path.join(folder, file)}`)
  }
  for (const { path: file, before, text } of changed) {
    say(
      surroundings,
      `${styled('yellow', 'kept', surroundings)} ${path.join(folder, file)}, which pull would write in another way:`
    )
    for (const line of diffLines(before!, text)) {
      say(
        surroundings,
        line.startsWith('-')
          ? styled('red', line, surroundings)
          : line.startsWith('+')
            ? styled('green', line, surroundings)
            : line
      )
    }
  }
  say(
    surroundings,
    `${fresh.length} files written, ${changed.length} kept that differ, ${
      written.length - fresh.length - changed.length
    } unchanged.`
  )
  return fresh.length === written.length
}
