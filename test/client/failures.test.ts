/** Failures between a client and a server: retries, aborts, truncated answers. The tests run their own servers. */
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import vm from 'node:vm'
import t, { type Test } from 'tap'
import { createClient, CrudError, etagOf, isCrudError, type ClientOptions } from '../../src/client/index.ts'
import { until } from '../helpers/until.ts'
import { collect } from '../helpers/collect.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A client of a server that gives these answers in order, and then repeats the last one. */
async function serve (t: Test, answers: readonly Answer[], options?: ClientOptions) {
  const requests: {
    method: string,
    url: string,
    headers: http.IncomingHttpHeaders,
    body: string,
    closed: Promise<unknown>,
  }[] = []
  const server = http.createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)]!
    const received = {
      method: request.method!, url: request.url!, headers: request.headers, body: '', closed: once(response, 'close'),
    }
    requests.push(received)
    request.setEncoding('utf8').on('data', (text: string) => {
      received.body += text
    }).on('end', () => answer(response, request))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, requests, api: (createClient<any>(baseUrl, options) as any)['/things'] }
}

const json = (status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): Answer => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
const busy = (retryAfter?: string): Answer =>
  json(503, {
    statusCode: 503, code: 'FST_CRUD_UNAVAILABLE', message: 'busy', detail: 'The database is not available.',
  }, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
const ok = json(200, { id: 1, items: [], next_cursor: null })
const past = new Date(0).toUTCString()

/** An answer with this text, or with its beginning before the connection breaks. */
const text = (body: string, status = 200, type?: string): Answer => (response) => {
  response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
}
const cut = (body: string, headers: http.OutgoingHttpHeaders = { 'content-length': '100' }): Answer => (response) => {
  response.writeHead(200, headers).write(body)
  setImmediate(() => response.destroy())
}
const NDJSON = 'application/x-ndjson'

t.test('reads refused by a busy server are repeated', async (t) => {
  for (const read of ['list', 'get', 'each', 'stream']) {
    const ndjson = text('{"id":1}\n', 200, NDJSON)
    const { api, requests } = await serve(t, [busy('0'), busy(past), read === 'stream' ? ndjson : ok])
    if (read === 'list') t.match(await api.list(), { id: 1 })
    else if (read === 'get') t.match(await api.get(1), { id: 1 })
    else t.strictSame(await collect(api[read]()), read === 'stream' ? [{ id: 1 }] : [])
    t.equal(requests.length, 3, read)
  }
})

t.test('reads are repeated as often as configured', async (t) => {
  for (const [retries, count] of [[undefined, 3], [0, 1], [4, 5]] as const) {
    const { api, requests } = await serve(t, [busy('0')], retries === undefined ? {} : { retries })
    await t.rejects(api.list(), { status: 503, code: 'FST_CRUD_UNAVAILABLE', detail: 'The database is not available.' })
    t.equal(requests.length, count)
  }
})

t.test('reads are repeated after the time that the server names, and not if that is too long', async (t) => {
  const { api, requests } = await serve(t, [busy('1'), ok])
  const start = performance.now()
  await api.list()
  // timers may be a millisecond early
  t.ok(performance.now() - start >= 990)
  t.equal(requests.length, 2)
  for (const wait of ['31', new Date(Date.now() + 120_000).toUTCString()]) {
    const { api, requests } = await serve(t, [busy(wait), ok])
    await t.rejects(api.list(), { status: 503, code: 'FST_CRUD_UNAVAILABLE' })
    t.equal(requests.length, 1, wait)
  }
  const silent = await serve(t, [busy(), busy('soon'), ok])
  await silent.api.list()
  t.equal(silent.requests.length, 3, 'without a time, the client has its own')
})

/** All writes, each with the options in the place for them. */
const writes: ReadonlyArray<readonly [name: string, (api: any, options?: object) => Promise<unknown>]> = [
  ['create', (api, options) => api.create({}, options)],
  ['createMany', (api, options) => api.createMany([{}], options)],
  ['upsert', (api, options) => api.upsert({}, { on: 'name', ...options })],
  ['update', (api, options) => api.update(1, {}, options)],
  ['updateMany', (api, options) => api.updateMany({ filter: { name: 'x' } }, {}, options)],
  ['delete', (api, options) => api.delete(1, options)],
  ['deleteMany', (api, options) => api.deleteMany({ filter: { name: 'x' } }, options)],
  ['restore', (api, options) => api.restore(1, options)],
]

t.test('requests that might be done twice are never repeated', async (t) => {
  for (const [name, write] of writes) {
    const { api, requests } = await serve(t, [busy('0'), ok])
    await t.rejects(write(api), { status: 503, code: 'FST_CRUD_UNAVAILABLE' })
    t.equal(requests.length, 1, name)
  }
  const { api, requests } = await serve(t, [(response) => response.destroy(), ok])
  await t.rejects(api.create({}), { status: 0, code: 'NETWORK' })
  t.equal(requests.length, 1)
})

t.test('writes with a key are repeated with the same key', async (t) => {
  const running = json(409, { code: 'FST_CRUD_IDEMPOTENCY_RUNNING', message: 'running' }, { 'retry-after': '0' })
  const lost: Answer = (response) => response.destroy()
  await Promise.all(writes.map(async ([name, write]) => {
    const { api, requests } = await serve(t, [lost, cut('{"i'), busy('0'), running, ok], { retries: 4 })
    t.match(await write(api, { idempotencyKey: true }), name === 'upsert' ? { record: { id: 1 } } : { id: 1 }, name)
    t.equal(requests.length, 5, name)
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    t.match([...keys], [/^\d+-\d+$/], 'one key')
    t.equal(new Set(requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).size, 1)
  }))
  const { api, requests } = await serve(t, [lost])
  await t.rejects(api.create({}, { idempotencyKey: 'order-7' }), { status: 0, code: 'NETWORK' })
  t.strictSame(requests.map(({ headers }) => headers['idempotency-key']), ['order-7', 'order-7', 'order-7'])
  const conflict = await serve(t, [json(409, { code: 'FST_CRUD_CONFLICT', message: 'taken' })])
  await t.rejects(conflict.api.create({}, { idempotencyKey: true }), { status: 409, code: 'FST_CRUD_CONFLICT' })
  t.equal(conflict.requests.length, 1, 'an answer')
  await t.rejects(conflict.api.create({}, { idempotencyKey: false }), { status: 409, code: 'FST_CRUD_CONFLICT' })
  t.equal(conflict.requests[1]!.headers['idempotency-key'], undefined)
  const stopped = await serve(t, [busy('1')])
  const stop = new AbortController()
  const write = stopped.api.create({}, { idempotencyKey: true, signal: stop.signal })
  await until(() => stopped.requests.length === 1)
  stop.abort(null)
  t.equal(await write.catch((error: unknown) => error), null, 'an abort ends the repetitions')
})

t.test('other failures are not repeated', async (t) => {
  const { api, requests } = await serve(t, [json(500, { message: 'Something' }), ok])
  await t.rejects(api.list(), { status: 500, code: 'HTTP_500', detail: 'Something', errors: [] })
  t.equal(requests.length, 1)
})

t.test('an unreachable server and truncated answers are errors', async (t) => {
  const gone = await serve(t, [ok])
  const api: any = createClient<any>('http://127.0.0.1:1')['/things']
  const error = await api.list({ page: 2 }).catch((error: unknown) => error)
  t.match(error, {
    name: 'CrudError', status: 0, code: 'NETWORK',
    detail: 'GET http://127.0.0.1:1/things has no complete answer: the server was not reached, the connection broke, ' +
      'or CORS hides it from the page.',
    cause: Error,
  })
  t.ok(error instanceof CrudError)
  for (const method of ['list', 'get']) {
    const { api } = await serve(t, [cut('{"i')])
    await t.rejects(api[method](1), { status: 0, code: 'NETWORK', cause: Error })
  }
  t.match(await gone.api.list(), { id: 1 })
})

t.test('a base URL that cannot work is a mistake of the application', async (t) => {
  const base = 'createClient: the base URL is undefined. Pass a URL such as https://api.example.com.'
  t.throws(() => createClient<any>(undefined as never), new TypeError(base))
  for (const [baseUrl, url] of [['', '/things'], ['/api', '/api/things'], ['localhost:1', 'localhost:1/things']]) {
    const message = `createClient: the base URL is relative outside of a page (${url}). Pass a URL such as ` +
      'https://api.example.com.'
    await t.rejects((createClient<any>(baseUrl!) as any)['/things'].list(), new TypeError(message))
  }
})

t.test('answers that are not JSON are errors', async (t) => {
  for (const answer of [502, 200, 404]) {
    const { api, baseUrl } = await serve(t, [text('<h1>Bad Gateway</h1>', answer, 'text/html')])
    await t.rejects(api.list({ page: 2 }), {
      name: 'CrudError', status: answer, code: 'NOT_JSON',
      detail: `GET ${baseUrl}/things was answered with status ${answer}, but not with JSON.`,
      cause: '<h1>Bad Gateway</h1>',
    })
  }
  for (const body of ['null', '"text"', '']) {
    const { api } = await serve(t, [text(body)])
    await t.rejects(api.get(1), { status: 200, code: 'NOT_JSON' }, body)
  }
})

t.test('errors of other servers keep the types of CrudError', async (t) => {
  for (const [body, expected] of [
    [{ code: 7, message: 'No', errors: { name: ['is short'] } }, { code: 'HTTP_422', detail: 'No', errors: [] }],
    [{ detail: [{ msg: 'No' }], errors: null }, { code: 'HTTP_422', detail: /422/, errors: [] }],
    [{ code: 'X', detail: 'No', errors: [null, 'text', { detail: 'short' }] }, {
      code: 'X', detail: 'No', errors: [{ detail: 'short' }],
    }],
    [[1], { code: 'HTTP_422', detail: /422/, errors: [] }],
  ] as const) {
    const { api } = await serve(t, [json(422, body)])
    const error = await api.list().catch((error: unknown) => error)
    t.match(error, { status: 422, ...expected })
    t.equal(error.errors.length, expected.errors.length)
    t.ok(isCrudError(error))
    t.equal((error as CrudError).errorFor('/name'), undefined)
  }
})

t.test('a write is not redirected, because a POST would become a GET', async (t) => {
  const moved: Answer = (response) => {
    response.writeHead(302, { location: '/elsewhere' }).end()
  }
  const { api, requests } = await serve(t, [moved, ok])
  await t.rejects(api.create({}), { name: 'CrudError', status: 0, code: 'NETWORK' })
  t.strictSame(requests.map(({ method }) => method), ['POST'])
  const reads = await serve(t, [moved, ok])
  t.match(await reads.api.get(1), { id: 1 }, 'a read is')
})

t.test('a body has no values that JSON would replace with null', async (t) => {
  const { api, requests } = await serve(t, [ok])
  for (const [body, message] of [
    [{ price: Number.NaN }, 'price: NaN is not a value for a body.'],
    [{ sizes: [1, Infinity] }, '1: Infinity is not a value for a body.'],
    [{ at: new Date('never') }, 'at: Invalid Date is not a value for a body.'],
  ] as const) {
    await t.rejects(api.create(body), new TypeError(message))
    await t.rejects(api.update(1, body), new TypeError(message))
  }
  t.strictSame(requests, [], 'nothing is sent')
  await api.create({ price: null, n: 1n, at: new Date(0), gone: undefined })
  t.equal(requests[0]!.body, '{"price":null,"n":"1","at":"1970-01-01T00:00:00.000Z"}')
})

t.test('pages end with an error if the server does not know cursors', async (t) => {
  const { api, requests } = await serve(t, [json(200, { items: [{ id: 1 }], total: 40 })])
  await t.rejects(collect(api.each()), { name: 'CrudError', status: 200, code: 'NO_CURSOR' })
  t.equal(requests.length, 1)
})

t.test('an abort rejects with the reason of its signal', async (t) => {
  const aborted = AbortSignal.abort()
  const { api, requests } = await serve(t, [(response) => {
    response.writeHead(200).write('{')
  }])
  for (const act of [
    (signal: AbortSignal) => api.list({ signal }),
    (signal: AbortSignal) => api.create({}, { signal }),
    (signal: AbortSignal) => api.update(1, {}, { signal }),
    (signal: AbortSignal) => collect(api.each({ signal })),
    (signal: AbortSignal) => collect(api.stream({ signal })),
  ]) {
    await t.rejects(act(aborted), { name: 'AbortError' })
  }
  t.strictSame(requests, [], 'nothing is sent')
  for (const act of [
    (signal: AbortSignal) => api.get(1, { signal }),
    (signal: AbortSignal) => api.delete(1, { signal }),
    (signal: AbortSignal) => api.restore(1, { signal }),
  ]) {
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const work = act(controller.signal)
    const before = requests.length
    await until(() => requests.length > before)
    controller.abort(reason)
    t.equal(await work.catch((error: unknown) => error), reason)
    await requests.at(-1)!.closed
  }
  await t.rejects(api.list({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
})

t.test('an abort ends the wait before a repetition', async (t) => {
  const { api, requests } = await serve(t, [busy('20')])
  const controller = new AbortController()
  const work = api.list({ signal: controller.signal })
  await until(() => requests.length > 0)
  await requests[0]!.closed
  controller.abort()
  await t.rejects(work, { name: 'AbortError' })
  t.equal(requests.length, 1)
})

t.test('a stream yields records as they arrive, in pieces of any size', async (t) => {
  const lines = Array.from({ length: 50 }, (_, id) => JSON.stringify({ id, name: '🌹 Ångström' })).join('\n') + '\n'
  const { api } = await serve(t, [async (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
    const bytes = Buffer.from(lines)
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7))
      await new Promise(setImmediate)
    }
    response.end()
  }])
  t.strictSame(await collect(api.stream()), Array.from({ length: 50 }, (_, id) => ({ id, name: '🌹 Ångström' })))
})

t.test('a stream starts before its end, and leaving the loop or aborting closes the connection', async (t) => {
  const endless: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"id":1}\n')
  }
  const { api, requests } = await serve(t, [endless])
  const records = api.stream()
  t.strictSame(await records.next(), { value: { id: 1 }, done: false })
  await records.return()
  await requests[0]!.closed
  const controller = new AbortController()
  await t.rejects(async () => {
    for await (const record of api.stream({ signal: controller.signal })) {
      t.strictSame(record, { id: 1 })
      controller.abort()
    }
  }, { name: 'AbortError' })
  await requests[1]!.closed
})

