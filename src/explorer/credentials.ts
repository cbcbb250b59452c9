/** Finds the headers in which an API expects credentials, and its title, in its OpenAPI document. */
import type { FastifyInstance } from 'fastify'
import type { HeaderHint } from './description.ts'
import type { ExplorerOptions } from './options.ts'

interface OpenApiFacts {
  readonly info?: { readonly title?: unknown }
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> }
}

interface SecurityScheme {
  readonly type?: string
  readonly in?: string
  readonly name?: string
  readonly scheme?: string
  readonly description?: string
}

export interface ApiFacts {
  readonly title: string
  readonly headers: readonly HeaderHint[]
}

/** The options, completed from the OpenAPI document of the server, if @fastify/swagger is registered. */
export function apiFacts (fastify: FastifyInstance, { title, headers }: ExplorerOptions): ApiFacts {
  const { info, components } = title === undefined || headers === undefined ? openApiOf(fastify) : {}
  const schemes = Object.values(components?.securitySchemes ?? {})
  return {
    title: title ?? (typeof info?.title === 'string' ? info.title : 'API'),
    headers: headers?.map(({ name, prefix = '', description, values = [] }) => ({
      name: name.toLowerCase(),
      prefix,
      description: description ?? null,
      values,
    })) ?? schemes.flatMap(hintsOf),
  }
}

function openApiOf (fastify: FastifyInstance): OpenApiFacts {
  const { swagger } = fastify as { readonly swagger?: () => OpenApiFacts }
  return swagger?.() ?? {}
}

const SCHEMES: Readonly<Record<string, string>> = { bearer: 'Bearer ', basic: 'Basic ' }

function hintsOf ({ type, in: place, name, scheme = '', description = '' }: SecurityScheme): HeaderHint[] {
  const about = { description: description === '' ? null : description, values: [] }
  if (type === 'apiKey' && place === 'header' && name !== undefined) {
    return [{ name: name.toLowerCase(), prefix: '', ...about }]
  }
  const prefix = type === 'oauth2' || type === 'openIdConnect' ? 'Bearer ' : SCHEMES[scheme.toLowerCase()]
  return prefix === undefined || type === 'apiKey' ? [] : [{ name: 'authorization', prefix, ...about }]
}
