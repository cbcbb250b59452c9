/**
 * The databases that the tests of a run copy: an empty PGlite folder, one with the fixtures, and a PostgreSQL database
 * with the fixtures. Otherwise dozens of files would create the same tables and rows, which takes several times as
 * long. Out: the environment in which databases.ts finds them.
 */
import { PGlite } from '@electric-sql/pglite'
import { MikroORM as PgliteORM } from '@mikro-orm/pglite'
import { MikroORM } from '@mikro-orm/postgresql'
import fs from 'node:fs'
import path from 'node:path'
import { entities } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { createDatabase, fill } from './databases.ts'

/** Creates the PGlite folders inside `folder`. */
export async function preparePglite (folder: string): Promise<{ PGLITE_TEMPLATE: string, PGLITE_FIXTURES: string }> {
  const empty = path.join(folder, 'empty')
  // small to copy: WAL of 1 MB instead of 16, and no template databases
  const database = await PGlite.create(empty, { initDbStartParams: ['--wal-segsize=1'] })
  await database.exec("update pg_database set datistemplate = false where datname in ('template0', 'template1')")
  await database.exec('drop database template0')
  await database.exec('drop database template1')
  await database.close()
  const fixtures = path.join(folder, 'fixtures')
  fs.cpSync(empty, fixtures, { recursive: true })
  await fillAndClose(await PgliteORM.init({ entities, dbName: fixtures }) as unknown as MikroORM)
  return { PGLITE_TEMPLATE: empty, PGLITE_FIXTURES: fixtures }
}

/** Creates the database on the server at the URL `server`. */
export async function preparePostgres (server: string): Promise<{ POSTGRES_FIXTURES: string }> {
  const { name, url } = await createDatabase(undefined, server)
  await fillAndClose(await MikroORM.init({ entities, clientUrl: url }))
  return { POSTGRES_FIXTURES: name }
}

async function fillAndClose (orm: MikroORM): Promise<void> {
  await fill(orm, { seed })
  await orm.close(true)
}
