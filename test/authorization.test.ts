/** The programs of the README and of the pages about authorization keep out those whom they say they keep out. */
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { checkDocument, readDocument, readSection, runBeside, startProgram, tablesOf } from './helpers/document.ts'

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
    t.equal(
      (await two('GET', '/products?filter[category.name]=Tech&include=category&sort=category.name')).body.total,
      0
    )

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
      { isAdmin: true, createdBy: 'eve' },
      { tenant: 1 },
      { tenant: 2 },
      { id: 1 },
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

const AUTHORIZATION = 'docs/authorization.md'

/** A token for each name that the page introduces. */
const tokensOf = (claims: Iterable<readonly [name: string, claims: string]>): Record<string, string> =>
  Object.fromEntries([...claims].map(([name, claims]) => [name, tokenWith(JSON.parse(claims) as object)]))

t.test('the page about authorization', async (t) => {
  const { text, block } = readDocument(AUTHORIZATION)
  const shortest = readSection(AUTHORIZATION, '## The shortest safe way')
  const names = tokensOf(
    tablesOf(text).find(([header]) => header![0] === 'Token')!.slice(1).map(([token, claims]) =>
      [token!.replace(/[`<>]/g, ''), claims!.replaceAll('`', '')] as const
    )
  )
  /** The program with the changes of the later sections. */
  const program = shortest.program
    .replace(/^const access: [^]*?^}\n/m, () => block('ts access'))
    .replace(/^app.addHook\('onRequest', .*\n/m, () => block('ts guests'))
    .replace(/^await app.listen/m, (listen) => `${block('ts own route')}${listen}`)

  t.test('the shortest safe way', async (t) => {
    t.equal(shortest.exchanges.length, 4)
    await checkDocument(t, shortest, { env, names })
  })

  t.test('routes for everybody beside protected ones', async (t) => {
    const part = block('ts public')
    const parts = shortest.program
      .replace(/^app.addHook\('onRequest', .*\n/m, '')
      .replace(/^await app.register\(crudKit, [^]*?^}\)\n/m, () => part)
    t.ok(parts.includes(part))
    const { exchanges } = readSection(AUTHORIZATION, '## Authentication')
    t.equal(exchanges.length, 3)
    await checkDocument(t, { program: parts, exchanges }, { env, names })
  })

  t.test('roles, hidden properties, bodies, operations and routes of the application', async (t) => {
    for (const changed of ['ts access', 'ts guests', 'ts own route']) t.ok(program.includes(block(changed)), changed)
    const exchanges = ['Roles', 'Hidden properties', 'Bodies', 'Operations', 'Your own routes'].flatMap((heading) =>
      readSection(AUTHORIZATION, `## ${heading}`).exchanges
    )
    t.equal(exchanges.length, 12)
    await checkDocument(t, { program, exchanges }, { env, names })
  })

  t.test('a test with the view of a role', async (t) => {
    t.match(runBeside(t, program, 'app.test.ts', block('ts app.test.ts'), env), /pass 1\b/)
  })

  t.test('CASL', async (t) => {
    const casl = readSection(AUTHORIZATION, '## CASL')
    t.equal(casl.exchanges.length, 7)
    const claims = [...casl.text.matchAll(/`({ "id": \d })` \(`<(\w+)>`\)/g)]
    t.equal(claims.length, 2)
    await checkDocument(t, casl, { env, names: tokensOf(claims.map(([, claims, name]) => [name!, claims!])) })
  })
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
