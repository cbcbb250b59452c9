/** The header Location of a new record is a path on the server that was asked, however the request wrote its URL. */
import { p } from '@mikro-orm/core'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { CrudBase, crudKit, crudRoutes } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { newServer } from '../../helpers/server.ts'
import { resource } from '../helper.ts'
import { entity } from '../../helpers/entity.ts'

const Country = entity('Country', { id: p.integer().primary(), name: p.string() })

/** Beyond 2^53, so JavaScript rounds it. */
const LARGE = '9007199254740993'

const Seat = entity('Seat', {
  hall: p.string().primary(), number: p.bigint('number').primary().defaultRaw(LARGE), name: p.string(),
})
const Measure = entity('Measure', {
  size: p.decimal('number').precision(30).scale(0).primary().defaultRaw(LARGE),
  name: p.string(),
})

await forEachDatabase(t, { entities: [Country, Seat, Measure] }, async (t, { orm }) => {
  const app = newServer(t, { routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true } })
  const crud = new CrudBase({ model: Country, writable: 'all' })
  await app.register(crudKit, {
    orm, indexAdvice: false,
    resources: { '/countries': crud, '/seats': resource(Seat), '/measures': resource(Measure) },
  })
  await app.register(crudRoutes, { prefix: '/:tenant/countries', crud, name: 'tenants' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  /** Posts a record to a target that is written into the request as it is. */
  async function locationOf (t: Test, target: string): Promise<string | undefined> {
    const body = JSON.stringify({ name: 'x' })
    const socket = net.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST ${target} HTTP/1.1\r\nHost: api.example\r\nConnection: close\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`
    )
    const answer = await text(socket)
    t.match(answer, /^HTTP\/1.1 201 /, `${target}: ${answer}`)
    return /\r\nlocation: (\S*)/i.exec(answer)?.[1]
  }

  for (const [target, path] of [
    ['/countries', '/countries'],
    ['/countries/', '/countries'],
    ['/countries//', '/countries'],
    ['/countries?', '/countries'],
    ['//countries', '/countries'],
    ['///countries//', '/countries'],
    ['//evil.example/countries', '/evil.example/countries'],
    ['/\\evil.example/countries', '/%5Cevil.example/countries'],
    ['//\\evil.example/countries?', '/%5Cevil.example/countries'],
    ['http://evil.example/countries', '/countries'],
    ['http://evil.example//countries', '/countries'],
    ['HTTPS://evil.example:1/acme/countries/', '/acme/countries'],
    ['/a%2Fb/countries', '/a%2Fb/countries'],
  ] as const) {
    t.test(target, async (t) => {
      const location = await locationOf(t, target) ?? ''
      t.match(location, /\/\d+$/)
      t.equal(location.replace(/\/\d+$/, ''), path)
      t.equal(new URL(location, 'http://api.example/').host, 'api.example')
      const { id } = (await app.inject(location)).json()
      t.equal(location, `${path}/${id}`, 'and leads to the record')
    })
  }

  t.test('a query behind a semicolon is no part of the path, if the server reads those', async (t) => {
    const app = newServer(t, { routerOptions: { useSemicolonDelimiter: true } as object })
    await app.register(crudKit, { orm, indexAdvice: false, resources: { '/countries': crud } })
    for (const url of ['/countries;', '/countries/;', '/countries;?']) {
      const { headers } = await app.inject({ method: 'POST', url, body: { name: 'x' } })
      t.match(headers.location, /^\/countries\/\d+$/, url)
    }
  })

  t.test('the location has all digits of the key, and leads to the record', async (t) => {
    for (const [path, body, expected] of [
      ['/seats', { hall: 'main', name: 'b' }, `/seats/main/${LARGE}`],
      ['/measures', { name: 'c' }, `/measures/${LARGE}`],
    ] as const) {
      const created = await app.inject({ method: 'POST', url: path, body })
      t.equal(created.statusCode, 201, created.body)
      t.equal(created.headers.location, expected)
      const found = await app.inject(created.headers.location as string)
      t.equal(found.statusCode, 200, found.body)
      t.match(found.body, LARGE)
    }
  })
})
