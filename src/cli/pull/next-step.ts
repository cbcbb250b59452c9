/** What to do with the files of the first `pull`: the program that serves them, as the documentation shows it. */
import path from 'node:path'

const PROGRAM = `import Fastify from 'fastify'
import crudKit from 'fastify-crud-kit'
import crudExplorer from 'fastify-crud-kit/explorer'
import { entities } from './entities/index.ts'
import { resources } from './resources/index.ts'

const app = Fastify()
await app.register(crudKit, { database: { databaseUrl: process.env['DATABASE_URL']!, entities }, resources })
await app.register(crudExplorer, { prefix: '/explorer' })
await app.listen({ port: 3000 })
`

/**
 * The sentences after the first files of a folder.
 *
 * @param folder the folder with `entities` and `resources`, as it was asked for
 */
export function nextStep (folder: string): string {
  const file = path.join(folder, 'server.ts')
  return `
${file} can serve them, in a package with "type": "module" and fastify, @mikro-orm/core and @mikro-orm/postgresql:

${PROGRAM}
Run it with DATABASE_URL=postgresql://... node ${file}, and open http://127.0.0.1:3000/explorer. Until you add the option
'access', requests without credentials may do all that the resources allow.`
}
