/** npm run migrate, or: node example/migrations/migrate.ts up | down | pending, at DATABASE_URL or in a folder. */
import { pathToFileURL } from 'node:url'
import type { MikroORM } from '@mikro-orm/postgresql'
import { migratedDatabase } from './database.ts'

/** Servers that start at the same time wait for the first one, and then find nothing to do. */
const LOCK = 20260105

/** Applies all pending migrations or none, and returns their names. */
export async function applyPending (orm: MikroORM): Promise<string[]> {
  // The first call creates the table of applied migrations, outside the transaction, because PGlite has one connection.
  // If several servers start at once, the call may fail because another one has just created the table, so it is
  // repeated.
  await orm.migrator.getPending().catch(() => orm.migrator.getPending())
  return await orm.em.fork().transactional(async (em) => {
    // a migration may take longer than a request
    await em.execute('set local statement_timeout = 0')
    await em.execute(`select pg_advisory_xact_lock(${LOCK})`)
    const applied = await orm.migrator.up({ transaction: em.getTransactionContext()! })
    return applied.map(({ name }) => name)
  })
}

async function main (command: string): Promise<void> {
  const database = migratedDatabase(process.env['DATABASE_URL'] || 'pglite://.data/migrations')
  try {
    const orm = await database.getEngine()
    const list = (names: string[]) => console.log(names.length === 0 ? 'nothing to do' : names.join('\n'))
    switch (command) {
      case 'up':
        return list(await applyPending(orm))
      case 'down':
        return list((await orm.migrator.down()).map(({ name }) => name))
      case 'pending':
        return list((await orm.migrator.getPending()).map(({ name }) => name))
      default:
        throw new Error(`'${command}' is not one of up, down, pending`)
    }
  } finally {
    await database.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv[2] ?? 'up').catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
