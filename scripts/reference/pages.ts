/** The pages of docs/api, and where the exports of each are declared. */

/** The entries of the package, each with its source file. */
export const ENTRIES: ReadonlyArray<readonly [name: string, file: string]> = [
  ['fastify-crud-kit', 'src/index.ts'],
  ['fastify-crud-kit/client', 'src/client/index.ts'],
  ['fastify-crud-kit/tanstack-query', 'src/client/tanstack-query.ts'],
  ['fastify-crud-kit/react-admin', 'src/admin/react-admin/index.ts'],
  ['fastify-crud-kit/refine', 'src/admin/refine/index.ts'],
  ['fastify-crud-kit/explorer', 'plugins/explorer.ts'],
]

export interface ReferencePage {
  /** The name of its file, without `.md`. */
  readonly name: string
  readonly title: string
  /** The contents of the page in a few words, for the index. */
  readonly about: string
  /** The entry whose exports it has. */
  readonly entry: string
  /** The files that declare its exports, or beginnings of their paths. */
  readonly from: readonly string[]
  /** What all exports of the page have in common, as Markdown. */
  readonly intro?: string
  /** The guides that explain the exports, as links from docs/. */
  readonly guides: readonly string[]
}

const ROOT = 'fastify-crud-kit'

const ERRORS = [
  'Each error has a `statusCode`, a `code`, a `message` and the members of `RequestError`. The constructor takes a',
  'sentence for clients, `detail`, which has a default, and options: `cause` for the log, `pointer` for the place of',
  'the mistake in a body, or a list of `errors`. The constructor of an error of a query string takes the mistakes.',
].join('\n')

/** The pages in the order of the index. The page with the longest path that an export's file begins with has it. */
export const PAGES: readonly ReferencePage[] = [
  {
    name: 'plugins',
    title: 'Plugins and routes',
    about: '`crudKit`, the plugins that it is made of, and the options of routes',
    entry: ROOT,
    from: ['plugins/', 'src/http/'],
    guides: ['reference/plugin.md'],
  },
  {
    name: 'whitelist',
    title: 'The whitelist',
    about: 'the whitelist of a resource, and what clients may sort, select and include',
    entry: ROOT,
    from: ['src/config/'],
    guides: ['concepts/whitelist.md'],
  },
  {
    name: 'filters',
    title: 'Allowed filters',
    about: 'what clients may filter by',
    entry: ROOT,
    from: [
      'src/base/operator-names', 'src/config/allowed-filters', 'src/config/filter-kinds', 'src/config/text-filters',
      'src/config/base-filter',
    ],
    guides: ['concepts/whitelist.md', 'query-language/filters.md'],
  },
  {
    name: 'aggregates',
    title: 'Allowed groups, aggregates and facets',
    about: 'what clients may count and sum up',
    entry: ROOT,
    from: ['src/config/allowed-aggregate', 'src/config/allowed-facet', 'src/config/allowed-group'],
    guides: ['query-language/aggregates.md', 'query-language/facets.md'],
  },
  {
    name: 'crud-base',
    title: 'CrudBase',
    about: 'the class of a resource: its methods and hooks',
    entry: ROOT,
    from: ['src/crud/crud-base.ts'],
    guides: ['concepts/handlers.md', 'concepts/writing.md'],
  },
  {
    name: 'crud-options',
    title: 'Options, schemas and records of CrudBase',
    about: 'the types of arguments and results of `CrudBase`, and schemas for your own routes',
    entry: ROOT,
    from: ['src/crud/', 'src/resource/', 'src/plan/'],
    guides: ['concepts/handlers.md', 'concepts/writing.md'],
  },
  {
    name: 'access',
    title: 'Access rules',
    about: 'rows, properties and operations of roles',
    entry: ROOT,
    from: ['src/access/', 'plugins/access.ts'],
    guides: ['concepts/access.md', 'start/help-desk.md'],
  },
  {
    name: 'errors',
    title: 'Errors',
    about: 'the class of each error',
    entry: ROOT,
    from: ['src/base/', 'src/run/errors/'],
    intro: ERRORS,
    guides: ['reference/errors.md'],
  },
  {
    name: 'entities',
    title: 'Entities',
    about: 'the base entity, and the properties that it is made of',
    entry: ROOT,
    from: ['src/entities/'],
    guides: ['concepts/entities.md'],
  },
  {
    name: 'database',
    title: 'Database and transactions',
    about: 'connections, transactions, scripts without promises, messages about statements',
    entry: ROOT,
    from: ['src/database/', 'src/run/'],
    guides: ['concepts/transactions.md', 'operating/operations.md', 'concepts/scripts.md'],
  },
  {
    name: 'query-strings',
    title: 'Query strings',
    about: 'reading and writing query strings',
    entry: ROOT,
    from: ['src/query/'],
    guides: ['query-language/programs.md'],
  },
  {
    name: 'client',
    title: 'The client',
    about: 'typed calls to resources',
    entry: 'fastify-crud-kit/client',
    from: ['src/client/', 'src/write/'],
    guides: ['front-ends/client.md'],
  },
  {
    name: 'tanstack-query',
    title: 'TanStack Query',
    about: 'options of queries',
    entry: 'fastify-crud-kit/tanstack-query',
    from: ['src/client/tanstack-query.ts'],
    guides: ['front-ends/tanstack-query.md'],
  },
  {
    name: 'react-admin',
    title: 'react-admin',
    about: 'its data provider',
    entry: 'fastify-crud-kit/react-admin',
    from: ['src/admin/'],
    guides: ['front-ends/admin.md'],
  },
  {
    name: 'refine',
    title: 'refine',
    about: 'its data provider',
    entry: 'fastify-crud-kit/refine',
    from: ['src/admin/'],
    guides: ['front-ends/admin.md'],
  },
  {
    name: 'explorer',
    title: 'The explorer',
    about: 'its plugin, and the document that it reads',
    entry: 'fastify-crud-kit/explorer',
    from: ['plugins/explorer.ts', 'src/explorer/'],
    guides: ['front-ends/explorer.md'],
  },
]
