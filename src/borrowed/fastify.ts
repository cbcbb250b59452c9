/** Parts of a Fastify instance that it keeps under private symbols, because it has no public way to ask for them. */
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify'
import { borrowedMembers } from './borrowed-member.ts'

const CONTENT_TYPE_PARSER = 'fastify.contentTypeParser'

export const FASTIFY_MEMBERS = borrowedMembers('fastify', '5.12.8', [
  ['FastifyInstance', 'fastify.schemaController', "the default validator exists after a route's preparation only"],
  ['FastifyInstance', 'fastify.options', "the default validator gets the application's options of Ajv"],
  ['FastifyInstance', 'fastify.schemaErrorFormatter', "the application's function decides about errors of schemas"],
  [
    'FastifyInstance',
    CONTENT_TYPE_PARSER,
    'a media type is refused that the application cannot parse, and routes without a body have parsers of their own',
  ],
  ['Request', 'fastify.context', 'a valid body stays valid if no hook runs between its validation and the handler'],
])

/** The symbol with a description, on an instance or on an instance around it. */
function symbolOf (instance: object, description: string): symbol | undefined {
  for (let owner: object | null = instance; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
    const symbol = Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description)
    if (symbol !== undefined) return symbol
  }
  return undefined
}

/** The value of a symbol of an instance, its own or that of an instance around it. */
function partOf (instance: object, description: string): unknown {
  const symbol = symbolOf(instance, description)
  return symbol && (instance as Record<symbol, unknown>)[symbol]
}

/** The parts of an instance by the names in `FASTIFY_MEMBERS`, for the check at start-up. */
export const partsOf = (instance: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(FASTIFY_MEMBERS.map(({ name }) => [name, partOf(instance, name)]))

interface SchemaController {
  readonly setupValidator: (options: unknown) => void
  /** Whether the application has set its own compiler. */
  readonly isCustomValidatorCompiler?: boolean
}

type ValidatorCompiler = NonNullable<FastifyInstance['validatorCompiler']>

/**
 * The compiler that an instance uses for its routes, and whether it is the application's own. Fastify builds its
 * default compiler when it prepares the first route without one, so this function lets Fastify do that now.
 */
export function validatorCompilerOf (
  fastify: FastifyInstance
): { readonly compile: ValidatorCompiler, readonly isCustom: boolean } {
  const controller = partOf(fastify, 'fastify.schemaController') as SchemaController
  controller.setupValidator(partOf(fastify, 'fastify.options'))
  return { compile: fastify.validatorCompiler!, isCustom: controller.isCustomValidatorCompiler === true }
}

/** The function that the application has given to `setSchemaErrorFormatter`, or to Fastify as an option. */
export const schemaErrorFormatterOf = (fastify: FastifyInstance): FastifyServerOptions['schemaErrorFormatter'] =>
  (partOf(fastify, 'fastify.schemaErrorFormatter') as FastifyServerOptions['schemaErrorFormatter'] | null) ?? undefined

/** Whether an instance has a parser for a media type: for exactly this one, for a pattern, or for all types. */
export function hasParserFor (fastify: FastifyInstance, mediaType: string): boolean {
  return parsersOf(fastify).getParser(mediaType) !== undefined
}

/** The parsers of an instance's bodies. */
export interface Parsers {
  readonly getParser: (mediaType: string) => unknown
}

export const parsersOf = (fastify: FastifyInstance): Parsers => partOf(fastify, CONTENT_TYPE_PARSER) as Parsers

/**
 * An instance with the prefix, the hooks and everything else of `fastify`, except that the bodies of its routes are
 * parsed by other parsers. Another Fastify context would cost too much at start-up. A parser that is added to the
 * instance is added for all that share the parsers.
 */
export const withParsers = (fastify: FastifyInstance, parsers: Parsers): FastifyInstance =>
  Object.create(fastify, { [symbolOf(fastify, CONTENT_TYPE_PARSER)!]: { value: parsers } }) as FastifyInstance

interface RouteContext {
  /** Null without hooks. */
  readonly preHandler: readonly unknown[] | null
}

let kContext: symbol | undefined

/** Whether hooks on `preHandler` run between the validation of a request and its handler. */
export function hasPreHandler (request: FastifyRequest): boolean {
  kContext ??= Object.getOwnPropertySymbols(request).find(({ description }) => description === 'fastify.context')
  const context = kContext && (request as unknown as Readonly<Record<symbol, RouteContext | undefined>>)[kContext]
  return context?.preHandler !== null
}
