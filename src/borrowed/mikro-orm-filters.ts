/**
 * The conditions of MikroORM's filters, with a promise and without one. Public API adds these conditions to queries of
 * MikroORM only. The list gives the reason for each borrowed member. The tests in test/borrowed fail when one changes.
 */
import { QueryHelper, Raw, Utils, type EntityMetadata, type FilterDef } from '@mikro-orm/core'
import type { EntityManager, Options } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import { ignoreRejection, isPromise } from '../base/or-promise.ts'
import { borrowedMembers } from './borrowed-member.ts'

/** The beginning of the message if a filter has parameters and its arguments were not set. The error has no class. */
const NO_ARGUMENTS = 'No arguments provided for filter'

export const FILTER_MEMBERS = borrowedMembers('@mikro-orm/core', '7.2.1', [
  ['EntityManager', 'applyFilters', "the filters' condition: public API adds it to queries of MikroORM's only"],
  ['EntityManager', 'addFilter', 'replaced: what is known of entities without filters is forgotten'],
  ['QueryHelper', 'getActiveFilters', 'em.applyFilters without a promise: the filters that are active'],
  ['QueryHelper', 'processWhere', 'em.applyFilters without a promise: the form in which it returns a condition'],
  ['Error', NO_ARGUMENTS, 'a filter without arguments is told from an error of the application by its message'],
])

/** An operation on rows, which the function of a filter gets. */
export type FilterType = 'read' | 'update' | 'delete'

/** The arguments of filters by name, or `true` or `false` to switch them on or off. */
export type FilterOptions = Readonly<Record<string, unknown>>

/** The condition of an entity without active filters. It is the same for all operations. */
export const NONE_ACTIVE = Object.freeze({})

/**
 * The condition of the filters that are active for an entity. `NONE_ACTIVE` without such filters, and `undefined` if
 * their conditions are empty.
 */
export async function conditionOfFilters (
  em: EntityManager,
  entity: unknown,
  type: FilterType,
  options: FilterOptions
): Promise<object | undefined> {
  const known = unfiltered.get(em)
  // without active filters, MikroORM returns the condition that it was given. With them, it drops one that is empty
  const condition: object | undefined = await em.applyFilters(
    entity as never,
    NONE_ACTIVE as never,
    options as never,
    type
  )
  if (condition === NONE_ACTIVE && isEmpty(options)) known?.add(entity)
  return condition
}

/** The entities for which an EntityManager has had no active filter, since its latest `addFilter`. */
const unfiltered = new WeakMap<EntityManager, Set<unknown>>()

/**
 * Whether it is known without a promise that no filter is active for an entity: `conditionOfFilters` has found none,
 * none was added to the EntityManager since, and the ORM's configuration and the entity declare none.
 *
 * @param em an EntityManager that lives as long as the application
 */
export function isUnfiltered (em: EntityManager, entity: unknown): boolean {
  const known = unfiltered.get(em)
  if (known === undefined) forgetOnAdd(em)
  return known?.has(entity) === true && isEmpty(em.config.get('filters')) &&
    isEmpty(em.getMetadata().get(entity as never).filters)
}

/** Filters that `addFilter` adds are private to MikroORM. */
function forgetOnAdd (em: EntityManager): void {
  unfiltered.set(em, new Set())
  const add = em.addFilter
  Object.defineProperty(em, 'addFilter', {
    configurable: true,
    writable: true,
    value: (options: Parameters<typeof add>[0]): void => {
      // a condition that was asked for before is noted in the old set
      unfiltered.set(em, new Set())
      add.call(em, options)
    },
  })
}

const isEmpty = (filters: object): boolean => Object.keys(filters).length === 0

/** Whether an error says that a filter has parameters and its arguments were not set. */
export function lacksArguments (error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(NO_ARGUMENTS)
}

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
 * The same condition without a promise. It repeats the steps of `em.applyFilters`, which is async though most
 * conditions are available at once.
 *
 * @param em an EntityManager of a class that `rememberingFilters` has made
 * @throws {ConfigError} for a filter whose condition is a promise
 */
export function conditionOfFiltersNow (
  em: EntityManager,
  entity: unknown,
  type: FilterType,
  options: FilterOptions
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
  if (active.size === 0) return NONE_ACTIVE
  const conditions = [...active.values()].map((filter) => condition(em, meta, filter, type, options[filter.name]))
    .filter((where) => Utils.hasObjectKeys(where) || Raw.hasObjectFragments(where))
  return conditions.length > 1 ? { $and: conditions } : conditions[0]
}

function condition (
  em: EntityManager,
  meta: EntityMetadata,
  filter: FilterDef,
  type: FilterType,
  given: unknown
): object {
  let where: unknown = filter.cond
  if (typeof where === 'function') {
    const args = Utils.isPlainObject(given) ? given : em.getFilterParams(filter.name)
    if (!args && where.length > 0 && filter.args !== false) {
      throw new Error(`${NO_ARGUMENTS} '${filter.name}'`)
    }
    where = where(args, type, em, undefined, meta.className)
    if (isPromise(where)) {
      ignoreRejection(where)
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
