/** Rows with a value that no column can hold: like such a scope, they are a 403, and no statement is sent. */
import t from 'tap'
import { forEachDatabase } from '../../helpers/databases.ts'
import { recordStatements } from '../../helpers/statements.ts'
import { entities, roleOf, seed, sender, serveWith } from './fixtures.ts'

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const recorder = await recordStatements(orm)
  t.teardown(recorder.stop)
  for (const [what, rows] of [
    ['a text', () => ({ tenant: 'abc' })],
    ['a promise of a text', async () => await Promise.resolve({ tenant: 'abc' })],
    ['a number that is too large', () => ({ tenant: 1e12 })],
    ['null', () => ({ tenant: null })],
    ['one of several ways', () => ({ $or: [{ tenant: 'abc' }, { title: 'Land' }] })],
  ] as const) {
    t.test(what, async (t) => {
      const app = await serveWith(t, orm, { access: { role: roleOf, roles: { member: { Task: { rows } } } } })
      const send = sender(app)
      for (const [method, url, body] of [
        ['GET', '/tasks'],
        ['GET', '/tasks/1'],
        ['POST', '/tasks', { title: 'New' }],
        ['PATCH', '/tasks/1', { title: 'New' }],
        ['DELETE', '/tasks/1'],
      ] as const) {
        recorder.take()
        const answer = await send(method, url, body)
        t.equal(answer.status, 403, `${method} ${url}`)
        t.equal(answer.body.code, 'FST_CRUD_OUT_OF_SCOPE', `${method} ${url}`)
        t.strictSame(recorder.take().filter(({ sql }) => sql.includes('"task"')), [])
      }
    })
  }
})
