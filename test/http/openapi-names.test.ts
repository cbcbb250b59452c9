/** The names of schemas in an OpenAPI document, in every way in which an application may name them. */
import swagger, { type SwaggerOptions } from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import openapiTS, { type OpenAPI3 } from 'openapi-typescript'
import t, { type Test } from 'tap'
import { crudKit, type CrudKitOptions } from '../../src/index.ts'
import { Plant } from '../fixtures/entities.ts'
import { ormOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { resource, type Json } from './helper.ts'
import { checkValid, OPENAPI_3_1 } from './openapi-documents.ts'

t.test('schemas have names', async (t) => {
  const namesIn = async (
    resources: NonNullable<CrudKitOptions['resources']>,
    options: SwaggerOptions = OPENAPI_3_1
  ) => {
    const app = newServer(t)
    await app.register(swagger, options)
    await app.register(crudKit, { orm: ormOf(), resources })
    app.get('/own', {
      schema: { response: { 200: { $ref: 'Plant#' }, '4xx': { $ref: 'fastify-crud-kit/error#' } } },
    }, async () => ({}))
    await app.ready()
    return { document: JSON.parse(JSON.stringify(app.swagger())) as Json, shared: app.getSchemas() as Json }
  }
  const plants = resource(Plant, { allowedIncludes: ['tags'] })
  const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
  const content = (part: Json): Json => part.content['application/json'].schema

  t.test('in the document, and in the server', async (t) => {
    const { document, shared } = await namesIn({ '/plants': plants })
    await checkValid(t, document)
    const { paths, components: { schemas } } = document
    const names = ['Error', 'NewPlant', 'Plant', 'PlantChanges', 'PlantPage', 'WrittenPlant']
    t.strictSame(Object.keys(schemas).sort(), names)
    t.strictSame(Object.keys(shared).sort(), ['fastify-crud-kit/error', ...names.slice(1)].sort())
    t.strictSame(content(paths['/plants'].post.requestBody), ref('NewPlant'))
    t.strictSame(content(paths['/plants'].post.responses[201]), ref('WrittenPlant'))
    t.strictSame(content(paths['/plants/{id}'].patch.requestBody), ref('PlantChanges'))
    t.strictSame(content(paths['/plants/{id}'].get.responses[200]), ref('Plant'))
    t.strictSame(content(paths['/plants'].get.responses[200]), ref('PlantPage'))
    t.strictSame(schemas.PlantPage.anyOf[0].properties.items.items, ref('Plant'))
    t.strictSame(shared.PlantPage.anyOf[0].properties.items.items.$ref, 'Plant#')
    t.strictSame(content(paths['/own'].get.responses[200]), ref('Plant'), "the application's own routes may use them")
  })

  t.test('two resources over one entity have their own', async (t) => {
    const { document } = await namesIn({ '/plants': plants, '/v2/plants': resource(Plant), '/x': resource(Plant) })
    await checkValid(t, document)
    t.strictSame(['/plants', '/v2/plants', '/x'].map((path) => content(document.paths[path].post.requestBody)), [
      ref('NewPlant'), ref('NewPlant_plant'), ref('NewPlant_x'),
    ])
  })

  t.test("the application's own names stay", async (t) => {
    const { document } = await namesIn({ '/plants': plants }, {
      ...OPENAPI_3_1,
      refResolver: { buildLocalReference: (json: Json) => json.$id.replace('fastify-crud-kit/', 'kit-') },
    } as SwaggerOptions)
    await checkValid(t, document)
    t.ok('kit-error' in document.components.schemas)
    t.strictSame(content(document.paths['/plants'].get.responses[400]), ref('kit-error'))
    t.strictSame(content(document.paths['/plants'].get.responses[200]), ref('PlantPage'))
  })
})

type BuildReference = (json: Json, baseUri: Json, fragment: unknown, index: number) => string

/** Ways to name the schemas of a document. The first is that of @fastify/swagger's own documentation. */
const NAMINGS: Record<string, BuildReference | undefined> = {
  'by the default': undefined,
  'by id, or a number': (json, _base, _fragment, index) => json.$id || `my-fragment-${index}`,
  'by title': (json, _base, _fragment, index) => json.title ?? json.$id ?? `schema-${index}`,
  'by the path of the URI': (_json, { path }) => path,
  'by number': (_json, _base, _fragment, index) => `schema.${index}`,
  'by an id without slashes': (json, _base, _fragment, index) => (json.$id ?? `s${index}`).replaceAll('/', '_'),
}

t.test('each component has a valid name, and each reference leads to one', async (t) => {
  const ERROR = { $ref: 'fastify-crud-kit/error#' }
  const addOwnRoutes = (app: FastifyInstance, prefix: string) => {
    app.get(`${prefix}/shared`, { schema: { response: { 200: { $ref: 'Plant#' }, '4xx': ERROR } } }, async () => ({}))
    app.post(`${prefix}/nested`, {
      schema: {
        body: Type.Object({ inner: Type.Object({ error: Type.Unsafe(ERROR) }, { $id: `Inner-${prefix.slice(1)}` }) }),
        response: { default: { type: 'array', items: { anyOf: [ERROR, { $ref: 'Failure#' }, { $ref: 'Report#' }] } } },
      },
    }, async () => ({}))
  }
  const documentOf = async (t: Test, refResolver: BuildReference | undefined, openapi: string): Promise<Json> => {
    const app = newServer(t)
    await app.register(swagger, {
      openapi: { openapi, info: { title: 'Test', version: '1' } },
      ...(refResolver !== undefined && { refResolver: { buildLocalReference: refResolver } }),
    } as SwaggerOptions)
    app.addSchema({ $id: 'Failure', title: 'Error', type: 'object', properties: { own: { type: 'string' } } })
    app.addSchema({ $id: 'Report', type: 'object', properties: { errors: { type: 'array', items: ERROR } } })
    const resources = { '/plants': resource(Plant, { allowedIncludes: ['tags'] }) }
    // routes are documented in the order in which they are added
    app.register(async (app) => addOwnRoutes(app, '/first'))
    await app.register(crudKit, { orm: ormOf(), resources })
    addOwnRoutes(app, '/last')
    await app.ready()
    return JSON.parse(JSON.stringify(app.swagger()))
  }
  const referencesIn = (node: Json): string[] =>
    typeof node !== 'object' || node === null
      ? []
      : Object.entries(node).flatMap(([key, value]) =>
        key === '$ref' && typeof value === 'string' ? [value] : referencesIn(value)
      )

  for (const [naming, build] of Object.entries(NAMINGS)) {
    for (const version of ['3.1.0', '3.0.3']) {
      t.test(`${naming}, in OpenAPI ${version}`, async (t) => {
        const document = await documentOf(t, build, version)
        await checkValid(t, document)
        const { components: { schemas }, paths } = document
        for (const name of Object.keys(schemas)) t.match(name, /^[a-zA-Z0-9._-]+$/)
        for (const reference of new Set(referencesIn(document))) {
          const [, , , name, ...rest] = reference.split('/')
          t.ok(Object.hasOwn(schemas, name!) && rest.length === 0, reference)
        }
        const error = (path: string, status: string): Json =>
          schemas[paths[path].get.responses[status].content['application/json'].schema.$ref.split('/').at(-1)]
        for (const prefix of ['/first', '/last']) {
          t.strictSame(error(`${prefix}/shared`, '4XX').required, ['statusCode', 'code', 'error', 'message'])
        }
        t.equal(error('/plants/{id}', '404'), error('/last/shared', '4XX'))
        t.ok(Object.values(schemas as Json).some(({ properties }: Json) => properties?.own !== undefined),
          "the application's own schema of that title stays")
        t.ok((await openapiTS(document as OpenAPI3)).length > 0)
      })
    }
  }
})
