/** Tells, before the server is ready, which rows the scopes of its resources do not guard. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FastifyInstance } from 'fastify'
import { unguardedBehind, type Unguarded } from '../src/crud/index.ts'
import { ConfigError } from '../src/errors.ts'
import type { Resource } from '../src/resource/index.ts'
import { nearest } from '../src/suggest.ts'
import type { CrudOperation } from './options.ts'

/** A resource with a scope. */
interface Scoped {
  readonly prefix: string
  readonly resource: Resource
  readonly operations: readonly CrudOperation[]
}

const kScoped = Symbol('fastify-crud-kit.scoped')

interface Advised {
  readonly [kScoped]?: Scoped[]
}

/**
 * Makes a server warn of rows that can be reached past the scopes of its resources.
 *
 * @param shared names of entities whose rows all clients may use
 * @throws {ConfigError} for a name that is not an entity's
 */
export function warnOfUnguarded (fastify: FastifyInstance, em: EntityManager, shared: readonly string[]): void {
  const entities = [...em.getMetadata().getAll().values()].map(({ className }) => className)
  for (const name of shared) {
    if (entities.includes(name)) continue
    const near = nearest(name, entities)
    throw new ConfigError(
      `crudKit: 'shared' names '${name}', which is not an entity of the ORM. ${
        near === undefined ? `Entities: ${entities.join(', ')}.` : `Did you mean '${near}'?`
      }`
    )
  }
  const resources: Scoped[] = []
  fastify.decorate(kScoped, resources)
  fastify.addHook('onReady', async () => {
    for (const { prefix, resource, operations } of resources) {
      const offered = {
        list: operations.includes('list'),
        get: operations.includes('get'),
        create: operations.includes('create') || operations.includes('createMany'),
        update: operations.includes('update'),
      }
      const unguarded = (await unguardedBehind(em, resource, offered)).filter(({ entity }) => !shared.includes(entity))
      if (unguarded.length > 0) fastify.log.warn({ resource: prefix, unguarded }, warning(prefix, unguarded))
    }
  })
}

/** Adds a resource that has a scope. */
export function guardsOf (fastify: FastifyInstance, scoped: Scoped): void {
  ;(fastify as Advised)[kScoped]?.push(scoped)
}

function warning (prefix: string, unguarded: readonly Unguarded[]): string {
  const ways = unguarded.map(({ entity, paths }) => `${entity} (${paths.join(', ')})`).join('; ')
  const sharing = (some: readonly Unguarded[]): string =>
    `crudKit's option shared: ['${some.map(({ entity }) => entity).join("', '")}']`
  const own = unguarded.filter(({ lacks }) => lacks === undefined)
  const rules = own.map(({ entity, rule }) => `${entity}: ${rule}`).join('; ')
  const guard =
    `Give each a MikroORM filter, and its parameters to request.em.setFilterParams in a hook: ${rules}. Where everybody may use all rows, say so: ${
      sharing(own)
    }.`
  const others = unguarded.filter(({ lacks }) => lacks !== undefined).map((one) => {
    const filter = one.rule === undefined
      ? 'a property that says whose a row is, and a MikroORM filter on it'
      : `a MikroORM filter through its relation: ${one.rule}`
    return `${one.entity} has no '${one.lacks}': if everybody may use its rows, say so, ${
      sharing([one])
    }; else give it ${filter}.`
  })
  return [
    `The scope of ${prefix} guards its own rows only. Requests reach rows of other entities that nothing guards: ${ways}.`,
    ...own.length > 0 ? [guard] : [],
    ...others,
  ].join(' ')
}
