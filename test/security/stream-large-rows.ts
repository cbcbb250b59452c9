/** A process that runs three streams of large rows at once, and prints the number of rows of each. */
import { p } from '@mikro-orm/core'
import Fastify from 'fastify'
import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { CrudBase, crudKit } from '../../src/index.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Crate = entity('Crate', { id: p.integer().primary(), label: p.text() })
const app = Fastify()
await app.register(crudKit, {
  database: { databaseUrl: process.argv[2]!, entities: [Crate] },
  resources: {
    '/crates': {
      crud: new CrudBase({ model: Crate, queryConfig: whitelist({ allowedFilters: [{ id: ['gte'] }] }) }),
      operations: ['list'],
      stream: true,
    },
  },
  indexAdvice: false,
})
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo
const counts = await Promise.all([1, 2, 3].map(async () => {
  const [response] = await once(
    http.get({ port, path: '/crates?filter[id]=3001', headers: { accept: 'application/x-ndjson' } }),
    'response'
  ) as [http.IncomingMessage]
  let lines = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
  }
  return lines
}))
await app.close()
console.log(JSON.stringify(counts))
