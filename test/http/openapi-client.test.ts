/** A client made by openapi-typescript and openapi-fetch from the document type-checks and works on a port. */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { crudKit } from '../../src/index.ts'
import { Tag } from '../fixtures/entities.ts'
import { openExample } from '../helpers/example.ts'
import { ormOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from './helper.ts'

/** An example client of an application. Lists are written with commas. Everything else follows the document. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'

export async function run (baseUrl: string) {
  const client = createClient<paths>({
    baseUrl,
    querySerializer: { array: { style: 'form', explode: false } },
    headers: { 'x-role': 'admin' },
  })

  const list = await client.GET('/categories', {
    params: {
      query: {
        'filter[name]': 'Tech',
        'filter[price][gte]': 100,
        'filter[status][in]': ['active', 'draft'],
        'filter[price][between]': [1, 1000],
        'filter[price][isnull]': false,
        sort: ['-created_at', 'name'],
        fields: ['id', 'name', 'price'],
        include: ['products'],
        'fields[products]': ['name'],
        page: 1,
        per_page: 20,
      },
    },
  })
  const names: (string | undefined)[] | undefined = list.data?.items
    .flatMap((category) => category.products ?? [])
    .map((product) => product.name)

  const created = await client.POST('/categories', { body: { name: 'Maps', price: 12.5, status: 'draft' } })
  if (created.data === undefined) throw new Error(created.error.message)
  const { id } = created.data
  const location = created.response.headers.get('location')

  const updated = await client.PATCH('/categories/{id}', {
    params: { path: { id } },
    body: { description: null, status: 'active' },
  })
  const status: 'draft' | 'active' | 'archived' | undefined = updated.data?.status
  const found = await client.GET('/categories/{id}', {
    params: { path: { id }, query: { fields: ['name', 'status'] } },
  })
  const deleted = await client.DELETE('/categories/{id}', { params: { path: { id } } })
  const gone = await client.GET('/categories/{id}', { params: { path: { id } } })

  const products = await client.GET('/products', { params: { query: { per_page: 2, sort: ['name'] } } })
  const first: string | undefined = products.data?.items[0]?.name
  const lines = await client.GET('/products', {
    params: { query: { sort: ['name'] } }, headers: { accept: 'application/x-ndjson' }, parseAs: 'text',
  })
  const text: string | undefined = lines.data

  // @ts-expect-error a filter has the operators that are allowed
  const refused = await client.GET('/categories', { params: { query: { 'filter[name][gte]': 'a' } } })
  // @ts-expect-error a member of the enum
  const wrong = await client.POST('/categories', { body: { name: 'x', status: 'none' } })
  const quoted = await client.GET('/categories', {
    params: { query: { 'filter[name][in]': ['"a,b"', 'Tech'], fields: ['name'] } },
  })

  return {
    list: list.data, names, id, location, status, found: found.data, deleted: deleted.data?.id, gone: gone.error?.code,
    refused: refused.error?.errors?.map(({ source, allowed }) => [source?.parameter, allowed]),
    wrong: wrong.error?.errors?.map(({ source, allowed }) => [source?.pointer, allowed]),
    quoted: quoted.data?.items.map(({ name }) => name), first, text,
  }
}
`

/** The type errors of a file. */
function diagnose (file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true, noEmit: true, target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true, skipLibCheck: false,
    types: [], lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  })
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) =>
    `${file?.fileName}:${file?.getLineAndCharacterOfPosition(start).line} ${
      ts.flattenDiagnosticMessageText(messageText, ' ')
    }`
  )
}

/** Writes a client beside the types of a server's document. */
async function clientOf (t: Test, app: FastifyInstance, client: string): Promise<string> {
  await app.ready()
  const types = astToString(await openapiTS(JSON.parse(JSON.stringify(app.swagger())) as OpenAPI3))
  const folder = t.testdir({ 'package.json': '{ "type": "module" }', 'api.d.ts': types, 'client.ts': client })
  return path.join(folder, 'client.ts')
}

t.test('a generated client type-checks and works', async (t) => {
  const app = await openExample(t)
  const file = await clientOf(t, app, CLIENT)
  t.strictSame(diagnose(file), [], 'type-checks')

  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  const { run } = await import(pathToFileURL(file).href) as { run: (baseUrl: string) => Promise<any> }
  const result = await run(baseUrl)
  t.match(result.list, { total: 1, page: 1, items: [{ name: 'Tech', price: 499 }] })
  t.strictSame(Object.keys(result.list.items[0]), ['id', 'name', 'price', 'products'])
  t.equal(result.names.length, 5)
  t.equal(result.location, `/categories/${result.id}`)
  t.equal(result.status, 'active')
  t.strictSame(result.found, { name: 'Maps', status: 'active' })
  t.equal(result.deleted, result.id)
  t.equal(result.gone, 'FST_CRUD_NOT_FOUND')
  t.strictSame(result.refused, [['filter[name][gte]', [
    'contains', 'ends', 'eq', 'ilike', 'in', 'like', 'ne', 'nin', 'starts',
  ]]])
  t.strictSame(result.wrong, [['/status', ['draft', 'active', 'archived']]])
  t.strictSame(result.quoted, ['Tech'])
  t.equal(JSON.parse(result.text.split('\n')[0]).name, result.first, 'a stream is asked for by its media type')
})

t.test('streams and lists of new records do not change the types of other requests', async (t) => {
  const app = newServer(t)
  await app.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'Test', version: '1' } } })
  const crud = resource(Tag)
  await app.register(crudKit, {
    orm: ormOf(),
    resources: {
      '/tags': { crud, stream: true, operations: ['list', 'get', 'create', 'createMany'], maxBatch: 7 },
      '/labels': { crud, operations: ['createMany'] },
    },
  })
  const file = await clientOf(
    t,
    app,
    `import createClient from 'openapi-fetch'
    import type { paths } from './api.d.ts'
    const client = createClient<paths>({ baseUrl: '' })
    const { data } = await client.GET('/tags')
    export const names: (string | undefined)[] | undefined = data?.items.map(({ name }) => name)
    const created = await client.POST('/tags', { body: { name: 'new' } })
    export const id: number | undefined = created.data?.id
    const csv = await client.GET('/tags', { headers: { accept: 'text/csv' }, parseAs: 'blob' })
    export const file: Blob | undefined = csv.data
    const many = await client.POST('/labels', { body: [{ name: 'new' }] })
    export const ids: number[] | undefined = many.data?.map(({ id }) => id)
    // @ts-expect-error the route takes lists only
    await client.POST('/labels', { body: { name: 'new' } })`
  )
  t.strictSame(diagnose(file), [])
  const { get, post } = JSON.parse(JSON.stringify(app.swagger())).paths['/tags']
  t.strictSame([get['x-stream-types'], post['x-create-many']], [['application/x-ndjson', 'text/csv'], { maxItems: 7 }])
  t.match(get.description, /Accept: text\/csv/)
  t.match(post.description, /list of at most 7 records/)
})
