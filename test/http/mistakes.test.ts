/** Mistakes of the first hour: each has a message that says the mistake and the cure. */
import swagger from '@fastify/swagger'
import { p } from '@mikro-orm/core'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { TObject } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import t from 'tap'
import crudKit, {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, BaseModel, CrudBase, crudRoutes,
  parseQueryParams, QueryBuilderConfig,
} from '../../src/index.ts'
import { QueryBuilderConfigSchema } from '../../src/config/index.ts'
import { ResourceOptionsSchema } from '../../src/http/route-options.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { entity } from '../helpers/entity.ts'

const Author = entity('Author', { name: p.string() }, { extends: BaseModel })
const Book = entity('Book', {
  title: p.string(), status: p.enum(['draft', 'done'] as const), author: () => p.manyToOne(Author).nullable(),
}, { extends: BaseModel })
const Ghost = entity('Ghost', { name: p.string() }, { extends: BaseModel })
const Secret = entity('Secret', { id: p.integer().primary(), version: p.integer().version().hidden() })
const Badge = entity('Badge', { uid: p.string() }, { extends: BaseModel })
const Stranger = entity('Stranger', { name: p.string() }, { extends: BaseModel })

/** Mistakes are outside of the types, so everything in this file is `any`. */
const Crud = CrudBase as any
const Filters = AllowedFilters as any

class BookCrud extends Crud {
  constructor () {
    super({
      model: Book,
      writable: 'all',
      queryConfig: {
        allowedFilters: [new AllowedFilters('title', 'eq', ['eq', 'ne']), new AllowedFilters('status')],
        allowedSorts: [new AllowedSort('title')],
        allowedFields: [new AllowedField('title'), new AllowedField('author.name')],
        allowedIncludes: [new AllowedInclude('author')],
      },
    })
  }
}
const books = new BookCrud() as any

class WithoutReturn extends BookCrud {
  async list (): Promise<void> {}
  async get (): Promise<void> {}
  async create (): Promise<void> {}
  async createMany (): Promise<void> {}
  async update (): Promise<void> {}
  async delete (): Promise<void> {}
  async restore (): Promise<void> {}
}

class JsonWithoutReturn extends BookCrud {
  async listJson (): Promise<void> {}
  async getJson (): Promise<void> {}
}

class HooksWithoutReturn extends BookCrud {
  afterRead (): void {}
}

class Misspelt extends BookCrud {
  beforeCreat (): void {}
}

const Telling: any = class Telling extends Crud {
  afterUpdate (): void {}
}

class Assigned extends BookCrud {
  afterread = (): void => {}
}

/** What a mistake is made with. */
interface Given {
  readonly orm: MikroORM
  /** Starts a server. Its warnings are the result. */
  readonly start: (register: (app: FastifyInstance) => unknown) => Promise<string>
  /** Starts a server with a resource, or with what is given for one. */
  readonly mount: (resource: unknown, prefix?: string) => Promise<string>
  /** Sends a request to a server with a resource. The message of the answer is the result. */
  readonly send: (request: InjectOptions | string, resource?: unknown) => Promise<string>
}

/** A mistake, the sentence that names it, and the words that tell the cure. */
type Mistake = readonly [name: string, make: (given: Given) => unknown, sentence: string, cure: string]

const post = (payload: unknown): InjectOptions => ({ method: 'POST', url: '/books', payload: payload as object })

const overridden = (method: string, request: InjectOptions | string, what = 'the record as an object'): Mistake => [
  `an overridden ${method} without return`,
  ({ send }) => send(request, { crud: new WithoutReturn(), operations: [...OPERATIONS, 'createMany'] }),
  `The overridden method '${method}' must return ${what}`,
  `as super.${method}() does`,
]
const OPERATIONS = ['list', 'get', 'create', 'update', 'delete', 'restore']
const book = { title: 'Emma', status: 'done' }

const PAGE_OPTIONS = Object.keys((QueryBuilderConfigSchema.properties.pagination as TObject<{}>).properties)

