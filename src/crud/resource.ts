/** A CRUD class that has met its ORM: names looked up, statements kept by shape. */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import type { CustomFilterContext, QueryBuilderConfig } from '../config/index.ts'
import { ConfigError, FilterValidationError } from '../errors.ts'
import { checkScope } from './scope.ts'
import { Models, type EntityModel } from '../model/index.ts'
import { isCustomTerm, planSelection, resolveWhitelist, withConditions, type AnyWritePlan, type CallbackCondition, type KeysetPlan, type ListPlan, type Plan, type ScopeCondition, type Selection, type Whitelist } from '../plan/index.ts'
import { after, allOf, contextOf, emOf, filtersOn, type CrudSession, type MaybePromise } from './steps.ts'
import { Prepared, toWireOf, type BoundStatement, type ToWire } from '../run/index.ts'
import { applyPlan, compile, compileWrite, Constants, entitiesBehind, filterSql, foreignOrder, foreignSql, guarded, ROOT_ALIAS, shapeOf, writeShapeOf, type AnyQueryBuilder, type Bind, type Foreign, type Sql, type Statement, type Visible } from '../sql/index.ts'
import { checkConditions, entitiesOfConditions, relationsOfWhitelist } from './whitelisted.ts'

/** Shapes of requests whose statements are kept, for each resource. */
const MAX_SHAPES = 500

/**
 * What finds as many rows as the values say. PostgreSQL would keep a plan for it that serves none of them well: 3.8 times
 * the server's time for a rare value was seen.
 */
const MANY_ROWS: ReadonlySet<string> = new Set(['list', 'keyset', 'stream', 'count', 'estimate'])

