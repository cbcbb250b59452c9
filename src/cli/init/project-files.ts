/**
 * The files of a new project. Most are those of the page about getting started, with the explorer, settings and a
 * README added.
 */
import { randomUUID } from 'node:crypto'
import type { NewFile } from '../write-files.ts'
import { readStartPage, withParts, type StartPage } from './start-page.ts'

interface ProjectOptions {
  readonly name: string
  /** Whether it gets a Dockerfile. */
  readonly dockerfile: boolean
  /** Whether its resources are those of an existing database. Otherwise it gets the entities of the page. */
  readonly database?: { readonly url: string, readonly files: readonly NewFile[] } | undefined
}

/** What tells a project with the entities of the page from one with those of a database. */
interface Kind {
  readonly files: readonly NewFile[]
  readonly dockerfile: string
  /** The packages of the page that it does not need. */
  readonly unneeded: readonly string[]
  readonly test: string
  /** The variable of the URL. */
  readonly settings: (isExample: boolean) => string
  readonly readme: { readonly intro: string, readonly rows: readonly string[] }
}

/** The files of a project. */
export function projectFiles ({ name, dockerfile, database }: ProjectOptions): readonly NewFile[] {
  const page = readStartPage()
  const kind = database === undefined ? exampleProject(page) : databaseProject(page, name, database)
  const settings = (secret: string, isExample: boolean): string =>
    `# the key that signs tokens
JWT_SECRET=${secret}
${kind.settings(isExample)}
PORT=3000
`
  return [
    { path: 'package.json', text: manifestText(name, page, kind) },
    ...kind.files,
    ...dockerfile
      ? [
          { path: 'Dockerfile', text: kind.dockerfile },
          { path: '.dockerignore', text: 'node_modules\ndata\n.env\n' },
        ]
      : [],
    { path: '.env.example', text: settings('a long random text of your own', true) },
    { path: '.env', text: settings(randomUUID(), false) },
    { path: '.gitignore', text: 'node_modules\ndata\n.env\n' },
    { path: 'README.md', text: readme(name, kind) },
  ]
}

/** The project of the page, with an embedded database. */
function exampleProject (page: StartPage): Kind {
  return {
    files: page.names.map((path) => {
      const text = withExplorer(path, page.file(path))
      return { path, text: path === 'server.ts' ? withRows(text) : text }
    }),
    dockerfile: page.file('Dockerfile'),
    unneeded: [],
    test: 'node --test',
    settings: () =>
      `# the embedded PGlite in the folder "data"; a server is postgresql://user:password@host:5432/name
LIBRARY_DATABASE_URL=pglite://data`,
    readme: {
      intro: 'Guests read, so that you can look around without a token.',
      rows: [
        '| `entities.ts` | the tables |',
        '| `resources.ts` | what clients may ask for, and what their bodies may set |',
        '| `routes.ts` | routes of your own |',
      ],
    },
  }
}

/** A project for an existing database: the application of the page with other entities, resources and roles. */
function databaseProject (page: StartPage, name: string, database: NonNullable<ProjectOptions['database']>): Kind {
  const app = page.file('app.ts')
  const [access] = /^const access: AccessOptions = \{\n[^]*?^\}\n/m.exec(app)!
  const isEmbedded = database.url.startsWith('pglite:')
  const files: readonly NewFile[] = [
    ...database.files,
    { path: 'tsconfig.json', text: page.file('tsconfig.json') },
    {
      path: 'app.ts',
      text: withParts(withExplorer('app.ts', app), [
        ["import { Author, Book } from './entities.ts'", "import { entities } from './entities/index.ts'"],
        ["import { resources } from './resources.ts'", "import { resources } from './resources/index.ts'"],
        ["import { bookRoutes } from './routes.ts'\n", ''],
        [access, ACCESS],
        ["title: 'Library'", `title: '${name}'`],
        ['security: [{ token: [] }, {}], // with a token, or as a guest', 'security: [{ token: [] }],'],
        ["entities: [Author, Book], schema: 'create'", 'entities'],
        ['  await app.register(bookRoutes)\n', ''],
      ]),
    },
    {
      path: 'server.ts',
      text: withParts(withExplorer('server.ts', page.file('server.ts')), [
        ["process.env['LIBRARY_DATABASE_URL'] ?? 'pglite://data'", "process.env['DATABASE_URL'] ?? ''"],
      ]),
    },
    { path: 'app.test.ts', text: TEST },
  ]
  return {
    files,
    dockerfile: withParts(page.file('Dockerfile'), [
      ['COPY *.ts ./\n', 'COPY *.ts ./\nCOPY entities ./entities\nCOPY resources ./resources\n'],
    ]),
    unneeded: ['@fastify/type-provider-typebox', ...isEmbedded ? [] : ['@mikro-orm/pglite']],
    test: 'node --env-file=.env --test',
    settings: (isExample) => `DATABASE_URL="${isExample ? 'postgresql://user:password@host:5432/name' : database.url}"`,
    readme: {
      intro: 'The role `admin` may do all that the resources allow, `reader` may read, and requests without a token\n' +
        'may do nothing: see `access` in `app.ts`.',
      rows: [
        '| `entities/` | the tables and views of the database. `npx fastify-crud-kit pull` adds new ones |',
        '| `resources/` | what clients may ask for, and what their bodies may set |',
      ],
    },
  }
}

