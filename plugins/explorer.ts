/** Serves the explorer: a page that shows the resources of a server, and the document from which it knows them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as Type from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { fileURLToPath } from 'node:url'
import { namesTag } from '../src/base/read-tags.ts'
import {
  apiFacts, askResources, checkExplorerOptions, describeApi, encodedFor, etagOfText, explain, pageAt, readBuiltPage,
  refusalOfAll, type ExplorerOptions, type PageFile,
} from '../src/explorer/index.ts'
import { metaOf } from '../src/http/index.ts'

export type { ExplorerHeader, ExplorerOptions } from '../src/explorer/index.ts'
export type * from '../src/explorer/description.ts'

/** The page runs only its own scripts and styles, and talks only to its own server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
  "base-uri 'self'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

/** The headers of all answers. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The content depends on the credentials of the request. */
const NO_STORE = 'no-store'
/** The content may be kept, and is asked for again before each use. */
const REVALIDATE = 'no-cache'
/** The content of a file with a hash in its name never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Excludes this file when @fastify/autoload loads the folder: an application decides where its page is. */
export const autoload = false

/** The folder of the built page, seen from the source file and from the compiled one. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/explorer' : '../explorer', import.meta.url)
)

const register: FastifyPluginAsyncTypebox<ExplorerOptions> = async (fastify, options) => {
  const { prefix = '', logLevel, logSerializers } = options
  checkExplorerOptions(options, `${fastify.prefix}${prefix}`)
  const { enabled = !isProduction() } = options
  if (!enabled) return
  const page = readBuiltPage(FOLDER)
  await fastify.register(async (instance) => addRoutes(instance, options, page), {
    prefix: prefix.replace(/\/+$/, ''),
    ...(logLevel !== undefined && { logLevel }),
    ...(logSerializers !== undefined && { logSerializers }),
  })
}

/** A path of the server, relative to the root of the API, which the page knows (`root`). */
const relativeToRoot = (path: string): string => path.slice(1)

const isProduction = (): boolean => process.env['NODE_ENV'] === 'production'

/** The query string of `/explain`: the path and the query string of the request to explain. */
const ExplainQuery = Type.Object({ path: Type.String({ pattern: '^/' }) })
const FilePath = Type.Object({ '*': Type.String() })

function addRoutes (
  fastify: Parameters<FastifyPluginAsyncTypebox>[0],
  options: ExplorerOptions,
  { index, files }: ReturnType<typeof readBuiltPage>
): void {
  const segments = fastify.prefix.split('/').filter((segment) => segment !== '')
  // only @fastify/swagger declares `hide`, and the OpenAPI document of an application leaves such routes out
  const hidden: FastifySchema & { readonly hide: true } = { hide: true }
  const route = { schema: hidden, exposeHeadRoute: true }
  fastify.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS)
  })

  const explains = options.explain === true && !isProduction()
  let facts: ReturnType<typeof apiFacts> | undefined
  fastify.get('/resources.json', route, async (request, reply) => {
    const { usable, refusals } = await askResources(fastify, request)
    reply.header('cache-control', NO_STORE)
    const refusal = usable.length === 0 ? refusalOfAll(refusals) : undefined
    if (refusal !== undefined) return passOn(refusal, reply)
    facts ??= apiFacts(fastify, options)
    return describeApi({
      ...facts,
      root: '../'.repeat(segments.length),
      docs: options.docs === undefined ? null : relativeToRoot(options.docs),
      explain: explains,
      namesRoles: !isProduction(),
    }, usable)
  })

  if (explains) {
    fastify.get(
      '/explain',
      { ...route, schema: { ...hidden, querystring: ExplainQuery } },
      async (request, reply) => {
        reply.header('cache-control', NO_STORE)
        const found = await explain(fastify, request, request.query.path)
        if ('statements' in found) return found
        if (found.statusCode >= 400) return passOn(found, reply)
        return reply.code(400).send({ statusCode: 400, error: 'Bad Request', message: NOT_EXPLAINED })
      }
    )
  }

  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const html = pageAt(baseOf(request.url, segments), index)
    return sendCached(request, reply, etagOfText(html), () => reply.type('text/html; charset=utf-8').send(html))
  }
  fastify.get('/', route, sendPage)
  fastify.get('/*', { ...route, schema: { ...hidden, params: FilePath } }, (request, reply) => {
    const name = request.params['*']
    const file = files.get(name)
    if (file !== undefined) return sendFile(request, reply, file)
    // a file of an older version is gone, and all other paths are places in the page
    return /^assets\/[^/]+\.\w+$/.test(name) ? reply.callNotFound() : sendPage(request, reply)
  })
}

const NOT_EXPLAINED = 'Only lists and records of resources can be explained.'

/**
 * The root of the explorer, relative to the path of a request: the number of segments that the path has below it is
 * the same for the browser, whatever a proxy does with the beginning of the path.
 */
function baseOf (url: string, segments: readonly string[]): string {
  const [path = ''] = url.split(/[?#]/)
  const below = path.split('/').length - 1 - segments.length
  return below === 0 ? `${segments.at(-1)!}/` : below === 1 ? './' : '../'.repeat(below - 1)
}

function sendFile (request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const { encoding, body } = encodedFor(request.headers['accept-encoding'], file)
  reply.header('vary', 'accept-encoding')
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`)
  return sendCached(request, reply, etag, () => {
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.type(file.type).send(body)
  }, file.immutable ? IMMUTABLE : REVALIDATE)
}

function sendCached (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  send: () => FastifyReply,
  cacheControl = REVALIDATE
): FastifyReply {
  reply.headers({ etag, 'cache-control': cacheControl })
  return namesTag(headers['if-none-match'], etag) ? reply.code(304).send() : send()
}

/** Headers of a refusal that the page needs. */
const PASSED = ['content-type', 'www-authenticate', 'retry-after', 'location'] as const

/** Sends the answer of a resource's route. */
function passOn (
  { statusCode, headers, rawPayload }: NonNullable<ReturnType<typeof refusalOfAll>>,
  reply: FastifyReply
): FastifyReply {
  for (const name of PASSED) if (headers[name] !== undefined) reply.header(name, headers[name])
  return reply.code(statusCode).send(rawPayload)
}

/**
 * The plugin of the explorer. It shows what the sender of a request may do with the resources of the server, whether
 * they are registered before it or after it. Unless `enabled` is given, it does nothing if `NODE_ENV` is `production`.
 * Its options are `ExplorerOptions`.
 *
 * @throws {ConfigError} for a wrong option, for a missing `prefix`, and if the page has not been built
 * @example
 * import { crudExplorer } from 'fastify-crud-kit/explorer'
 *
 * await app.register(crudExplorer, { prefix: '/explorer' })
 */
export const crudExplorer = fp(register, metaOf('fastify-crud-kit/explorer'))
export default crudExplorer
