/**
 * The files of a new project. They are those of the page `docs/start/getting-started.md`, which the package contains
 * and which the tests follow step by step, with the explorer, settings and a README added.
 */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { NewFile } from '../write-files.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The folder of this package, from a source or from a bundle of it. */
function packageFolder (): string {
  let folder = import.meta.dirname
  while (!isPackage(folder)) folder = path.dirname(folder)
  return folder
}

function isPackage (folder: string): boolean {
  const file = path.join(folder, 'package.json')
  return fs.existsSync(file) && manifestIn(file).name === 'fastify-crud-kit'
}

const manifestIn = (file: string): Manifest => JSON.parse(fs.readFileSync(file, 'utf8')) as Manifest

/** The files of a project with a name. */
export function projectFiles (name: string): readonly NewFile[] {
  const root = packageFolder()
  const page = fs.readFileSync(path.join(root, 'docs/start/getting-started.md'), 'utf8')
  const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([^]*?)^```$/gm)].map(([, kind, file, text]) =>
    ({ kind: kind!, file, text: text! })
  )
  const files = blocks.flatMap(({ kind, file, text }): NewFile[] => {
    if (kind === 'dockerfile') return [{ path: 'Dockerfile', text }]
    return file !== undefined && /\.(?:ts|json)$/.test(file) ? [{ path: file, text }] : []
  })
  const commands = blocks.find(({ kind }) => kind === 'sh')!.text
  return [
    { path: 'package.json', text: manifestText(name, commands, manifestIn(path.join(root, 'package.json'))) },
    ...files.map((file) => file.path === 'app.ts' ? { ...file, text: withExplorer(file.text) } : file),
    { path: '.env.example', text: settings('a long random text of your own') },
    { path: '.env', text: settings(randomUUID()) },
    { path: '.gitignore', text: 'node_modules\ndata\n.env\n' },
    { path: '.dockerignore', text: 'node_modules\ndata\n.env\n' },
    { path: 'README.md', text: readme(name) },
  ]
}

/** The packages that the commands of the page install, in the versions that this package is tested with. */
function manifestText (name: string, commands: string, { version, devDependencies }: Manifest): string {
  const installed = (isDev: boolean): Record<string, string> =>
    Object.fromEntries(
      commands.split('\n').filter((line) => line.startsWith('npm install') && line.includes('--save-dev') === isDev)
        .flatMap((line) => line.split(' ').slice(2)).filter((word) => !word.startsWith('--'))
        .map((word) => /^(@?[^@]+)(?:@(.+))?$/.exec(word)!)
        .map(([, name, wanted]) => [name!, versionOf(name!, wanted)] as const)
        .sort(([one], [other]) => one < other ? -1 : 1)
    )
  const versionOf = (name: string, wanted: string | undefined): string => {
    if (name === 'fastify-crud-kit') return `^${version}`
    // MikroORM wants the same version of all of its packages
    if (name.startsWith('@mikro-orm/')) return wanted!
    return `^${devDependencies[name] ?? wanted!}`
  }
  const manifest = {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: { start: 'node --env-file=.env server.ts', test: 'node --test', check: 'tsc' },
    dependencies: installed(false),
    devDependencies: installed(true),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Adds the explorer to the application of the page. */
function withExplorer (text: string): string {
  const explorer = "await app.register(crudExplorer, { prefix: '/explorer', docs: '/docs' })"
  return text
    .replace(/^(import crudKit.*\n)/m, "$1import crudExplorer from 'fastify-crud-kit/explorer'\n")
    .replace(/^( *)(await app\.register\(bookRoutes\)\n)/m, `$1${explorer}\n$1$2`)
}

const settings = (secret: string): string =>
  `# the key that signs tokens
JWT_SECRET=${secret}
# the embedded PGlite in the folder "data"; a server is postgresql://user:password@host:5432/name
LIBRARY_DATABASE_URL=pglite://data
PORT=3000
`

const readme = (name: string): string =>
  `# ${name}

\`\`\`sh
npm install
npm start      # prints the address of the documentation, and a token
npm test
npm run check  # types
\`\`\`

The explorer is at http://127.0.0.1:3000/explorer. Its requests need a token: add the header
\`authorization: Bearer <token>\`.

| File | Contains |
|---|---|
| \`entities.ts\` | the tables |
| \`resources.ts\` | what clients may ask for, and what their bodies may set |
| \`app.ts\` | the application with its roles |
| \`routes.ts\` | routes of your own |
| \`server.ts\` | the start; it prints a token for first requests |
| \`.env\` | settings that are not committed; \`.env.example\` shows them |
`