const ACCESS = `const access: AccessOptions = {
  role: ({ user }) => user?.role ?? 'guest',
  // these roles may use all rows; if rows belong to tenants, each rule needs \`rows\`
  roles: {
    admin: { '*': true },
    reader: { '*': { operations: ['list', 'get'] } },
    guest: {},
  },
}
`

const TEST = `import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { resources } from './resources/index.ts'

let app: FastifyInstance

before(async () => {
  app = await buildApp({ databaseUrl: process.env['DATABASE_URL'] ?? '', secret: 'a secret of the tests' })
})
after(() => app.close())

test('readers read all resources, and guests none', async () => {
  const headers = { authorization: \`Bearer \${app.jwt.sign({ role: 'reader' })}\` }
  for (const prefix of Object.keys(resources)) {
    const url = \`\${prefix}?per_page=1\`
    assert.equal((await app.inject({ url, headers })).statusCode, 200, prefix)
    assert.equal((await app.inject(url)).statusCode, 403, prefix)
  }
})
`

/** Adds the explorer to a file of the page. */
function withExplorer (name: string, text: string): string {
  if (name === 'app.ts') {
    return withParts(text, [
      ["from 'fastify-crud-kit'\n", "from 'fastify-crud-kit'\nimport crudExplorer from 'fastify-crud-kit/explorer'\n"],
      [
        '  await app.register(bookRoutes)\n',
        `  await app.register(crudExplorer, { prefix: '/explorer', docs: '/docs' })
  await app.register(bookRoutes)
`,
      ],
    ])
  }
  if (name === 'server.ts') {
    const line = (path: string): string => `console.log(\`\${address}${path}\`)`
    return withParts(text, [[line('/docs'), `${line('/explorer')}\n${line('/docs')}`]])
  }
  return text
}

/** Adds rows to look at to the start of the server. */
const withRows = (text: string): string =>
  withParts(text, [
    ["from './app.ts'\n", "from './app.ts'\nimport { Author, Book } from './entities.ts'\n"],
    ['const address =', `${ROWS}\nconst address =`],
  ])

const ROWS = `// rows to look at; remove these lines later
app.addHook('onListen', async () => {
  const em = app.orm.em.fork()
  if (await em.count(Author) > 0) return
  const author = em.create(Author, { name: 'Jane Austen' })
  em.create(Book, { title: 'Emma', pages: 474, cost: 3.5, author })
  em.create(Book, { title: 'Persuasion', pages: 249, cost: 2.5, author })
  await em.flush()
})
`

/** The packages that the page installs, in the versions that this package is tested with. */
function manifestText (name: string, { packages, manifest }: StartPage, { unneeded, test }: Kind): string {
  const versionOf = (name: string, wanted: string | undefined): string => {
    if (name === manifest.name) return `^${manifest.version}`
    // MikroORM wants the same version of all of its packages
    if (name.startsWith('@mikro-orm/')) return wanted!
    return `^${manifest.devDependencies[name] ?? wanted!}`
  }
  const installed = (isDev: boolean): Record<string, string> =>
    Object.fromEntries(
      packages.filter((one) => one.isDev === isDev && !unneeded.includes(one.name))
        .map(({ name, wanted }) => [name, versionOf(name, wanted)] as const)
        .sort(([one], [other]) => one < other ? -1 : 1)
    )
  const written = {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: { start: 'node --env-file=.env server.ts', test, check: 'tsc' },
    dependencies: installed(false),
    devDependencies: installed(true),
  }
  return `${JSON.stringify(written, null, 2)}\n`
}

const readme = (name: string, { readme: { intro, rows } }: Kind): string =>
  `# ${name}

\`\`\`sh
npm install
npm start      # prints the addresses of the explorer and the documentation, and a token
npm test
npm run check  # types
npx fastify-crud-kit check --env-file .env --update  # what requests may do, as a file for reviews
\`\`\`

The explorer is at http://127.0.0.1:3000/explorer. ${intro}

To send requests with the token that \`npm start\` prints, paste it behind \`Bearer\` in the explorer's menu “Ask as”,
or into “Authorize” in the documentation.

| File | Contains |
|---|---|
${rows.join('\n')}
| \`app.ts\` | the application with its roles |
| \`server.ts\` | the start; it prints a token for first requests |
| \`.env\` | settings that are not committed; \`.env.example\` shows them |
`
