/** What to do with the files of `pull`: the package that they need, and the program that serves them. */
import { Utils } from '@mikro-orm/core'
import fs from 'node:fs'
import path from 'node:path'
import { shellWord } from '../shell-word.ts'

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

interface Manifest {
  readonly type?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The package that a folder belongs to. `undefined` without a readable package.json. */
function packageOf (folder: string): { readonly file: string, readonly manifest: Manifest } | undefined {
  const file = path.join(folder, 'package.json')
  try {
    return { file, manifest: JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest }
  } catch {
    const above = path.dirname(folder)
    return above === folder ? undefined : packageOf(above)
  }
}

/**
 * A sentence about a package whose files are no modules, as `npm init` makes them.
 *
 * @param folder the absolute folder with `entities` and `resources`
 */
export function packageNote (folder: string): string | undefined {
  const found = packageOf(folder)
  if (found === undefined || found.manifest.type === 'module') return undefined
  return `${found.file} needs "type": "module", since the files are modules: npm pkg set type=module`
}

/** Commands that make a package in which the program runs. */
function commandsFor (folder: string): string[] {
  const found = packageOf(folder)
  const { type, dependencies, devDependencies }: Manifest = found?.manifest ?? {}
  // all packages of MikroORM must have the same version
  const version = Utils.getORMVersion()
  const needed = [
    'fastify-crud-kit', 'fastify@5', `@mikro-orm/core@${version}`, `@mikro-orm/postgresql@${version}`,
  ].filter((one) => !(one.replace(/(?<=.)@.*$/, '') in { ...dependencies, ...devDependencies }))
  return [
    ...found === undefined ? ['npm init -y'] : [],
    ...type === 'module' ? [] : ['npm pkg set type=module'],
    ...needed.length === 0 ? [] : [`npm install ${needed.join(' ')}`],
  ]
}

/**
 * The sentences after the first files of a folder.
 *
 * @param folder the folder with `entities` and `resources`, as it was asked for
 * @param absolute the same, absolute
 */
export function nextStep (folder: string, absolute: string): string {
  const file = path.join(folder, 'server.ts')
  const commands = commandsFor(absolute)
  const prepared = commands.length === 0
    ? ''
    : `To serve them, prepare the package:

${commands.map((command) => `  ${command}`).join('\n')}

`
  return `
${prepared}${file} can serve them:

${PROGRAM}
Run it with DATABASE_URL=postgresql://... node ${shellWord(file)}, and open http://127.0.0.1:3000/explorer.
Until you add the option 'access', requests without credentials may do all that the resources allow.`
}
