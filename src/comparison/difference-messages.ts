/** The differences between entities and their database as sentences, each with its cure. */
import { quotedName } from '../base/quoted-name.ts'
import type { Difference } from './compare.ts'

type Of<Kind extends Difference['kind']> = Extract<Difference, { readonly kind: Kind }>

/** A sentence for all differences of a kind, in the order of their importance. */
const SENTENCES: { readonly [Kind in Difference['kind']]: (found: ReadonlyArray<Of<Kind>>) => string } = {
  table: (found) =>
    `The database has no table ${joined(found, ({ table, entity }) => `${table} of ${entity}`)}: requests for such ` +
    'entities get a 500. Make the tables with migrations (await orm.migrator.up()), or let the server add them when ' +
    "it starts: crudKit's option database: { ..., schema: 'create' }, or await orm.schema.create() for an ORM of " +
    'your own.',
  column: (found) =>
    `The database has no column ${
      joined(found, ({ table, column, property }) => `${table}.${quotedName(column)} of ${property}`)
    }: requests for such entities get a 500. Add the columns with migrations, or name those that exist: fieldName.`,
  type: (found) =>
    `The type of a column is not that of its property: ${
      joined(found, ({ table, column, property, declared, stored }) =>
        `${table}.${quotedName(column)} is ${stored}, and ${property} is ${declared}`)
    }. Declare the types that the columns have, such as p.uuid(), or change the columns with migrations.`,
  unpopulated: (found) =>
    `A materialized view has no rows yet, so that requests for it get a 503: ${
      joined(found, ({ table, entity }) => `${table} of ${entity}`)
    }. Fill it with refresh materialized view.`,
  operations: (found) =>
    found.map(({ table, prefix, refused, possible }) =>
      `The database refuses ${namesOf(refused)} of ${prefix}, because ${table} has a rule without returning, or is a ` +
      'view without INSTEAD OF triggers: such requests get a 500. Write operations: ' +
      `[${namesOf(possible)}], or give it such triggers.`
    ).join(' '),
  upsertKey: (found) =>
    `No unique index has exactly the columns of a key in "upsertKeys", so that upserts with it get a 500: ${
      joined(found, ({ prefix, key, table, columns }) =>
        `on=${key} of ${prefix} (${columns.map(quotedName).join(', ')} in ${table})`)
    }. Add a unique index or constraint with migrations, or take the key out of "upsertKeys".`,
  key: (found) =>
    `No unique index covers the key of an entity, so that several rows may have one key: ${
      joined(found, ({ table, entity, columns }) => `${columns.map(quotedName).join(', ')} of ${entity} in ${table}`)
    }. A get shows one of these rows, and writes refuse them with a 409. Add a primary key or a unique index, or ` +
    'declare the key that the table has.',
}

const joined = <T>(found: readonly T[], text: (one: T) => string): string => found.map(text).join(', ')
const namesOf = (operations: readonly string[]): string => operations.map((name) => `'${name}'`).join(', ')

/** A sentence for each kind of difference, with its cure. The most important kind is the first. */
export function messagesOf (differences: readonly Difference[]): readonly string[] {
  const kinds = [...new Set(differences.map(({ kind }) => kind))]
  return kinds.map((kind) =>
    (SENTENCES[kind] as (found: readonly Difference[]) => string)(differences.filter((one) => one.kind === kind))
  )
}
