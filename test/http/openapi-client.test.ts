/** A client made by openapi-typescript and openapi-fetch from the document type-checks and works on a port. */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import t from 'tap'
import ts from 'typescript'
import { openExample } from '../helpers/example.ts'

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
    quoted: quoted.data?.items.map(({ name }) => name),
  }
}
`

/** The type errors of a file. */
function diagnose (file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    types: [],
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  })
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) =>
    `${file?.fileName}:${file?.getLineAndCharacterOfPosition(start).line} ${
      ts.flattenDiagnosticMessageText(messageText, ' ')
    }`
  )
}

t.test('a generated client type-checks and works', async (t) => {
  const app = await openExample(t)
  await app.ready()
  const types = astToString(await openapiTS(JSON.parse(JSON.stringify(app.swagger())) as OpenAPI3))
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.writeFileSync(path.join(folder, 'api.d.ts'), types)
  const file = path.join(folder, 'client.ts')
  fs.writeFileSync(file, CLIENT)
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
    'contains',
    'ends',
    'eq',
    'ilike',
    'in',
    'like',
    'ne',
    'nin',
    'starts',
  ]]])
  t.strictSame(result.wrong, [['/status', ['draft', 'active', 'archived']]])
  t.strictSame(result.quoted, ['Tech'])
})
