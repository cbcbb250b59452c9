/** Servers and connections are killed under load. Repeated with its key, each write is done once. */
import { MikroORM } from '@mikro-orm/postgresql'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePort } from '../../../scripts/free-port.ts'
import { createDatabase, skipReasons } from '../../helpers/databases.ts'
import { select } from '../helper.ts'
import { entities } from './killed-writes-entities.ts'

// servers that start again on a busy machine
t.setTimeout(300_000)

const CLIENTS = 16
const WRITES_OF_EACH = 80
/** One of so many writes kills the server, and of so many its connections. */
const KILLS_SERVER = 400
const KILLS_CONNECTIONS = 20

t.test('1 280 writes are neither lost nor doubled', { skip: skipReasons.postgres }, async (t) => {
  const { url, drop } = await createDatabase()
  const orm = await MikroORM.init({ entities, clientUrl: url })
  await orm.schema.create()
  const port = await freePort()
  const program = fileURLToPath(new URL('killed-writes-process.ts', import.meta.url))
  const cache = t.testdir()
  let starts = 0
  let closing = false
  const start = async (): Promise<void> => {
    starts++
    const server = spawn(process.execPath, [program, url, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // a server that is killed starts again with compiled modules
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    })
    const gone = once(server, 'exit')
    stopServer = async () => {
      closing = true
      server.kill('SIGKILL')
      await gone
    }
    server.once('exit', async () => {
      if (!closing) await start()
    })
    await once(server.stdout!, 'data')
  }
  let stopServer = async (): Promise<void> => {}
  t.teardown(async () => {
    await stopServer()
    await orm.close(true)
    await drop()
  })
  await start()

  const [answers, surprises] = [new Map<string, number>(), [] as string[]]
  const count = (what: string): void => {
    answers.set(what, (answers.get(what) ?? 0) + 1)
  }
  let writes = 0

  /** Sends a write until it has an answer, and returns this answer. */
  const write = async (method: string, path: string, body: unknown): Promise<any> => {
    const number = ++writes
    const headers: Record<string, string> = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    if (number % KILLS_SERVER === 0) headers['x-die'] = number % (2 * KILLS_SERVER) === 0 ? 'hook' : 'sent'
    if (number % KILLS_CONNECTIONS === 0) {
      await select(orm,
        'select pg_terminate_backend(pid) from pg_stat_activity ' +
          "where application_name = 'fastify-crud-kit' and datname = current_database()")
    }
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/entries${path}`, {
          method, headers, body: JSON.stringify(body),
        })
        const json: any = await answer.json()
        if (answer.ok) {
          count(answer.headers.has('idempotency-replayed') ? 'replayed' : 'done')
          return json
        }
        count(json.code)
        const repeats = answer.headers.has('retry-after') && (answer.status === 503 || answer.status === 409)
        if (!repeats) {
          surprises.push(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`)
          return json
        }
      } catch {
        count('no answer')
        delete headers['x-die']
        // the processor is for the server, which is starting
        await sleep(150)
      }
      await sleep(50)
    }
  }

  const expected = await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    const { id } = await write('POST', '', { name: `${client}` })
    let version = 1
    const names = [`${client}`]
    for (let number = 1; number < WRITES_OF_EACH; number++) {
      const name = `${client}-${number}`
      if (number % 4 === 0) await write('POST', '', [{ name }, { name: `${name}-2` }])
      else if (number % 4 === 1) await write('POST', '', { name })
      else version = (await write('PATCH', `/${id}`, { name: `${client}` })).version
      if (number % 4 < 2) names.push(name)
      if (number % 4 === 0) names.push(`${name}-2`)
    }
    return { id, version, names }
  }))

  t.comment(`${starts} starts of the server, ${JSON.stringify(Object.fromEntries(answers))}`)
  t.strictSame(surprises, [])
  const rows = await select<{ id: number, name: string, version: number }>(orm, 'select * from entry order by id')
  t.strictSame(rows.map(({ name }) => name).sort(), expected.flatMap(({ names }) => names).sort(), 'each record once')
  const changes = WRITES_OF_EACH / 2
  for (const { id, version } of expected) {
    t.equal(rows.find((row) => row.id === id)?.version, version, 'the last answer has the last version')
    t.equal(version, 1 + changes, 'each change once')
  }
  const [{ kept, incomplete }] = await select(orm,
    'select count(*)::int as kept, count(*) filter (where status is null)::int as incomplete from idempotency_records')
  t.strictSame([kept, incomplete], [writes, 0], 'each write has its answer, and nothing is marked as running')
  t.equal(writes, CLIENTS * WRITES_OF_EACH)
  t.equal(starts, 1 + Math.floor(CLIENTS * WRITES_OF_EACH / KILLS_SERVER), 'the server was killed')
  t.ok(answers.get('replayed')! >= 1, 'answers were lost after writes that were done')
  t.ok(answers.get('no answer')! >= 1)
})
