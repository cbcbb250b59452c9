/** A server that streams events. The benchmark starts it; it measures its own memory. */
import { defineEntity, p } from '@mikro-orm/core'
import Fastify from 'fastify'
import { AllowedFilters, CrudBase, crudKit, QueryBuilderConfig } from './library.ts'
import type { StreamMessage } from './stream.ts'

const Event = defineEntity({
  name: 'Event',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    amount: p.decimal().precision(12).scale(2),
    at: p.datetime(),
  },
})
const crud = new CrudBase({
  model: Event,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({ allowedFilters: [new AllowedFilters('id', 'lte')] }),
})

const fastify = Fastify()
await fastify.register(crudKit, {
  database: { databaseUrl: process.env['DATABASE_URL']!, entities: [Event] },
  resources: { '/events': { crud, stream: true } },
  indexAdvice: false,
})
await fastify.listen({ host: '127.0.0.1', port: 0 })

const rss = () => process.memoryUsage.rss()
let peak = 0
setInterval(() => {
  peak = Math.max(peak, rss())
}, 20)
process.on('message', () => {
  process.send!({ rss: rss(), peak: Math.max(peak, rss()) } satisfies StreamMessage)
  peak = 0
})
process.send!({ port: (fastify.server.address() as { port: number }).port } satisfies StreamMessage)
