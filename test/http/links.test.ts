/** The header Link of lists and aggregates (RFC 8288). */
import { AllowedAggregate, CrudBase, type PaginationOptions } from '../../src/index.ts'
import type { FastifyServerOptions } from 'fastify'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { entities, Plant } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { bodyOf, serve, whitelist, type Json } from './helper.ts'

const queryConfig = (pagination: PaginationOptions) =>
  whitelist({
    allowedFilters: [{ name: ['contains', 'ne'], id: ['in'] }], allowedSorts: ['name'], allowedFields: ['name'],
    allowedGroups: ['name'], allowedAggregates: [AllowedAggregate.count()], pagination,
  })
const plants = (pagination: PaginationOptions = {}) => ({
  crud: new CrudBase<any>({ model: Plant, queryConfig: queryConfig({ defaultPerPage: 5, ...pagination }) }),
  operations: ['list', 'get', 'aggregate'] as const,
  links: true,
  stream: true,
})

class Own extends CrudBase<any> {
  override list (...args: Parameters<CrudBase['list']>): any {
    return super.list(...args)
  }
}

/** The targets of a header, by relation. */
function linksOf (header: unknown): Record<string, string> {
  const links: Record<string, string> = {}
  for (const [, target, relation] of String(header ?? '').matchAll(/<([^<>]*)>; rel="(\w+)"/g)) {
    links[relation!] = target!
  }
  return links
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const app = await serve(t, orm, {
    '/plants': plants(),
    '/shallow': plants({ maxOffset: 7 }),
    '/uncounted': plants({ count: 'none' }),
    '/choice': plants({ countParameter: true }),
    '/planned': plants({ count: 'planned' }),
    '/bounded': plants({ count: { upTo: 8 } }),
    '/bounded-above': plants({ count: { upTo: 100 } }),
    '/own': { ...plants(), crud: new Own({ model: Plant, queryConfig: queryConfig({ defaultPerPage: 5 }) }) },
    '/plain': { ...plants(), links: false },
  })
  const ask = async (url: string, server = app) => {
    const response = await server.inject(url)
    t.equal(response.statusCode, 200, `${url}: ${response.body}`)
    return { links: linksOf(response.headers.link), body: bodyOf(response) }
  }

  // the 13 visible plants are 3 pages of 5
  t.test('name the pages around an answer, in each style', async (t) => {
    for (const [url, expected] of [
      ['/plants', { next: '?page=2', first: '?page=1', last: '?page=3' }],
      ['/plants?page=2', { next: '?page=3', prev: '?page=1', first: '?page=1', last: '?page=3' }],
      ['/plants?per_page=5&page=3', {
        prev: '?per_page=5&page=2', first: '?per_page=5&page=1', last: '?per_page=5&page=3',
      }],
      ['/plants?page=9', { prev: '?page=3', first: '?page=1', last: '?page=3' }],
      ['/plants?filter[name]=zzz', { first: '?filter%5Bname%5D=zzz&page=1', last: '?filter%5Bname%5D=zzz&page=1' }],
      ['/plants?limit=5', { next: '?limit=5&offset=5', first: '?limit=5&offset=0', last: '?limit=5&offset=10' }],
      ['/plants?offset=3&limit=5', {
        next: '?limit=5&offset=8', prev: '?limit=5&offset=0', first: '?limit=5&offset=0', last: '?limit=5&offset=8',
      }],
      ['/plants?offset=50&limit=5', {
        prev: '?limit=5&offset=10', first: '?limit=5&offset=0', last: '?limit=5&offset=10',
      }],
      ['/uncounted?page=2', { next: '?page=3', prev: '?page=1', first: '?page=1' }],
      ['/choice?count=none&page=2', {
        next: '?count=none&page=3', prev: '?count=none&page=1', first: '?count=none&page=1',
      }],
      ['/planned?page=3', { prev: '?page=2', first: '?page=1' }],
      ['/bounded', { next: '?page=2', first: '?page=1' }],
      ['/bounded-above', { next: '?page=2', first: '?page=1', last: '?page=3' }],
      ['/shallow?page=2', { prev: '?page=1', first: '?page=1' }],
      ['/shallow?limit=5&offset=2', {
        next: '?limit=5&offset=7', prev: '?limit=5&offset=0', first: '?limit=5&offset=0',
      }],
      ['/own?page=2', { next: '?page=3', prev: '?page=1', first: '?page=1', last: '?page=3' }],
      ['/plain?page=2', {}],
      // the number of groups is always counted, in pages of 20
      ['/plants/aggregate?group=name&per_page=4&page=2', {
        next: '?group=name&per_page=4&page=3', prev: '?group=name&per_page=4&page=1',
        first: '?group=name&per_page=4&page=1', last: '?group=name&per_page=4&page=4',
      }],
      ['/uncounted/aggregate?aggregate=count', { first: '?aggregate=count&page=1', last: '?aggregate=count&page=1' }],
      ['/plain/aggregate?aggregate=count', {}],
    ] as const) {
      t.strictSame((await ask(url)).links, expected, url)
    }
  })

  t.test('lead to each page once, also by cursor, and back', async (t) => {
    for (const start of ['?per_page=5', '?limit=4', '?cursor=&per_page=5', '?sort=-name&cursor=']) {
      const walk = async (path: string, relation: string): Promise<[ids: number[], last: string]> => {
        const ids: number[] = []
        let at = path
        for (let next: string | undefined = path; next !== undefined;) {
          at = next
          const { links, body }: { links: Record<string, string>, body: Json } = await ask(`/plants${at}`)
          ids.push(...body.items.map(({ id }: Json) => id))
          t.equal(relation in links, relation === 'next' ? body.has_next : body.has_prev, at)
          next = links[relation]
        }
        return [ids, at]
      }
      const [ids, last] = await walk(start, 'next')
      t.equal(new Set(ids).size, 13, start)
      t.equal(ids.length, 13)
      const [back] = await walk(last, 'prev')
      t.strictSame(back.toSorted(), ids.toSorted())
      const { links } = await ask(`/plants${last}`)
      t.strictSame((await ask(`/plants${links['first']}`)).body, (await ask(`/plants${start}`)).body)
    }
  })

  t.test('keep the meaning of all other parameters, and cannot be broken out of', async (t) => {
    for (const [query, kept] of [
      ['filter[name][contains]=a+b%26%3D%22', 'filter%5Bname%5D%5Bcontains%5D=a+b%26%3D%22'],
      ['filter[name][contains]=a>; rel="next", <//evil.example>', undefined],
      ['filter[id][]=1&filter[id][]=2&&p%61ge=2', 'filter%5Bid%5D%5B%5D=1&filter%5Bid%5D%5B%5D=2'],
      ['filter[name][ne]=ä\u{1f331}\\^`{|}', undefined],
    ] as const) {
      const { headers } = await app.inject(`/plants?${query}`)
      const { first } = linksOf(headers.link)
      t.match(first, /^\?[\w\-.~!$&'()*+,;=:@/?%]+&page=1$/, String(headers.link))
      if (kept !== undefined) t.equal(first, `?${kept}&page=1`)
      const params = (text: string) => [...new URLSearchParams(text)].filter(([name]) => name !== 'page')
      t.strictSame(params(first!), params(query))
      t.equal(String(headers.link).match(/; rel="/g)!.length, Object.keys(linksOf(headers.link)).length)
    }
  })

  t.test('lead on from a query behind a semicolon, if the server reads those', async (t) => {
    for (const options of [{ useSemicolonDelimiter: true }, { routerOptions: { useSemicolonDelimiter: true } }]) {
      const app = await serve(t, orm, { '/all/plants': plants() }, options as FastifyServerOptions)
      const base = 'http://api.example'
      for (const path of ['/all/plants;', '/all/plants/;', '/all/plants?']) {
        const start = `${path}sort=-name&page=2`
        const { links } = await ask(start, app)
        const { pathname, search } = new URL(links['next']!, base + start)
        t.equal(pathname + search, `${path.slice(0, -1)}?sort=-name&page=3`, start)
      }
      t.equal((await app.inject('/all/plants;page=1&fields=%ff')).statusCode, 400, 'encodings are checked')
    }
  })

  t.test('lead on from a query behind a fragment sign, which Fastify reads as a query too', async (t) => {
    for (const options of [{}, { useSemicolonDelimiter: true }]) {
      const app = await serve(t, orm, { '/all/plants': plants() }, options as FastifyServerOptions)
      await app.listen({ port: 0, host: '127.0.0.1' })
      const { port } = app.server.address() as AddressInfo
      /** Sends a target that is written into the request as it is: `inject` removes what is behind the sign. */
      const answerTo = async (target: string): Promise<string> => {
        const socket = net.connect(port, '127.0.0.1')
        socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        return await text(socket)
      }
      for (const value of ['1', '1?;']) {
        const answer = await answerTo(`/all/plants#per_page=1&sort=-name&filter[name][ne]=${value}`)
        t.equal(
          linksOf(/\r\nlink: (.*)/i.exec(answer)?.[1])['next'],
          `?per_page=1&sort=-name&filter%5Bname%5D%5Bne%5D=${value}&page=2`
        )
        t.match(answer, /"per_page":1,/)
      }
      t.match(await answerTo('/all/plants#filter[name]=%ff'), /^HTTP\/1.1 400 /, 'encodings are checked')
      t.match(await answerTo(`/all/plants#fields=${'name,'.repeat(1700)}name`), /^HTTP\/1.1 400 /, 'so is the length')
    }
  })

  t.test('are at most 4 KiB, of which the next page comes first', async (t) => {
    const long = `filter[name][ne]=${'x'.repeat(200)}&fields=${'name,'.repeat(320)}name`
    const { headers } = await app.inject(`/plants?page=2&${long}`)
    t.strictSame(Object.keys(linksOf(headers.link)), ['next', 'prev'])
    t.ok(String(headers.link).length <= 4096)
    const { headers: longer } = await app.inject(`/plants?${long}&filter[name][contains]=${'&fields=name'.repeat(70)}`)
    t.ok('next' in linksOf(longer.link), 'however long')
  })

  t.test('are in answers to HEAD and beside those of the application, but not in streams', async (t) => {
    const head = await app.inject({ method: 'HEAD', url: '/plants?page=2' })
    t.strictSame([head.body, linksOf(head.headers.link)['next']], ['', '?page=3'])
    const { headers } = await app.inject({ url: '/plants', headers: { accept: 'application/x-ndjson' } })
    t.equal(headers.link, undefined)
    t.equal((await app.inject('/plants/1')).headers.link, undefined)
    t.equal((await app.inject('/plants?page=x')).headers.link, undefined)
    const behind = await serve(t, orm, {
      '/plants': {
        ...plants(),
        hooks: {
          list: {
            onRequest: async (_, reply) => {
              reply.header('link', '</style.css>; rel="preload"')
            },
          },
        },
      },
    }, { rewriteUrl: ({ url }) => url!.replace('/v1/', '/') })
    const { headers: { link } } = await behind.inject('/v1/plants?page=2')
    t.match(link, /^<\/style.css>; rel="preload", <\?page=3>; rel="next"/)
    const [, next] = /<([^<>]+)>; rel="next"/.exec(String(link))!
    t.equal(new URL(next!, 'https://api.example.com/v1/plants?page=2').href, 'https://api.example.com/v1/plants?page=3')
  })
})