t.test('a truncated stream is an error', async (t) => {
  const broken = await serve(t, [cut('{"id":1}\n', { 'content-type': NDJSON })])
  await t.rejects(collect(broken.api.stream()), { code: 'NETWORK', status: 0, cause: Error })
  const half = await serve(t, [text('{"id":1}\n{"id":', 200, NDJSON)])
  await t.rejects(collect(half.api.stream()), { code: 'NETWORK', detail: 'The stream ended within a record.' })
  const garbled = await serve(t, [text('{"id":1}\n<html>\n', 200, NDJSON)])
  await t.rejects(collect(garbled.api.stream()), { status: 200, code: 'NOT_JSON', cause: '<html>' })
})

t.test('an upsert says whether it has created the record, which has its version', async (t) => {
  const { api } = await serve(t, [json(201, { id: 1 }, { etag: '"1"' }), json(200, { id: 1 }, { etag: '"2"' })])
  for (const created of [true, false]) {
    const answer = await api.upsert({ name: 'x' }, { on: 'name' })
    t.strictSame(answer, { created, record: { id: 1 } })
    t.equal(etagOf(answer.record), created ? '"1"' : '"2"')
  }
})

t.test('an application sets headers and its own fetch', async (t) => {
  let token = 0
  const { api, requests, baseUrl } = await serve(t, [busy('0'), ok], {
    headers: async () => ({ authorization: `Bearer ${++token}` }),
  })
  await api.list()
  t.strictSame(requests.map(({ headers }) => headers['authorization']), ['Bearer 1', 'Bearer 2'],
    'made for each request')
  await api.update('a/b', { at: new Date(0), n: 1n, gone: undefined }, { ifMatch: '"1"' })
  t.match(requests.at(-1), {
    method: 'PATCH',
    url: '/things/a%2Fb',
    body: '{"at":"1970-01-01T00:00:00.000Z","n":"1"}',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'if-match': '"1"' },
  })
  await api.delete(1)
  t.strictSame([requests.at(-1)!.headers['content-type'], requests.at(-1)!.body], [undefined, ''])
  let signedIn: string | null = null
  const optional: any = createClient<any>(baseUrl, {
    headers: () => signedIn === null ? {} : { authorization: signedIn },
  })['/things']
  const empty: any =
    createClient<any>(baseUrl, { headers: () => ({ authorization: signedIn ?? undefined }) })['/things']
  for (const value of [null, 'Bearer x']) {
    signedIn = value
    await optional.list()
    t.equal(requests.at(-1)!.headers['authorization'], value ?? undefined)
    await empty.list()
    t.equal(requests.at(-1)!.headers['authorization'], value ?? undefined)
  }
  const failing: any = createClient<any>(baseUrl, {
    headers: () => {
      throw new Error('not signed in')
    },
  })['/things']
  await t.rejects(failing.list(), { name: 'Error', message: 'not signed in' },
    'an error of the application stays its own')
  const urls: string[] = []
  const own: any = createClient<any>('', {
    headers: new Headers({ 'x-a': '1' }),
    fetch: async (url, { headers }) => {
      urls.push(`${url} ${(headers as Headers).get('x-a')}`)
      return Response.json({ items: [] })
    },
  })
  await own['/things'].list({ page: 2 })
  await own['/'].list()
  t.strictSame(urls, ['/things?page=2 1', '/ 1'])
})

t.test('isCrudError accepts an error of another realm, and nothing else', async (t) => {
  const error = new CrudError({ status: 404, code: 'X', detail: 'gone' })
  t.ok(isCrudError(error))
  t.ok(
    isCrudError(
      vm.runInNewContext("Object.assign(new Error('x'), { name: 'CrudError', code: 'X', status: 404, errors: [] })")
    )
  )
  for (const other of [
    undefined, null, 'CrudError', new Error('x'), Object.assign(new Error('x'), { code: 'X', status: 404 }), {},
  ]) t.notOk(isCrudError(other))
  t.equal(error.errorFor('/name'), undefined)
})
