/** Requests as commands and code. */
import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { parseQuery } from '../../explorer/url/address.ts'
import {
  toClient, toCurl, toFetch, toUrl, type ClientMethod, type FilterTypes, type Request,
} from '../../explorer/url/code.ts'
import { createClient } from '../../src/client/index.ts'
import { assertProperty } from '../helpers/property.ts'

const request: Request = {
  method: 'GET', origin: 'http://localhost:3000', path: '/categories',
  params: parseQuery(
    "filter[price][gte]=100&filter[name]=O'Brien&filter[status][in]=draft,active&sort=-price&per_page=3"
  ),
  headers: [['x-role', 'editor']],
}
const url =
  "http://localhost:3000/categories?filter[price][gte]=100&filter[name]=O'Brien&filter[status][in]=draft,active" +
  '&sort=-price&per_page=3'

t.test('the command is one that a shell runs', (t) => {
  t.equal(toUrl(request), url)
  // the shell prints the arguments that curl would get
  const run = (command: string): string[] =>
    execFileSync('sh', ['-c', command.replace(/^curl/, "printf '%s\\n'")], { encoding: 'utf8' }).trimEnd().split('\n')
  t.strictSame(run(toCurl(request)), ['--globoff', url, '--header', 'x-role: editor'])
  t.strictSame(run(toCurl({ ...request, method: 'PATCH', params: [], headers: [], body: { name: "it's" } })), [
    '--globoff', '--request', 'PATCH', 'http://localhost:3000/categories', '--header', 'content-type: application/json',
    '--data', '{"name":"it\'s"}',
  ])
  t.end()
})

const types: FilterTypes = {
  kindOf: (field) => field === 'price' ? 'number' : 'text',
  isList: (_, operator) => operator === 'in',
}

/** Runs code in which `fetch` and imports are replaced, and returns the requests. */
async function requestsOf (code: string): Promise<Array<[url: string, init: RequestInit | undefined]>> {
  const sent: Array<[string, RequestInit | undefined]> = []
  const fetch = async (url: string, init?: RequestInit) => {
    sent.push([url, init])
    return new Response('{}')
  }
  const create = (base: string, options: object) => createClient(base, { ...options, fetch })
  const body = code.replace(/^import .*$/m, '')
  // the code is the one that the explorer wrote
  // eslint-disable-next-line no-new-func
  await new Function('fetch', 'createClient', `return (async () => {\n${body}\n})()`)(fetch, create)
  return sent
}

t.test('the call of fetch sends the request', async (t) => {
  t.strictSame(await requestsOf(toFetch(request)), [[url, { headers: { 'x-role': 'editor' } }]])
  const written = { ...request, method: 'POST', params: [], headers: [], body: { name: "it's\n", tags: [1] } }
  const [[, keyed] = []] = await requestsOf(toFetch({ ...written, key: 'k-1' }))
  t.match(keyed?.headers, { 'idempotency-key': 'k-1' })
  t.match(toClient({ ...written, key: 'k-1' }, { name: 'create' }, types), '{ idempotencyKey: true }')
  const [[, init] = []] = await requestsOf(toFetch(written))
  t.equal(init?.method, 'POST')
  t.strictSame(JSON.parse(String(init?.body)), written.body)
})

t.test('the call of the client sends the same URL', async (t) => {
  const code = toClient(request, { name: 'list' }, types)
  t.match(code, 'gte: 100')
  t.match(code, "in: ['draft', 'active']")
  t.strictSame((await requestsOf(code)).map(([url]) => url), [url])
})

t.test('the calls of the client for groups of filters, facets and numbers ask for the same', async (t) => {
  const asked = (url: string) => {
    const { pathname, searchParams } = new URL(url)
    return [pathname, [...searchParams].sort(([a], [b]) => a < b ? -1 : 1)]
  }
  const groups = 'filter[name]=a&filter[or][0][price][gte]=5&filter[or][1][not][status][in]=a,b' +
    '&filter[or][1][price][lt]=9&filter[and][0][name]=b&filter[not][or][0][name]=c&filter[not][or][1][name]=d'
  for (const [path, query, name] of [
    ['/categories', `${groups}&facets=status,name&sort=-price`, 'list'],
    ['/categories/aggregate', `${groups}&group=status,at.month&aggregate=count&sort=-count&page=2`, 'aggregate'],
  ] as const) {
    const sent = { ...request, path, params: parseQuery(query), headers: [] }
    const code = toClient({ ...sent, path: '/categories' }, { name }, types)
    const [[url] = []] = await requestsOf(code)
    t.strictSame(asked(url!), asked(toUrl(sent)), code)
    t.match(code, `const page = await api['/categories'].${name}(`)
  }
})

t.test('the calls of the client for writes send the same requests', async (t) => {
  const body = { name: "it's" }
  const params = parseQuery('filter[price][gte]=100&filter[status][in]=draft,active')
  const hard = parseQuery('hard=true&dry_run=true')
  const calls: ReadonlyArray<readonly [Partial<Request>, ClientMethod]> = [
    [{ method: 'POST', body }, { name: 'create' }],
    [{ method: 'POST', body: [body, body] }, { name: 'create' }],
    [{ method: 'PATCH', path: '/categories/7', body, ifMatch: '"3"' }, { name: 'update', key: 7 }],
    [{ method: 'PATCH', path: '/categories/a/b%2Fc', body }, { name: 'update', key: ['a', 'b/c'] }],
    [{ method: 'PATCH', params, body }, { name: 'updateMany' }],
    [{ method: 'PATCH', params: [...params, ...hard.slice(1)], body }, { name: 'updateMany' }],
    [{ method: 'DELETE', params }, { name: 'deleteMany' }],
    [{ method: 'DELETE', params: [...params, ...hard] }, { name: 'deleteMany' }],
  ]
  for (const [change, call] of calls) {
    const sent = { ...request, params: [], ...change }
    const code = toClient({ ...sent, path: '/categories' }, call, types)
    const [[url, init] = []] = await requestsOf(code)
    const [[expected, fetched] = []] = await requestsOf(toFetch(sent))
    t.equal(url, expected, code)
    t.equal(init?.method, fetched?.method)
    t.equal(init?.body ?? undefined, fetched?.body)
    t.equal(new Headers(init?.headers).get('if-match'), sent.ifMatch ?? null)
  }
})

t.test('any text of a request stays inside of its quotes in copied code', async (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.toWellFormed())
  await assertProperty(
    fc.asyncProperty(text, text, async (field, value) => {
      const params = [[`filter[${field}][eq]`, value]] as const
      const [[sent] = []] = await requestsOf(toFetch({ ...request, params, headers: [] }))
      t.equal(sent, toUrl({ ...request, params }))
    })
  )
})
