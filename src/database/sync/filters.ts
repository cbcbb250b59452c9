/**
 * Applies MikroORM's filters without a promise. `em.applyFilters` is async, though most conditions are available at
 * once.
 */
import { QueryHelper, Raw, Utils, type EntityMetadata, type FilterDef } from '@mikro-orm/core'
import type { EntityManager, Options } from '@mikro-orm/postgresql'
import { ConfigError } from '../../errors.ts'

type Filters = Record<string, FilterDef>
type EntityManagerClass = NonNullable<Options['entityManager']>

const added = Symbol('fastify-crud-kit.filters')
interface WithFilters {
  [added]: Filters
}

/** Extends an EntityManager class to remember the filters that are added, because MikroORM's own list is private. */
export function rememberingFilters (Base: EntityManagerClass): EntityManagerClass {
  return class extends Base implements WithFilters {
    [added]: Filters = {}

    override addFilter (options: Parameters<EntityManager['addFilter']>[0]): void {
      super.addFilter(options as never)
      const entity = options.entity && Utils.asArray(options.entity as never).map((name) => Utils.classOrName(name))
      this[added][options.name] = { default: true, ...options, ...(entity && { entity }) } as unknown as FilterDef
    }

    override fork (options?: Parameters<EntityManager['fork']>[0]): this {
      const fork = super.fork(options) as this
      fork[added] = { ...this[added] }
      return fork
    }
  }
}

/**
 * Returns the conditions of the filters that are active for an entity, the same as `em.applyFilters`.
 *
 * @param options arguments of filters by name, or booleans that turn them on or off
 * @throws {ConfigError} for a filter whose condition is a promise
 */
export function applyFiltersSync (
  em: EntityManager,
  entity: unknown,
  type: 'read' | 'update' | 'delete',
  options: Readonly<Record<string, unknown>>
): object | undefined {
  const meta = em.getMetadata(entity as never) as EntityMetadata
  const active = new Map<string, FilterDef>()
  for (
    const source of [
      em.config.get('filters') as Filters,
      (em as unknown as WithFilters)[added],
      meta.filters as Filters,
    ]
  ) {
    for (const filter of QueryHelper.getActiveFilters(meta, options as never, source)) {
      if (!active.has(filter.name)) active.set(filter.name, filter)
    }
  }
  const conditions = [...active.values()].map((filter) => condition(em, meta, filter, type, options[filter.name]))
    .filter((where) => Utils.hasObjectKeys(where) || Raw.hasObjectFragments(where))
  return conditions.length > 1 ? { $and: conditions } : conditions[0]
}

function condition (
  em: EntityManager,
  meta: EntityMetadata,
  filter: FilterDef,
  type: 'read' | 'update' | 'delete',
  given: unknown
): object {
  let where: unknown = filter.cond
  if (typeof where === 'function') {
    const args = Utils.isPlainObject(given) ? given : em.getFilterParams(filter.name)
    if (!args && where.length > 0 && filter.args !== false) {
      throw new Error(`No arguments provided for filter '${filter.name}'`)
    }
    where = where(args, type, em, undefined, meta.className)
    if (typeof (where as PromiseLike<unknown> | undefined)?.then === 'function') {
      // nothing awaits this promise, so its rejection must be handled here
      Promise.allSettled([where])
      throw new ConfigError(
        `The filter '${filter.name}' of ${meta.className} returns a promise, which a synchronous session can't ` +
          'wait for: return the condition itself.'
      )
    }
  }
  const processed = QueryHelper.processWhere({
    where: where as never,
    entityName: meta.class as never,
    metadata: em.getMetadata(),
    platform: em.getPlatform(),
    aliased: type === 'read',
  }) as object
  if (filter.strict) Object.defineProperty(processed, '__strict', { value: filter.strict, enumerable: false })
  return processed
}
