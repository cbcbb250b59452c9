/** A process that dies while it writes to a PGlite folder, and the next one that opens the folder. */
import { p } from '@mikro-orm/core'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { DatabaseFactory } from '../../src/database/index.ts'
import { pgliteUrl } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'

const Entry = entity('Entry', { id: p.integer().primary(), part: p.integer().primary(), text: p.text() })
const PARTS = 3
const ENOUGH = 25

/** Writes entries of several rows, one after the other, and prints each one once it is written. */
const writer = (databaseUrl: string): string => `
  import { defineEntity, p } from '@mikro-orm/core'
  const { DatabaseFactory } = await import(${
  JSON.stringify(new URL('../../src/database/index.ts', import.meta.url).href)
})
  const Entry = defineEntity({
    name: 'Entry',
    properties: { id: p.integer().primary(), part: p.integer().primary(), text: p.text() },
  })
  const database = new DatabaseFactory({ databaseUrl: ${
  JSON.stringify(databaseUrl)
}, entities: [Entry], schema: 'create' })
  const { em } = await database.getEngine()
  for (let id = 1; ; id++) {
    const session = em.fork()
    for (let part = 1; part <= ${PARTS}; part++) session.create(Entry, { id, part, text: 'x'.repeat(2000) })
    await session.flush()
    process.stdout.write(id + '\\n')
  }
`

t.test('entries acknowledged before kill -9 are complete, and the folder can be opened again', async (t) => {
  const databaseUrl = pgliteUrl(t)
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer(databaseUrl)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let acknowledged = 0
  for await (const line of createInterface(child.stdout)) {
    acknowledged = Number(line)
    if (acknowledged === ENOUGH) child.kill('SIGKILL')
  }
  t.strictSame(await exited, [null, 'SIGKILL'])
  t.ok(acknowledged >= ENOUGH)

  const database = new DatabaseFactory({ databaseUrl, entities: [Entry] })
  t.teardown(() => database.close())
  const session = (await database.getEngine()).em.fork()
  const rows = await session.execute<Array<{ id: number, parts: number }>>(
    'select id, count(*)::int as parts from entry group by id order by id'
  )
  t.strictSame(rows.slice(0, acknowledged),
    Array.from({ length: acknowledged }, (_, i) => ({ id: i + 1, parts: PARTS })), 'every acknowledged entry is there')
  t.strictSame(rows.filter(({ parts }) => parts !== PARTS), [], 'none is there in part')
  session.create(Entry, { id: 1_000_000, part: 1, text: 'after' })
  await session.flush()
})