const MISTAKES: readonly Mistake[] = [
  // calls of methods
  ['no EntityManager', () => books.list(), 'takes an EntityManager first', 'request.em in a route'],
  ['the text of a query string', ({ orm }) => books.list(orm.em.fork(), 'filter[title]=Emma'),
    "takes query parameters as 'params'", 'pass parseQueryParams(...), request.queryParams'],
  ['request.query', ({ orm }) => books.list(orm.em.fork(), { 'filter[title]': 'Emma' }),
    "takes query parameters as 'params'", 'pass parseQueryParams(...), request.queryParams'],
  [
    'a misspelt option', ({ orm }) => books.list(orm.em.fork(), parseQueryParams(''), { scop: {} }),
    "there is no option 'scop'", "Did you mean 'scope'?",
  ],
  // the database
  [
    'an orm that is none',
    ({ start }) => start((app) => app.register(crudKit, { orm: {} as never })),
    "crudKit: 'orm' must be an open MikroORM",
    "To open a database by options, pass them as 'database'",
  ],
  ['an EntityManager instead of the orm',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm: orm.em as never })),
    "'orm' must be an open MikroORM", 'pass orm, not orm.em'],
  ['a promise of an orm',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm: Promise.resolve(orm) as never })), 'got a promise',
    'write orm: await MikroORM.init(...)'],
  ['neither orm nor database', ({ start }) => start((app) => app.register(crudKit, {})),
    "crudKit: give 'orm', an open MikroORM", "or 'database', the options to open one"],
  ['no entities', ({ start }) => start((app) => app.register(crudKit, { database: { entities: [] } })),
    "'entities' must list the entities of the application", 'such as entities: [Author, Book]'],
  [
    'a driver of another database',
    ({ start }) =>
      start((app) => app.register(crudKit, { database: { databaseUrl: 'mysql://localhost', entities: [Book] } })),
    "databaseUrl has the scheme 'mysql:'",
    'Write one of postgresql://user:password@host:5432/name',
  ],
  [
    'missing tables',
    ({ mount }) => mount(books),
    'The database has no table "ghost" of Ghost: requests for such entities get a 500',
    'Make the tables with migrations (await orm.migrator.up()), or let the server add them when it starts: ' +
    "crudKit's option database: { ..., schema: 'create' }, or await orm.schema.create() for an ORM of your own.",
  ],
  // registration
  [
    'crudKit twice',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm }).register(crudKit, { orm })),
    'crudKit: fastify.orm exists already',
    'Register crudKit once. For resources in another place',
  ],
  [
    'crudKit again in an encapsulated instance',
    ({ start, orm }) =>
      start((app) => app.register(crudKit, { orm }).register(async (child) => await child.register(crudKit, { orm }))),
    'crudKit: fastify.orm exists already', 'register crudRoutes there',
  ],
  ['crudRoutes before crudKit',
    ({ start }) => start((app) => app.register(crudRoutes, { prefix: '/books', crud: books })),
    'The resource /books: register crudKit first', 'await fastify.register(crudKit, { ... })'],
  [
    '@fastify/swagger after the routes',
    ({ start, orm }) =>
      start((app) => app.register(crudKit, { orm, resources: { '/books': books } }).register(swagger)),
    'The resource /books: @fastify/swagger was registered after the routes, so its document would lack them',
    'Register it before crudKit',
  ],
  [
    '@fastify/swagger after routes in an encapsulated instance',
    ({ start, orm }) =>
      start((app) =>
        app.register(crudKit, { orm })
          .register(async (child) => await child.register(crudRoutes, { prefix: '/books', crud: books }))
          .register(swagger)
      ),
    '@fastify/swagger was registered after the routes',
    'Register it before crudKit',
  ],
  ['crudRoutes without a prefix',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm }).register(crudRoutes, { crud: books })),
    'crudRoutes needs a prefix', "{ prefix: '/books', crud }. To serve the resource at the root, write prefix: '/'"],
  [
    'crudRoutes with one resource and several',
    ({ start, orm }) =>
      start((app) =>
        app.register(crudKit, { orm }).register(crudRoutes, { crud: books, resources: { '/books': books } } as never)
      ),
    "crudRoutes: 'crud' is one resource, and 'resources' are several",
    "stand beside its 'crud': resources: { '/books': { crud,",
  ],
  [
    'options of one resource beside several',
    ({ start, orm }) =>
      start((app) =>
        app.register(crudKit, { orm })
          .register(crudRoutes, { resources: { '/books': books }, operations: ['list'] } as never)
      ),
    "crudRoutes: there is no option 'operations'", 'resources',
  ],
  ...['/api/', '/', 'api'].map((prefix): Mistake => [
    `several resources of crudRoutes behind '${prefix}'`,
    ({ start, orm }) =>
      start((app) => app.register(crudKit, { orm }).register(crudRoutes, { prefix, resources: { '/books': books } })),
    "crudRoutes: 'prefix' must start with a slash and end without one",
    `'${prefix}'`,
  ]),
  ['a prefix of a resource that has one', ({ mount }) => mount({ crud: books, prefix: '/rocks' } as never),
    "its prefix is the name in 'resources'", "name the resource '/rocks'"],
  ['several resources of crudRoutes without slashes',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm }).register(crudRoutes, { resources: { books } })),
    "'books' in 'resources' must be a prefix that starts with a slash", "'/books'"],
  [
    'a prefix without a slash',
    ({ start, orm }) =>
      start((app) => app.register(crudKit, { orm }).register(crudRoutes, { prefix: 'books', crud: books })),
    'the prefix must start with a slash', "'/books'",
  ],
  [
    'a key of resources without a slash', ({ mount }) => mount(books, 'books'),
    "'books' in 'resources' must be a prefix that starts with a slash", "'/books'",
  ],
  [
    'a prefix that ends in a slash', ({ mount }) => mount(books, '/books/'),
    'The resource /books/: the prefix must not end with a slash', "'/books'",
  ],
  ['a list of resources',
    ({ start, orm }) => start((app) => app.register(crudKit, { orm, resources: [books] as never })),
    "'resources' must be an object with a resource for each prefix", "{ '/books': new CrudBase({ model: Book }) }"],
  [
    'a class instead of an instance', ({ mount }) => mount(BookCrud),
    "'crud' must be an instance of CrudBase, got the class BookCrud", 'Write new BookCrud()',
  ],
  ['a class instead of an instance, with options', ({ mount }) => mount({ crud: BookCrud }),
    "'crud' must be an instance of CrudBase, got the class BookCrud", 'Write new BookCrud()'],
  [
    'CrudBase itself', ({ mount }) => mount(CrudBase), "'crud' must be an instance of CrudBase, got the class CrudBase",
    'Write new CrudBase({ model: Book })',
  ],
  [
    'an entity instead of a CrudBase', ({ mount }) => mount(Book),
    "'crud' must be an instance of CrudBase, got the entity Book", 'Write new CrudBase({ model: Book })',
  ],
  [
    'options without crud', ({ mount }) => mount({ operations: ['list'] }),
    "'crud' must be an instance of CrudBase, got an object", 'Write new CrudBase({ model: Book })',
  ],
  // the CRUD class
  [
    'an entity instead of options', () => new Crud(Book), "CrudBase: pass the entity as the option 'model'",
    'new CrudBase({ model: Book })',
  ],
  ['no options', () => new Crud(), "CrudBase: 'model' is required", 'new CrudBase({ model: Book })'],
  ['a misspelt option of CrudBase', () => new Crud({ modle: Book }), "no option 'modle'", "Did you mean 'model'?"],
  ...Object.keys(ResourceOptionsSchema.properties).filter((name) => name !== 'name').map((name): Mistake => [
    `the option ${name} of routes for a CRUD class`,
    () => new Crud({ model: Book, [name]: {} }),
    `CrudBase: '${name}' is an option of the resource's routes`,
    `Write it beside 'crud', as in resources: { '/books': { crud: new CrudBase(...), ${name}: ... } }`,
  ]),
  ...['writable', 'upsertKeys', 'previous', 'queryConfig', 'model'].map((name): Mistake => [
    `the option ${name} of a CRUD class for routes`,
    ({ mount }) => mount({ crud: new Crud({ model: Book, writable: 'all' }), [name]: [] }),
    `The resource /books: '${name}' is an option of CrudBase`,
    `as in new CrudBase({ model: Book${name === 'model' ? '' : `, ${name}: ...`} })`,
  ]),
  ...Object.keys(QueryBuilderConfigSchema.properties).flatMap((name): Mistake[] => [
    [
      `the option ${name} of a whitelist for routes`,
      ({ mount }) => mount({ crud: new Crud({ model: Book, writable: 'all' }), [name]: {} }),
      `The resource /books: '${name}' is an option of the whitelist`,
      `as in new CrudBase({ model: Book, queryConfig: { ${name}: ... } })`,
    ],
    [
      `the option ${name} of a whitelist for a CRUD class`, () => new Crud({ model: Book, [name]: {} }),
      `CrudBase: '${name}' is an option of the whitelist`, `queryConfig: { ${name}: ... }`,
    ],
  ]),
  ...PAGE_OPTIONS.flatMap((name): Mistake[] => [
    [
      `the option ${name} of pages for routes`,
      ({ mount }) => mount({ crud: new Crud({ model: Book, writable: 'all' }), [name]: true }),
      `The resource /books: '${name}' is an option of the whitelist's pagination`,
      `as in new CrudBase({ model: Book, queryConfig: { pagination: { ${name}: ... } } })`,
    ],
    [
      `the option ${name} of pages in a whitelist`, () => new QueryBuilderConfig({ [name]: 5 } as never),
      `QueryBuilderConfig: '${name}' is an option of the whitelist's pagination`,
      `queryConfig: { pagination: { ${name}: ... } }`,
    ],
  ]),
  [
    'an option of a whitelist among those of pages',
    () => new QueryBuilderConfig({ pagination: { allowedSorts: ['title'] } } as never),
    "QueryBuilderConfig: pagination: 'allowedSorts' is an option of the whitelist",
    'queryConfig: { allowedSorts: ... }',
  ],
  [
    'an option of a CRUD class in a whitelist', () => new QueryBuilderConfig({ upsertKeys: ['isbn'] } as never),
    "QueryBuilderConfig: 'upsertKeys' is an option of CrudBase", 'as in new CrudBase({ model: Book, upsertKeys: ... })',
  ],
  [
    'an option of routes in a whitelist', () => new QueryBuilderConfig({ maxAffected: 5 } as never),
    "QueryBuilderConfig: 'maxAffected' is an option of the resource's routes", "Write it beside 'crud'",
  ],
  [
    'an option of routes in the constructor of a class',
    () =>
      new (class BookCrud extends Crud {
        constructor () {
          super({ model: Book, scope: () => ({}) })
        }
      })(),
    "BookCrud: 'scope' is an option of the resource's routes",
    "resources: { '/books': { crud: new BookCrud(), scope: ... } }, or in the options of crudRoutes",
  ],
  [
    'a model that is no entity', ({ mount }) => mount(new Crud({ model: {} })),
    "'model' must be an entity, the result of defineEntity", 'got an object',
  ],
  ['an entity that the ORM does not know', ({ mount }) => mount(new Crud({ model: Stranger })),
    "The entity Stranger is not one of the ORM's", 'Add it to the ORM\'s "entities"'],
  ['no writable properties', ({ mount }) => mount(new Crud({ model: Book })),
    '\'create\' needs "writable", which says what bodies may set of Book',
    "writable: ['name', 'price'], write writable: 'all'"],
  ['a misspelt hook', ({ mount }) => mount(new Misspelt()), "no hook 'beforeCreat'", "Did you mean 'beforeCreate'?"],
  ['a misspelt hook in a field', ({ mount }) => mount(new Assigned()), "no hook 'afterread'", "mean 'afterRead'?"],
  [
    'a misspelt name in previous', ({ mount }) => mount(new Telling({ model: Book, previous: ['titel'] })),
    "Book has no property 'titel'", "Did you mean 'title'?",
  ],
  [
    'updateMany of a class with afterUpdate alone',
    ({ mount }) =>
      mount({
        crud: new Telling({ model: Book, writable: 'all', queryConfig: { allowedFilters: [Filters.exact('title')] } }),
        operations: ['updateMany'],
      }),
    "'updateMany' does not run 'afterUpdate'",
    "declare 'afterUpdateMany (keys, context)' in Telling",
  ],
  [
    'no list in previous', () => new Telling({ model: Book, previous: 'title' }),
    "Telling: 'previous' must be a list of names", "got 'title'",
  ],
  ['previous without an after hook', ({ mount }) => mount(new Crud({ model: Book, previous: ['title'] })),
    "CrudBase: 'previous' has no effect, because the class has neither afterUpdate nor afterDelete",
    'Add one of these hooks, or leave the option out.'],
  overridden('list', '/books', 'the page as an object'),
  overridden('get', '/books/1'),
  overridden('create', post(book)),
  overridden('createMany', post([book]), 'the records as an array'),
  overridden('update', { method: 'PATCH', url: '/books/1', payload: { title: 'Emma' } }),
  overridden('delete', { method: 'DELETE', url: '/books/1' }),
  overridden('restore', { method: 'POST', url: '/books/1/restore' }),
  ['an overridden listJson without return', ({ send }) => send('/books', new JsonWithoutReturn()),
    "The overridden method 'listJson' must return the JSON text", 'as super.listJson() does'],
  ['an overridden getJson without return', ({ send }) => send('/books/1', new JsonWithoutReturn()),
    "The overridden method 'getJson' must return the JSON text", 'as super.getJson() does'],
  [
    'afterRead without return', ({ send }) => send('/books', new HooksWithoutReturn()), 'got undefined',
    'afterRead must return the record as an object',
  ],
  ['requireIfMatch for an entity without a version', ({ mount }) => mount({ crud: books, requireIfMatch: true }),
    "The resource /books: 'requireIfMatch' needs a version for If-Match to name, and Book has none",
    'Give it one: version: p.integer().version()'],
  ['requireIfMatch for an entity with a hidden version',
    ({ mount }) => mount({ crud: new Crud({ model: Secret }), operations: ['delete'], requireIfMatch: true }),
    "'requireIfMatch' needs a version for If-Match to name, and that of Secret is hidden",
    "Show 'version', or leave 'requireIfMatch' out"],
  // the whitelist
  [
    'operators in place of the default operator',
    () => new Filters('title', ['ne', 'in']),
    "AllowedFilters 'title': the default operator comes before the list of allowed ones",
    "new AllowedFilters('title', 'ne', ['ne', 'in'])",
  ],
  ['an empty list in place of the default operator', () => new Filters('title', []),
    'the default operator comes before the list of allowed ones', "new AllowedFilters('title', 'eq', ['eq', 'in'])"],
  ['an operator of another language', () => new Filters('title', '>='), "no operator '>='", "Did you mean 'gte'?"],
  ['a misspelt operator', () => new Filters('title', 'contain'), "no operator 'contain'", "Did you mean 'contains'?"],
  ['a default operator outside of the list', () => new Filters('title', 'eq', ['ne']),
    "the allowed operators must hold the default, 'eq'", "add it to ['ne'], or make one of them the default"],
  [
    'one operator instead of a list', () => new Filters('title', 'eq', 'ne'),
    "the allowed operators must be an array, got 'ne'", "Write ['ne']",
  ],
  ['a name as a filter', () => new Crud({ model: Book, queryConfig: { allowedFilters: ['title'] } }),
    "allowedFilters[0] is 'title'", "write AllowedFilters.exact('title')"],
  ['a sort among filters', () => new Crud({ model: Book, queryConfig: { allowedFilters: [new AllowedSort('title')] } }),
    'allowedFilters[0] is an instance of AllowedSort', "write AllowedFilters.exact('name')"],
  ['a misspelt property',
    ({ mount }) => mount(new Crud({ model: Book, queryConfig: { allowedFilters: [Filters.exact('titel')] } })),
    "Book has no property 'titel' that can be exposed", "Did you mean 'title'?"],
  ['a misspelt property in defaultSort',
    ({ mount }) => mount(new Crud({ model: Book, queryConfig: { defaultSort: ['-titel'] } })),
    "defaultSort '-titel': Book has no property 'titel'", "Did you mean 'title'?"],
  [
    'a misspelt property in writable', ({ mount }) => mount(new Crud({ model: Book, writable: ['titel'] })),
    '"writable" of Book names \'titel\'', "Did you mean 'title'?",
  ],
  [
    'several misspelt properties in writable',
    ({ mount }) => mount(new Crud({ model: Book, writable: ['titel', 'status', 'autor'] })),
    '"writable" of Book names \'titel\'', '"writable" of Book names \'autor\'',
  ],
  // requests
  [
    'a list of records', ({ send }) => send(post([book])), 'The body must not be a list',
    'send one record at a time, as an object',
  ],
  ['one record for a resource that takes lists',
    ({ send }) => send(post(book), { crud: books, operations: ['createMany'] }), 'The body must be a list of records',
    'even if there is only one'],
  ['a generated property in a body', ({ send }) => send(post({ ...book, created_at: '2020-01-01' })),
    "The property 'created_at' cannot be written", 'Allowed: author, status, title.'],
  [
    'a generated property in a body, with a name that is near another one',
    ({ send }) => send(post({ uid: 'a', uuid: 'b' }), { crud: new Crud({ model: Badge, writable: ['uid'] }) }),
    "The property 'uuid' cannot be written. Allowed", 'Allowed: uid.',
  ],
  [
    'a misspelt property in a body', ({ send }) => send(post({ titel: 'Emma', status: 'done' })),
    "There is no property 'titel'", "Did you mean 'title'?",
  ],
  [
    'a member that an enum lacks, in a body', ({ send }) => send(post({ ...book, status: 'open' })),
    "'status' must be one of its members", 'Allowed: done, draft.',
  ],
  ['a member that an enum lacks, in a filter', ({ send }) => send('/books?filter[status]=open'),
    'The value of filter[status] must be one of its members', 'Allowed: done, draft.'],
  ['a member after an operator', ({ send }) => send('/books?filter[status]=eq:draft'),
    'must be one of its members. Allowed: done, draft. Did you mean', "Did you mean 'filter[status][eq]'?"],
  [
    'a body of plain text', ({ send }) => send({ ...post('Emma'), headers: { 'content-type': 'text/plain' } }),
    'not as text/plain', 'Send the body as application/json',
  ],
  ['a form',
    ({ send }) => send({ ...post('title=Emma'), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    'not as application/x-www-form-urlencoded', 'Send the body as application/json'],
  [
    'a sort with a word for its direction', ({ send }) => send('/books?sort=title%20desc'),
    "The sort 'title desc' is not allowed", "Did you mean '-title'?",
  ],
  [
    'a sort with an ascending direction', ({ send }) => send('/books?sort=title:ASC'),
    "The sort 'title:ASC' is not allowed", "Did you mean 'title'?",
  ],
  ['fields of a relation that is not included', ({ send }) => send('/books?fields[author]=name'),
    "'author' is not included, so no fields of it can be selected", 'Add include=author'],
  [
    'a filter without its field', ({ send }) => send('/books?filter=title'), "This filter can't be read",
    'Write filter[<field>]=<value>',
  ],
  [
    'a parameter without brackets', ({ send }) => send('/books?title=Emma'), "There is no parameter 'title'",
    "Did you mean 'filter[title]'?",
  ],
]

await forOneDatabase(t, {
  entities: [Author, Badge, Book, Ghost, Secret],
  seed: async (em) => {
    await em.getConnection().execute('drop table ghost')
    await em.getConnection().execute(
      'insert into book (uuid, created_at, updated_at, title, status) values ' +
        "('3f0c8a52-7c0e-4f57-9d53-2d6f4a1c9b10', now(), now(), 'Emma', 'done')"
    )
  },
}, async (t, { orm }) => {
  const withServer = async <Result>(
    register: (app: FastifyInstance) => unknown,
    use: (app: FastifyInstance, warnings: readonly string[]) => Result
  ): Promise<Awaited<Result>> => {
    const warnings: string[] = []
    const write = (line: string): unknown => warnings.push((JSON.parse(line) as { msg: string }).msg)
    const app = Fastify({ logger: { level: 'warn', stream: { write } } })
    try {
      register(app)
      await app.ready()
      return await use(app, warnings)
    } finally {
      await app.close()
    }
  }
  const start: Given['start'] = (register) => withServer(register, (_app, warnings) => warnings.join('\n'))
  const kit = (resource: unknown, prefix = '/books') => (app: FastifyInstance) =>
    app.register(crudKit, { orm, resources: { [prefix]: resource as never } })
  const given: Given = {
    orm, start, mount: (resource, prefix) => start(kit(resource, prefix)),
    send: (request, resource = books) =>
      withServer(kit(resource), async (app) => ((await app.inject(request)).json() as { message: string }).message),
  }

  for (const [name, make, sentence, cure] of MISTAKES) {
    t.test(name, async (t) => {
      let message: unknown
      try {
        message = await make(given)
      } catch (error) {
        message = (error as Error).message
        t.match((error as { code?: string }).code, /^FST_CRUD_/)
      }
      t.ok(typeof message === 'string' && message.includes(sentence), `says the mistake: ${String(message)}`)
      t.ok(typeof message === 'string' && message.includes(cure), `names the cure: ${String(message)}`)
    })
  }

  t.test('without a logger, missing tables are a warning of the process', async (t) => {
    const warnings: Array<Error & { code?: string }> = []
    const listen = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', listen)
    t.teardown(() => process.off('warning', listen))
    const app = newServer(t)
    await app.register(crudKit, { orm, resources: { '/books': books } })
    await app.ready()
    await new Promise((resolve) => process.nextTick(resolve))
    t.match(warnings, [{ code: 'FST_CRUD_DATABASE_DIFFERS', message: /has no table "ghost" of Ghost/ }])
  })

  t.test('there is no advice about indexes of tables that do not exist', async (t) => {
    const lines: string[] = []
    const done = Promise.withResolvers<void>()
    const write = (text: string): void => {
      const { level, msg } = JSON.parse(text) as { level: number, msg: string }
      if (level === 40) lines.push(msg)
      // the advice is logged while the server already answers
      if (msg.includes('looked for missing indexes')) done.resolve()
    }
    const app = newServer(t, { logger: { level: 'debug', stream: { write } } })
    const ghosts = new CrudBase<any>({ model: Ghost, queryConfig: { allowedSorts: [new AllowedSort('name')] } })
    await app.register(crudKit, {
      orm,
      resources: { '/books': books, '/ghosts': { crud: ghosts, operations: ['list'] } },
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await done.promise
    const [tables, advice] = lines
    t.equal(lines.length, 2)
    t.match(tables, /has no table "ghost"/)
    const [, ...indexes] = advice!.split('\n')
    t.ok(indexes.length > 0 && indexes.every((line) => line.startsWith('create index on "book"')), indexes.join('\n'))
  })

  t.test('a correct server has no warnings, and root is a prefix', async (t) => {
    const root = await withServer(kit({ crud: books, operations: ['list', 'get'] }, '/'), async (app) => [
      (await app.inject('/')).json().total,
      (await app.inject('/1')).json().title,
    ])
    t.strictSame(root, [1, 'Emma'])
  })
})
