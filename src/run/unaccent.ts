/** Asks a server once in which schema its extension unaccent is. Only servers whose filters use it are asked. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import type { OrPromise } from '../base/or-promise.ts'
import { wait, type Steps } from '../base/steps.ts'
import type { Row } from '../sql/index.ts'
import type { BoundStatement } from './pg/statement.ts'

const UNACCENT_SCHEMA: BoundStatement = {
  text: 'select n.nspname::text as "schema" from pg_extension e join pg_namespace n on n.oid = e.extnamespace ' +
    "where e.extname = 'unaccent'",
  values: [],
  readOnly: true,
}

/** The schemas, by driver. */
const schemas = new WeakMap<object, string>()

export const isUnaccentKnown = (em: EntityManager): boolean => schemas.has(em.getDriver())

/** The schema of the extension. The server has been asked. */
export const schemaOfUnaccent = (em: EntityManager): string => schemas.get(em.getDriver())!

/**
 * Asks the server of an EntityManager, unless it has been asked.
 *
 * @throws {ConfigError} if the database does not have the extension
 */
export function * askUnaccent (
  em: EntityManager,
  send: (statement: BoundStatement) => OrPromise<readonly Row[]>
): Steps<void> {
  if (isUnaccentKnown(em)) return
  const [row] = yield * wait(send(UNACCENT_SCHEMA))
  if (row === undefined) {
    throw new ConfigError(
      'The database does not have the extension unaccent, which filters with the option unaccent need: ' +
        'create extension unaccent, with a migration.'
    )
  }
  schemas.set(em.getDriver(), row['schema'] as string)
}

/** `$1`: names of functions, as SQL writes them. */
const FUNCTIONS = "select name from unnest($1::text[]) as name where to_regprocedure(name || '(text)') is null"
/** `$1`: names of configurations of text search. */
const CONFIGS = 'select name from unnest($1::text[]) as name where not exists (select 1 from pg_ts_config c ' +
  "join pg_namespace n on n.oid = c.cfgnamespace where lower(name) in (c.cfgname, n.nspname || '.' || c.cfgname))"

/** What filters need in the database, beside tables. */
export interface TextNeeds {
  /** The functions that remove accents, instead of that of the extension. */
  readonly functions: readonly string[]
  /** The configurations of text search. */
  readonly configs: readonly string[]
}

/** The names that the database does not have. Sends a statement for each kind of needs. */
export function * missingForText (
  { functions, configs }: TextNeeds,
  send: (statement: BoundStatement) => OrPromise<readonly Row[]>
): Steps<TextNeeds> {
  const missing: Record<keyof TextNeeds, readonly string[]> = { functions: [], configs: [] }
  for (const [kind, text, names] of [['functions', FUNCTIONS, functions], ['configs', CONFIGS, configs]] as const) {
    if (names.length === 0) continue
    const rows = yield * wait(send({ text, values: [names], readOnly: true }))
    missing[kind] = rows.map(({ name }) => name as string)
  }
  return missing
}
