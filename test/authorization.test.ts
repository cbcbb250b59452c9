/** The programs of the README and of the pages about authorization keep out those whom they say they keep out. */
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { checkDocument, checkRequests } from './helpers/check-document.ts'
import { readDocument, readSection, tablesOf, type Exchange } from './helpers/document.ts'
import { startIn, startProgram, writeProgram } from './helpers/programs.ts'
import { checkTutorial, stepsOf } from './helpers/tutorial.ts'

const SECRET = 'a secret of the tests, which is long enough'
const env = { JWT_SECRET: SECRET }

const signer = Fastify()
await signer.register(jwt, { secret: SECRET })
const tokenWith = (claims: object): string => signer.jwt.sign(claims)
t.teardown(() => signer.close())

interface Answer {
  readonly status: number
  readonly body: any
}

/** Sends the requests of a client. */
const clientOf =
  (base: string, authorization?: string) => async (method: string, url: string, body?: object): Promise<Answer> => {
    const response = await fetch(base + url, {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

/** The program of the README after the changes of its section about security. */
function securedProgram (): string {
  const { program, block } = readDocument('README.md')
  const lines = block('ts part 3')
  const [parts] = /^const app = Fastify\(\)\n[^]*?^}\)\n/m.exec(program)!
  return program
    .replace(parts, () => lines)
    .replaceAll(/^const (?:Category|Product) = [^]*?properties: \{/gm, '$& tenant: p.integer().default(1),')
}

t.test('the section about security of the README', async (t) => {
  const { block } = readDocument('README.md')

  t.test('is twelve lines to paste', async (t) => {
    t.equal(block('ts part 3').trim().split('\n').filter((line) => line !== '').length, 12)
  })

  const withProducts = (program: string) =>
    program.replace("resources: { '/categories': categories }", (resources) =>
      resources.replace(
        ' }',
        `, '/products': new CrudBase<any>({
          model: Product,
          writable: ['name', 'category'],
          queryConfig: {
            allowedFilters: [AllowedFilters.exact('category.name')],
            allowedSorts: [new AllowedSort('category.name')],
            allowedIncludes: [new AllowedInclude('category')],
          },
        }) }`
      ))
  const start = (t: Test): Promise<string> => startProgram(t, withProducts(securedProgram()), env)

  t.test('keeps a tenant away from the rows of another one', async (t) => {
    const base = await start(t)
    const clientFor = (tenant: number) => clientOf(base, `Bearer ${tokenWith({ role: 'member', tenant })}`)
    const [one, two] = [clientFor(1), clientFor(2)]
    t.equal((await one('GET', '/categories')).body.total, 2)
    t.equal((await two('GET', '/categories')).body.total, 0)
    t.equal((await two('GET', '/categories/1')).status, 404)
    t.equal((await two('PATCH', '/categories/1', { name: 'Mine' })).status, 404)
    t.equal((await two('DELETE', '/categories/1')).status, 403, 'members do not delete')

    const [hidden, absent] = [
      await two('POST', '/products', { name: 'Spy', category: 1 }),
      await two('POST', '/products', { name: 'Spy', category: 987_654 }),
    ]
    t.strictSame([hidden.status, hidden.body.code], [409, 'FST_CRUD_CONFLICT'])
    t.strictSame(hidden, absent)
    t.equal((await two('GET', '/products?filter[category.name]=Tech&include=category&sort=category.name')).body.total,
      0)

    const own = await two('POST', '/categories', { name: 'Garden', price: 5 })
    t.equal(own.status, 201)
    t.equal(own.body.tenant, 2)
    const product = await two('POST', '/products', { name: 'Spade', category: own.body.id })
    t.match(product, { status: 201, body: { tenant: 2 } })
    t.equal((await two('PATCH', `/products/${product.body.id}`, { category: 1 })).status, 409)
    t.equal((await two('GET', `/products/${product.body.id}?include=category`)).body.category.name, 'Garden')
    t.equal((await one('GET', `/products/${product.body.id}?include=category`)).status, 404)
    t.equal((await one('GET', '/categories?include=products')).body.total, 2)

    const admin = clientOf(base, `Bearer ${tokenWith({ role: 'admin', tenant: 2 })}`)
    t.strictSame((await admin('GET', '/categories')).body.items.map(({ tenant }: any) => tenant), [2])
    t.equal((await admin('DELETE', '/categories/1')).status, 404)
    t.match(await admin('POST', '/categories', { name: 'Toys', price: 9 }), { status: 201, body: { tenant: 2 } })
    const homeless = clientOf(base, `Bearer ${tokenWith({ role: 'admin' })}`)
    t.equal((await homeless('GET', '/categories')).status, 500)
    t.equal((await homeless('POST', '/categories', { name: 'Mine', price: 9 })).status, 500)
    t.equal((await one('GET', '/categories')).body.total, 2)
  })

  t.test('refuses properties that bodies may not set', async (t) => {
    const send = clientOf(await start(t), `Bearer ${tokenWith({ role: 'member', tenant: 2 })}`)
    for (const more of [
      { isAdmin: true, createdBy: 'eve' }, { tenant: 1 }, { tenant: 2 }, { id: 1 },
      { created_at: '2024-01-01T00:00:00Z' },
    ]) {
      const { status, body } = await send('POST', '/categories', { name: 'x', price: 1, ...more })
      t.strictSame([status, body.code], [400, 'FST_ERR_VALIDATION'], JSON.stringify(more))
    }
    t.equal((await send('GET', '/categories')).body.total, 0)
  })

  t.test('refuses clients that it does not know', async (t) => {
    const base = await start(t)
    const foreign = Fastify()
    t.teardown(() => foreign.close())
    await foreign.register(jwt, { secret: 'another secret, which the server does not have' })
    const unsigned = tokenWith({ role: 'admin' }).replace(/^[^.]+/, btoa('{"alg":"none"}')).replace(/\.[^.]*$/, '.')
    for (const [authorization, status] of [
      [undefined, 401],
      ['Bearer x', 401],
      [`Bearer ${foreign.jwt.sign({ role: 'admin' })}`, 401],
      [`Bearer ${unsigned}`, 401],
      [`Bearer ${tokenWith({ role: 'stranger', tenant: 1 })}`, 403],
      [`Bearer ${tokenWith({ tenant: 1 })}`, 403],
      [`Bearer ${tokenWith({ role: 'member' })}`, 500],
    ] as const) {
      const { status: actual, body } = await clientOf(base, authorization)('GET', '/categories')
      t.equal(actual, status, authorization ?? 'no token')
      t.notOk('items' in body)
    }
  })

  t.test('does not start without a secret', async (t) => {
    await t.rejects(startProgram(t, securedProgram(), { JWT_SECRET: '' }), { message: /secret/ })
  })
})

const TUTORIAL = 'docs/start/help-desk.md'

/** A token for each name in the table of a page. */
function tokensOf (page: string): Record<string, string> {
  const table = tablesOf(readDocument(page).text).find(([header]) => header![0] === 'Token')!
  return Object.fromEntries(
    table.slice(1).map(([name, claims]) => [
      name!.replace(/[`<>]/g, ''),
      tokenWith(JSON.parse(claims!.replaceAll('`', '')) as object),
    ])
  )
}

t.test('the tutorial', async (t) => {
  const steps = stepsOf(TUTORIAL)
  t.strictSame(steps.map(({ exchanges, tests }) => exchanges.length + tests.length), [3, 6, 4, 3, 2, 1])
  t.ok(readDocument(TUTORIAL).text.split('\n').length <= 400)
  await checkTutorial(t, TUTORIAL, { env, names: tokensOf(TUTORIAL) })
})

t.test('the page about access rules', async (t) => {
  const page = 'docs/concepts/access.md'
  const { block, exchanges } = readDocument(page)
  const names = tokensOf(page)
  const { files } = stepsOf(TUTORIAL).at(-1)!
  const withChanges = (changes: Readonly<Record<string, (code: string) => string>>) =>
    new Map([...files].map(([name, code]) => [name, changes[name]?.(code) ?? code]))
  const check = async (t: Test, files: ReadonlyMap<string, string>, exchanges: readonly Exchange[]) => {
    const base = await startIn(t, writeProgram(t, files.get('app.ts')!, files), 'app.ts', env)
    await checkRequests(t, base, exchanges, names)
  }

  t.test('guests', async (t) => {
    const guests = readSection(page, '## Authentication').exchanges
    t.equal(guests.length, 3)
    const hook = block('ts guests')
    const role = block('ts role of guests')
    const changed = withChanges({
      'app.ts': (code) => code.replace(/^ {2}api\.addHook\(.*\n/m, () => hook),
      'access.ts': (code) => code.replace(/^ {2}role: .*\n {2}roles: \{\n/m, () => role),
    })
    t.ok(changed.get('app.ts')!.includes(hook) && changed.get('access.ts')!.includes(role))
    await check(t, changed, guests)
  })

  t.test('roles, rows, hidden properties, bodies, operations and routes of the application', async (t) => {
    const others = exchanges.slice(3)
    t.equal(others.length, 9)
    const route = block('ts own route')
    const changed = withChanges({ 'app.ts': (code) => code.replace(/^ {2}api\.post/m, (post) => route + post) })
    t.ok(changed.get('app.ts')!.includes(route))
    await check(t, changed, others)
  })
})

t.test('the page about CASL', async (t) => {
  const casl = readDocument('docs/concepts/casl.md')
  t.equal(casl.exchanges.length, 7)
  await checkDocument(t, casl, { env, names: tokensOf('docs/concepts/casl.md') })
})

t.test('the page about multi-tenancy', async (t) => {
  const page = readDocument('docs/concepts/multi-tenancy.md')
  const shortest = readSection('docs/concepts/multi-tenancy.md', '## The shortest safe way')
  const { program } = page

  t.test('rows of roles', async (t) => {
    t.equal(shortest.exchanges.length, 9)
    await checkDocument(t, shortest)
  })

  t.test('scopes and filters', async (t) => {
    const scopes = program
      .replace(/^await app.register\(crudKit[^]*?^}\)\n/m, () => page.block('ts scopes'))
      .replace(/^const Country/m, (line) => page.block('ts filter') + line)
      .replaceAll(/name: '(?:Project|Task)',/g, '$& filters: { ownTenant },')
    t.notMatch(scopes, /access/)
    t.equal(scopes.match(/ownTenant \}/g)?.length, 2)
    await checkDocument(t, { program: scopes, exchanges: shortest.exchanges })
  })

  t.test('row level security', async (t) => {
    const policies = readDocument('docs/concepts/row-level-security.md')
    const parts = policies.block('ts session context') + policies.block('ts policies')
    t.match(parts, /setSessionContext[^]*create policy/)
    t.equal(policies.exchanges.length, 2)
    await checkDocument(t, {
      program: program.replace(/^await app.listen/m, (listen) => parts + listen),
      exchanges: [...page.exchanges, ...policies.exchanges],
    })
  })
})
