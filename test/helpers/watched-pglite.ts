/** Listening to the statements that a PGlite gets, from whomever. */
import type { PGlite, Transaction } from '@electric-sql/pglite'
import { replace } from './replace.ts'

type Listener = (statement: { readonly sql: string, readonly params: readonly unknown[] }) => void

const listenersOf = new WeakMap<PGlite, Set<Listener>>()

/**
 * The listeners of a PGlite, to which more can be added. Kysely takes the methods of a PGlite that serves several ORMs
 * when an ORM connects, so such a PGlite has to have listeners before.
 */
export function watchPglite (pglite: PGlite): Set<Listener> {
  const known = listenersOf.get(pglite)
  if (known !== undefined) return known
  const listeners = new Set<Listener>()
  listenersOf.set(pglite, listeners)
  const tell = (sql: string, params: readonly unknown[] = []) => {
    for (const listener of listeners) listener({ sql, params })
  }
  const watchQueries = (target: PGlite | Transaction) => {
    replace(target, 'query', (query) => (sql: string, params?: unknown[], ...rest: unknown[]) => {
      tell(sql, params)
      return query(sql, params, ...rest)
    })
    replace(target, 'exec', (exec) => (sql: string, ...rest: unknown[]) => {
      tell(sql)
      return exec(sql, ...rest)
    })
  }
  watchQueries(pglite)
  // PGlite sends begin, commit and rollback itself
  replace(pglite, 'transaction', (transaction) => async (fn: (tx: Transaction) => unknown) => {
    tell('begin')
    try {
      const result = await transaction((tx: Transaction) => {
        watchQueries(tx)
        return fn(tx)
      })
      tell('commit')
      return result
    } catch (error) {
      tell('rollback')
      throw error
    }
  })
  return listeners
}
