/** npm start: serves the example at HOST:PORT until it receives a signal. */
import { roleScheme } from './access.ts'
import { buildApp } from './app.ts'
import { exampleDatabase } from './database.ts'

const EXAMPLE_QUERY = '/categories?filter[name]=Tech&filter[price][gte]=100&sort=-created_at&' +
  'include=products&fields=id,name,price&page=1&per_page=20'

async function start (): Promise<void> {
  const port = Number(process.env['PORT'] ?? 3000)
  const host = process.env['HOST'] ?? '127.0.0.1'
  const app = await buildApp(exampleDatabase(), { logger: { level: 'warn' } })
  const address = await app.listen({ port, host })
  console.log(
    `Explorer       ${address}/explorer
Documentation  ${address}/docs
Categories     ${address}/categories
A query        curl -g '${address}${EXAMPLE_QUERY}'`
  )
  if (process.env['NODE_ENV'] !== 'production') {
    console.log(
      `A write        curl ${address}/tags -H '${roleScheme.name}: editor' --json '{ "name": "second-hand" }'
               Without the header, clients are guests, who only read. In the explorer, choose "Ask as".`
    )
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      app.close().catch((error: unknown) => {
        app.log.error(error)
        process.exitCode = 1
      })
    })
  }
}

await start().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
