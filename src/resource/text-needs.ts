/** What filters by text need in the database, beside tables. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError, UnavailableError } from '../base/errors.ts'
import { doInTurn } from '../base/steps.ts'
import { comparedBy, documentOf, type Whitelist } from '../plan/index.ts'
import { askUnaccent, missingForText, run, type BoundStatement, type TextNeeds } from '../run/index.ts'
import { functionName } from '../sql/index.ts'

/**
 * Checks that the database has what filters by text need. If it does not answer, the first request asks again.
 *
 * @param what the resource, as the subject of a sentence
 * @throws {ConfigError} for an extension, a function or a configuration of text search that it does not have
 */
export async function checkTextNeeds (
  what: string,
  whitelist: Whitelist,
  em: EntityManager
): Promise<void> {
  const needs = textNeedsOf(whitelist)
  if (!whitelist.needsUnaccent && needs.functions.length === 0 && needs.configs.length === 0) return
  const fork = em.fork()
  const send = (statement: BoundStatement) => run(fork, statement)
  try {
    if (whitelist.needsUnaccent) await doInTurn(askUnaccent(fork, send))
    const { functions: [fn], configs: [config] } = await doInTurn(missingForText(needs, send))
    if (fn !== undefined) {
      throw new ConfigError(
        `The database has no function ${fn}(text), which removes accents. Create it with a migration, or write ` +
          'unaccent: true.'
      )
    }
    if (config !== undefined) {
      throw new ConfigError(
        `The database has no text search configuration '${config}'. In psql, \\dF lists those that it has.`
      )
    }
  } catch (error) {
    if (error instanceof UnavailableError) return
    if (error instanceof ConfigError) throw new ConfigError(`${what}: ${error.message}`, { cause: error })
    throw error
  }
}

function textNeedsOf ({ filters }: Whitelist): TextNeeds {
  const entries = [...filters.values()]
  const functions = entries.flatMap((entry) => comparedBy(entry)).flatMap(({ unaccent }) =>
    typeof unaccent === 'string' ? [functionName(unaccent).pieces.join('')] : []
  )
  const configs = entries.flatMap((entry) => documentOf(entry)?.config ?? [])
  return { functions: [...new Set(functions)], configs: [...new Set(configs)].filter((config) => config !== 'simple') }
}
