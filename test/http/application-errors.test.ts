/** Errors of the application's functions that say who sends a request, what it may use, and whose keys it has. */
import { defineEntity, p } from '@mikro-orm/core'
import t from 'tap'
import crudKit, { BaseModel, CrudBase, IdempotencyRecord, type CrudKitOptions } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'

const Note = defineEntity({ name: 'Note', extends: BaseModel, properties: { title: p.string() } })
const crud = new CrudBase({ model: Note, writable: ['title'], queryConfig: {} })

const UNKNOWN_ROWS = 'The server could not tell which records this request may use.'
const UNKNOWN_ROLE = 'The server could not tell the role of this request.'
const UNKNOWN_PRINCIPAL = 'The server could not tell whose key this request has.'

/** By the option's name: the message that hides an error, and the options of a server with a function there. */
const FUNCTIONS: ReadonlyArray<readonly [string, string, (fail: () => any) => Partial<CrudKitOptions>]> = [
  ['rows', UNKNOWN_ROWS, (fail) => ({
    resources: { '/notes': crud },
    access: { role: () => 'member', roles: { member: { Note: { rows: fail } } } },
  })],
  ['role', UNKNOWN_ROLE, (role) => ({
    resources: { '/notes': crud },
    access: { role, roles: { member: { Note: {} } } },
  })],
]

await forEachDatabase(t, { entities: [Note, IdempotencyRecord] }, async (t, { orm }) => {
  for (const [what, hidden, optionsWith] of FUNCTIONS) {
    const answerOf = async (fail: () => unknown) => {
      const lines: string[] = []
      const app = newServer(t, { logger: { level: 'info', stream: { write: (line: string) => lines.push(line) } } })
      await app.register(crudKit, { orm, indexAdvice: false, ...optionsWith(fail) })
      const headers = { 'idempotency-key': 'one' }
      const response = await app.inject({ method: 'POST', url: '/notes', headers, payload: { title: 'One' } })
      const { code, message } = response.json()
      return { status: response.statusCode, code, message, log: lines.join('') }
    }

    for (const [how, fail] of [
      ['throws', () => { throw new Error('the vault is open') }],
      ['rejects', async () => await Promise.reject(new Error('the vault is open'))],
    ] as const) {
      t.test(`the message of an error that '${what}' ${how} without a status is only in the log`, async (t) => {
        const { status, message, log } = await answerOf(fail)
        t.strictSame([status, message], [500, hidden])
        t.match(log, 'the vault is open')
      })
    }

    t.test(`an error that '${what}' throws with a status is answered as it is`, async (t) => {
      const { status, message } = await answerOf(() => {
        throw Object.assign(new Error('Who are you?'), { statusCode: 401 })
      })
      t.strictSame([status, message], [401, 'Who are you?'])
    })

    t.test(`an error that '${what}' throws with a number that is no status of an error is hidden`, async (t) => {
      for (const statusCode of [200, 600]) {
        const { status, message } = await answerOf(() => {
          throw Object.assign(new Error('the vault is open'), { statusCode })
        })
        t.strictSame([status, message], [500, hidden], String(statusCode))
      }
    })

    t.test(`a database that is not available to '${what}' is a 503, and another error of it is hidden`, async (t) => {
      const failWith = async (code: string): Promise<() => never> => {
        const sql = `do $$ begin raise exception 'the vault' using errcode = '${code}'; end $$`
        const error: unknown = await orm.em.fork().execute(sql).catch((error: unknown) => error)
        return () => { throw error }
      }
      const unavailable = await answerOf(await failWith('57014'))
      t.strictSame([unavailable.status, unavailable.code], [503, 'FST_CRUD_UNAVAILABLE'])
      const conflict = await answerOf(await failWith('23505'))
      t.strictSame([conflict.status, conflict.message], [500, hidden])
    })
  }

  t.test('a principal that is not a text is answered with a sentence that does not show it', async (t) => {
    const principal = (): any => 12
    const app = newServer(t)
    await app.register(crudKit, {
      orm,
      indexAdvice: false,
      resources: { '/notes': { crud, idempotency: { principal } } },
    })
    const headers = { 'idempotency-key': 'one' }
    const response = await app.inject({ method: 'POST', url: '/notes', headers, payload: { title: 'One' } })
    t.strictSame([response.statusCode, response.json().message], [500, UNKNOWN_PRINCIPAL])
  })
})
