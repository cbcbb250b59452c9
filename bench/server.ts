/** A server process: `node bench/server.ts <variant>`, started by the benchmark, which asks for its CPU time. */
import type { FastifyInstance } from 'fastify'
import type { StartOptions } from './pool.ts'
import type { VariantName } from './variants.ts'

/** What the server answers: its port when it listens, its CPU time when it is asked. */
export type ServerMessage = { readonly port: number } | { readonly cpu: NodeJS.CpuUsage }
export type ServerCommand = 'cpu' | 'stop'

/** Each process loads its own variant only. */
const starters: Readonly<Record<VariantName, () => Promise<(options: StartOptions) => Promise<FastifyInstance>>>> = {
  'crud-kit': async () => (await import('./servers/crud-kit.ts')).crudKitServer,
  'hand-written': async () => (await import('./servers/hand-written.ts')).handWritten,
  'mikro-orm': async () => (await import('./servers/mikro-orm.ts')).mikroOrm,
}

const send = (message: ServerMessage) => process.send!(message)
const start = await starters[process.argv[2] as VariantName]()
const fastify = await start({ url: process.env['DATABASE_URL']!, poolSize: Number(process.env['POOL_SIZE']) })
await fastify.listen({ host: '127.0.0.1', port: 0 })
process.on('message', async (command: ServerCommand) => {
  if (command === 'cpu') return send({ cpu: process.cpuUsage() })
  await fastify.close()
  process.disconnect()
})
const { port } = fastify.server.address() as { port: number }
send({ port })
