/** A server process, `node bench/server.ts <variant>`. The benchmark starts it and asks it for its CPU time. */
import type { StartOptions } from './pool.ts'
import type { ServerName } from './variants.ts'

/** The messages of the server: its port as soon as it listens, and its CPU time on request. */
export type ServerMessage = { readonly port: number } | { readonly cpu: NodeJS.CpuUsage }
export type ServerCommand = 'cpu' | 'stop'

/** A variant's server: a Fastify instance, of any copy of Fastify. */
export interface Server {
  listen(options: { host: string, port: number }): Promise<unknown>
  close(): Promise<unknown>
  readonly server: { address(): unknown }
}

/** Loads a peer by a path that the compiler does not follow, because its packages may not be installed. */
const peer = async (name: ServerName) => (await import(new URL(`peers/${name}.ts`, import.meta.url).href)).default

/** The variants. Each process loads only its own one. */
const starters: Readonly<Record<ServerName, () => Promise<(options: StartOptions) => Promise<Server>>>> = {
  'crud-kit': async () => (await import('./servers/crud-kit.ts')).crudKitServer,
  'crud-kit-access': async () => (await import('./servers/crud-kit.ts')).crudKitServerWithAccess,
  'crud-kit-bounded': async () => (await import('./servers/crud-kit.ts')).crudKitServerBounded,
  'hand-written': async () => (await import('./servers/hand-written.ts')).handWritten,
  'hand-written-any': async () => (await import('./servers/hand-written.ts')).handWrittenForAny,
  unchecked: async () => (await import('./servers/hand-written.ts')).handWrittenUnchecked,
  'two-queries': async () => (await import('./servers/two-queries.ts')).twoQueries,
  'mikro-orm': async () => (await import('./servers/mikro-orm.ts')).mikroOrm,
  'bulk-crud-kit': async () => (await import('./bulk/server.ts')).generated,
  'bulk-hand-written': async () => (await import('./bulk/server.ts')).handWritten,
  platformatic: () => peer('platformatic'),
  'nestjs-paginate': () => peer('nestjs-paginate'),
}

const send = (message: ServerMessage) => process.send!(message)
const start = await starters[process.argv[2] as ServerName]()
const server = await start({ url: process.env['DATABASE_URL']!, poolSize: Number(process.env['POOL_SIZE']) })
await server.listen({ host: '127.0.0.1', port: 0 })
process.on('message', async (command: ServerCommand) => {
  if (command === 'cpu') return send({ cpu: process.cpuUsage() })
  await server.close()
  process.disconnect()
})
const { port } = server.server.address() as { port: number }
send({ port })