/** Conditions of one request beside its query string. */
export interface ReadOptions {
  /** A condition in MikroORM's query language on the resource's own rows, ANDed to everything. */
  readonly scope?: object
  /** Also see rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
  /** Rows that MikroORM's filters hide are left out. Default: true. */
  readonly filtered?: boolean
  /** Handed to custom filters and hooks. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** A statement, and what its records still need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
}

interface Shape {
  readonly statement: Statement
  readonly constants: Constants
  readonly toWire: ToWire | undefined
  readonly prepared: Prepared
}

const NO_FILTERS: ActiveFilters = new Map()

const modelsByStorage = new WeakMap<object, Map<string | undefined, Models>>()

/** The schema of entities that name none: the EntityManager's own, or the ORM's. */
export function schemaOf (em: EntityManager): string | undefined {
  return em.schema ?? em.config.getSchema(true)
}

/** The models of the ORM behind an EntityManager: one set for all resources. */
function modelsOf (em: EntityManager): Models {
  const metadata = em.getMetadata()
  const schema = schemaOf(em)
  let bySchema = modelsByStorage.get(metadata)
  if (bySchema === undefined) modelsByStorage.set(metadata, bySchema = new Map())
  let models = bySchema.get(schema)
  if (models === undefined) bySchema.set(schema, models = new Models(metadata, em.getPlatform(), { schema, filters: Object.keys(em.config.get('filters')) }))
  return models
}

/** Conditions of MikroORM's filters by entity: those of the filters that are active. */
export type ActiveFilters = ReadonlyMap<EntityModel, object>

export class Resource {
  readonly model: EntityModel
  readonly whitelist: Whitelist
  /** What a record shows when nothing is selected. */
  readonly selection: Selection
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES })
  /** Entities that a statement of this resource can touch: those whose MikroORM filters matter. */
  readonly #entities: readonly EntityModel[]
  /** Those of them that the application's own conditions lead to. */
  readonly #behindConditions: ReadonlySet<EntityModel>

  /** @throws {ConfigError} when the configuration names what the entity doesn't have */
  constructor (em: EntityManager, entity: unknown, config: QueryBuilderConfig, name: string | undefined) {
    this.model = modelsOf(em).of(entity)
    this.whitelist = resolveWhitelist(config, this.model, name)
    const relations = relationsOfWhitelist(this.whitelist)
    this.#behindConditions = entitiesOfConditions(this.whitelist, relations)
    this.#entities = [...new Set([this.model, ...relations.map(({ target }) => target), ...this.#behindConditions])]
    checkConditions(em, this.whitelist)
    this.selection = planSelection({ fields: [], fieldsByInclude: {}, include: [] }, this.whitelist, [])
  }

  /** The statement of a plan with the request's values, from the shapes seen before or compiled. */
  compile (session: CrudSession, plan: Plan, options: ReadOptions): MaybePromise<CompiledRead> {
    const filtered = options.filtered !== false
    const entities = this.entitiesOf(filtered ? this.#entities : [], options)
    return after(this.activeFilters(session, entities), (active) => this.#compile(session, plan, options, filtered ? active : NO_FILTERS, active))
  }

  /** Entities that a statement touches, with those that the scope leads to. */
  entitiesOf (entities: readonly EntityModel[], { scope }: ReadOptions): readonly EntityModel[] {
    const behind = scope === undefined ? NOTHING_BEHIND : entitiesBehind(scope, this.model)
    return behind.size === 0 ? entities : [...new Set([...entities, ...behind])]
  }

  /** @param behind the filters of related rows that the scope leads to, which hold whether or not the record itself is filtered */
  #compile (session: CrudSession, plan: Plan, options: ReadOptions, filters: ActiveFilters, behind: ActiveFilters): MaybePromise<CompiledRead> {
    const toWire = () => 'selection' in plan ? toWireOf(plan.selection) : undefined
    const complete = plan.customs.length > 0 || hasCustomOrder(plan) ? undefined : this.#complete(plan, options.scope, filters)
    if (complete !== undefined) return this.#cached(emOf(session), shapeOf(complete), (foreign) => compile(complete, foreign), complete, toWire, true)
    const values = [...plan.values]
    return after(scopesOf(session, plan), (scopes) => bind(compile(plan, this.foreign(session, plan, options, filters, values, { scopes, behind })), values, toWire(), true))
  }

  /** The statement of a write, likewise. */
  compileWrite (session: CrudSession, plan: AnyWritePlan, options: ReadOptions, filters: ActiveFilters): CompiledRead {
    const toWire = () => toWireOf(plan.selection)
    const insert = plan.kind === 'insert'
    const complete = insert && plan.rows.length > 1 ? undefined : this.#complete(plan, insert ? undefined : options.scope, filters)
    if (complete !== undefined) return this.#cached(emOf(session), writeShapeOf(complete), (foreign) => compileWrite(complete, foreign), complete, toWire, false)
    const values = [...plan.values]
    return bind(compileWrite(plan, this.foreign(session, { ...plan, customs: [] }, options, filters, values)), values, toWire(), false)
  }

  /** The plan with all that holds for its request, unless only MikroORM can say it in SQL. */
  #complete<AnyPlan extends Plan | AnyWritePlan> (plan: AnyPlan, scope: unknown, filters: ActiveFilters): AnyPlan | undefined {
    // the filters of what the application's own conditions lead to are put into those, in MikroORM's words
    for (const model of filters.keys()) if (this.#behindConditions.has(model)) return undefined
    return withConditions(plan, scope, filters)
  }

  /** The statement of a shape with a request's values. What the application has put into it is the same for every request. */
  #cached (em: EntityManager, key: string, compile: (foreign: Foreign) => Statement, { kind, values }: Pick<Plan | AnyWritePlan, 'kind' | 'values'>, toWire: () => ToWire | undefined, readOnly: boolean): CompiledRead {
    let shape = this.#shapes.get(key)
    if (shape === undefined) {
      const constants = new Constants()
      const statement = compile({ filter: () => undefined, conditions: () => [], order: noOrder, constant: (where, model, alias) => filterSql(em, model, alias, guarded(where, model, visibleBy(NO_FILTERS)) as object, (value) => constants.add(value)) })
      this.#shapes.set(key, shape = { statement, constants, toWire: toWire(), prepared: new Prepared(statement.text, !MANY_ROWS.has(kind)) })
    }
    const { statement: { text, slots, columns }, constants, prepared } = shape
    return { text, values: constants.bind(slots, values), columns, prepared, toWire: shape.toWire, readOnly }
  }

  /** Conditions in MikroORM's words: they may look at anything, so each request has a statement of its own. */
  foreign (session: CrudSession, plan: Pick<Plan, 'model' | 'customs'>, options: ReadOptions, filters: ActiveFilters, values: unknown[], { scopes = NO_SCOPES, behind = filters }: { readonly scopes?: Scopes, readonly behind?: ActiveFilters } = {}): Foreign {
    checkScope(options.scope)
    const em = emOf(session)
    const bindValue: Bind = (value) => values.push(value) - 1
    const visible = visibleBy(filters)
    return {
      filter: (model, alias) => {
        const where = filters.get(model)
        return where && filterSql(em, model, alias, where, bindValue)
      },
      constant: (where, model, alias) => filterSql(em, model, alias, guarded(where, model, visible) as object, bindValue),
      order: ({ sort, callback, descending }, alias) =>
        foreignOrder(em, plan.model, alias, (qb) => callback(qb, descending ? 'desc' : 'asc', { ...options.context, em }), bindValue, `AllowedSort.custom '${sort}'`),
      conditions: (alias) => [
        options.scope && filterSql(em, plan.model, alias, guarded(options.scope, plan.model, visibleBy(behind)) as object, bindValue),
        ...plan.customs.map((custom) => custom.kind === 'scope'
          ? filterSql(em, plan.model, alias, scopes.get(custom)!, bindValue)
          : foreignSql(em, plan.model, alias, (qb) => narrow(custom, qb, contextOf(session, options.context)), bindValue)),
      ].filter((condition): condition is Sql => condition !== undefined),
    }
  }

  /** The plan as MikroORM's QueryBuilder, with everything that hides rows. */
  async query (em: EntityManager, plan: ListPlan | KeysetPlan, options: ReadOptions): Promise<QueryBuilder<any>> {
    const filters = await this.activeFilters(em, this.entitiesOf(this.#entities, options))
    const qb = em.createQueryBuilder(plan.model.entity as never, ROOT_ALIAS) as unknown as QueryBuilder<any>
    // the builder binds values itself: what our fragments need of it is put behind the plan's own
    const values = [...plan.values]
    const applied = applyPlan(qb, { ...plan, values }, this.foreign(em, plan, options, filters, values))
    await applied.applyFilters()
    if (options.scope !== undefined) applied.andWhere(guarded(options.scope, plan.model, visibleBy(filters)) as never)
    const scopes = await scopesOf(em, plan)
    return plan.customs.reduce((builder, custom) => custom.kind === 'scope'
      ? builder.andWhere(scopes.get(custom)! as never) as typeof builder
      : narrow(custom, builder, { ...options.context, em }), applied)
  }

  /** The conditions of MikroORM's filters that are active for this session. */
  activeFilters (session: CrudSession, entities: readonly EntityModel[], type: 'read' | 'update' | 'delete' = 'read'): MaybePromise<ActiveFilters> {
    return after(allOf(entities.map((model) => filtersOn(session, model.entity, type))), (conditions) => {
      let filters: Map<EntityModel, object> | undefined
      for (const [index, where] of conditions.entries()) {
        if (where !== undefined) (filters ??= new Map()).set(entities[index]!, where)
      }
      return filters ?? NO_FILTERS
    })
  }
}

/** Conditions of the MikroORM filters that a request has switched on. */
type Scopes = ReadonlyMap<ScopeCondition, object>

const NO_SCOPES: Scopes = new Map()

function scopesOf (session: CrudSession, { model, customs }: Pick<Plan, 'model' | 'customs'>): MaybePromise<Scopes> {
  const switched = customs.filter((custom) => custom.kind === 'scope')
  if (switched.length === 0) return NO_SCOPES
  return after(allOf(switched.map((custom) => scopeOf(session, model, custom))), (conditions) => new Map(switched.map((custom, index) => [custom, conditions[index] ?? {}])))
}

/** The condition of one filter alone: those that are active anyway hold already. */
function scopeOf (session: CrudSession, { entity, filters }: EntityModel, { filter, args }: ScopeCondition): MaybePromise<object | undefined> {
  return filtersOn(session, entity, 'read', { ...Object.fromEntries(filters.map((name) => [name, false])), [filter]: args ?? true })
}

const NOTHING_BEHIND: ReadonlySet<EntityModel> = new Set()

/** What makes related rows visible where MikroORM's filters are these. */
function visibleBy (filters: ActiveFilters): Visible {
  return (model) => {
    const alive = model.deletedAt && { [model.deletedAt.name]: null }
    const filter = filters.get(model)
    return alive !== undefined && filter !== undefined ? { $and: [alive, filter] } : alive ?? filter
  }
}

/** Plans with custom sorts have no shape to be kept by. */
const noOrder = (): never => { throw new TypeError('a custom sort is compiled for each request') }

const hasCustomOrder = (plan: Plan): boolean => (plan.kind === 'list' || plan.kind === 'stream') && plan.order.some(isCustomTerm)

/** A callback that fails on the list of a repeated parameter takes one value: that is the client's mistake. */
function narrow ({ parameter, callback, value }: CallbackCondition, qb: AnyQueryBuilder, context: CustomFilterContext): AnyQueryBuilder {
  try {
    const narrowed: unknown = callback(qb, value, context)
    if (typeof (narrowed as AnyQueryBuilder | undefined)?.toQuery === 'function') return narrowed as AnyQueryBuilder
  } catch (cause) {
    // an error with a status is one that the callback means
    if (typeof value === 'string' || (cause as { statusCode?: unknown } | null)?.statusCode !== undefined) throw cause
    const detail = `The filter ${parameter} takes one value; it was given more than once, or with [].`
    throw new FilterValidationError([{ source: { parameter }, code: 'FST_CRUD_FILTER_INVALID', detail }])
  }
  throw new ConfigError(`AllowedFilters.custom: the callback of ${parameter} must return the query builder.`)
}

function bind ({ text, slots, columns }: Statement, values: readonly unknown[], toWire: ToWire | undefined, readOnly: boolean): CompiledRead {
  return { text, values: slots.map((slot) => values[slot]), columns, toWire, readOnly }
}
