/** The header Location of a new record is a path on the server that was asked, however the request wrote its URL. */
import { defineEntity, p } from '@mikro-orm/core'
import Fastify from 'fastify'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { CrudBase, crudKit, crudRoutes } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'

const Country = defineEntity({ name: 'Country', properties: { id: p.integer().primary(), name: p.string() } })

await forEachDatabase(t, { entities: [Country] }, async (t, { orm }) => {
  const app = Fastify({ routerOptions: { ignoreDuplicateSlashes: true, ignoreTrailingSlash: true } })
  t.teardown(() => app.close())
  const crud = new CrudBase({ model: Country, writable: 'all' })
  await app.register(crudKit, { orm, indexAdvice: false, resources: { '/countries': crud } })
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
})
