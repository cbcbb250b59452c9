/** A CRUD class that has met its ORM: names looked up, statements kept by shape. */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import type { CustomFilterContext, QueryBuilderConfig } from '../config/index.ts'
import { FilterValidationError } from '../errors.ts'
import { Models, type EntityModel } from '../model/index.ts'
import { resolveWhitelist, type ListPlan, type Plan, type Selection, type Whitelist } from '../plan/index.ts'
import { toWireOf, type BoundStatement, type ToWire } from '../run/index.ts'
import { applyPlan, compile, filterSql, foreignSql, ROOT_ALIAS, shapeOf, type Bind, type Sql, type Statement } from '../sql/index.ts'

/** Shapes of requests whose statements are kept, for each resource. */
const MAX_SHAPES = 500

/** Conditions of one request beside its query string. */
export interface ReadOptions {
  /** A condition in MikroORM's query language on the resource's own rows, ANDed to everything. */
  readonly scope?: object
  /** Also see rows that are marked as deleted. Default: false. */
  readonly includeDeleted?: boolean
  /** Handed to custom filters and hooks. */
  readonly context?: Readonly<Record<string, unknown>>
}

/** A statement, and what its records still need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
}

interface Shape {
  readonly statement: Statement
  readonly toWire: ToWire | undefined
}

const modelsByStorage = new WeakMap<object, Models>()

/** The models of the ORM behind an EntityManager: one set for all resources. */
function modelsOf (em: EntityManager): Models {
  const metadata = em.getMetadata()
  let models = modelsByStorage.get(metadata)
  if (models === undefined) modelsByStorage.set(metadata, models = new Models(metadata, em.getPlatform()))
  return models
}

export class Resource {
  readonly model: EntityModel
  readonly whitelist: Whitelist
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES })
  /** Entities that a statement of this resource can touch: those whose MikroORM filters matter. */
  readonly #entities: readonly EntityModel[]

  /** @throws {ConfigError} when the configuration names what the entity doesn't have */
  constructor (em: EntityManager, entity: unknown, config: QueryBuilderConfig, name: string | undefined) {
    this.model = modelsOf(em).of(entity)
    this.whitelist = resolveWhitelist(config, this.model, name)
    this.#entities = reachable(this.whitelist)
  }

  /** The statement of a plan with the request's values, from the shapes seen before or compiled. */
  async compile (em: EntityManager, plan: Plan, options: ReadOptions): Promise<CompiledRead> {
    const filters = await this.#activeFilters(em)
    const ownWords = filters === undefined && options.scope === undefined && plan.customs.length === 0
    if (!ownWords) return this.#compileForeign(em, plan, options, filters ?? new Map())

    const key = shapeOf(plan)
    let shape = this.#shapes.get(key)
    if (shape === undefined) {
      const statement = compile(plan, { filter: () => undefined, conditions: () => [] })
      this.#shapes.set(key, shape = { statement, toWire: 'selection' in plan ? toWireOf(plan.selection) : undefined })
    }
    return bind(shape.statement, plan.values, shape.toWire)
  }

  /** With conditions in MikroORM's words, which may look at anything, each request has a statement of its own. */
  #compileForeign (em: EntityManager, plan: Plan, options: ReadOptions, filters: ReadonlyMap<EntityModel, object>): CompiledRead {
    const values = [...plan.values]
    const bindValue: Bind = (value) => values.push(value) - 1
    const statement = compile(plan, {
      filter: (model, alias) => {
        const where = filters.get(model)
        return where && filterSql(em, model, alias, where, bindValue)
      },
      conditions: (alias) => [
        options.scope && filterSql(em, plan.model, alias, options.scope, bindValue),
        ...plan.customs.map(({ callback, value }) => foreignSql(em, plan.model, alias, (qb) => narrow(callback, qb, value, { ...options.context, em }), bindValue)),
      ].filter((condition): condition is Sql => condition !== undefined),
    })
    return bind(statement, values, 'selection' in plan ? toWireOf(plan.selection) : undefined)
  }

  /** The plan as MikroORM's QueryBuilder, with everything that hides rows. */
  async query (em: EntityManager, plan: ListPlan, options: ReadOptions): Promise<QueryBuilder<any>> {
    const filters = await this.#activeFilters(em)
    const qb = em.createQueryBuilder(plan.model.entity as never, ROOT_ALIAS) as unknown as QueryBuilder<any>
    // the builder binds values itself: what our fragments need of it is put behind the plan's own
    const values = [...plan.values]
    const applied = applyPlan(qb, { ...plan, values }, (model, alias) => {
      const where = filters?.get(model)
      return where && filterSql(em, model, alias, where, (value) => values.push(value) - 1)
    })
    await applied.applyFilters()
    if (options.scope !== undefined) applied.andWhere(options.scope as never)
    return plan.customs.reduce((builder, { callback, value }) => narrow(callback, builder, value, { ...options.context, em }), applied)
  }

  /** The conditions of MikroORM's filters that are active for this EntityManager, by entity. */
  async #activeFilters (em: EntityManager): Promise<Map<EntityModel, object> | undefined> {
    let filters: Map<EntityModel, object> | undefined
    for (const model of this.#entities) {
      const where = await em.applyFilters(model.entity as never, undefined as never, {}, 'read') as object | undefined
      if (where !== undefined) (filters ??= new Map()).set(model, where)
    }
    return filters
  }
}

/** A callback that fails on the list of a repeated parameter takes one value: that is the client's mistake. */
function narrow (callback: Plan['customs'][number]['callback'], qb: any, value: string | readonly string[], context: CustomFilterContext): any {
  try {
    return callback(qb, value, context)
  } catch (cause) {
    if (typeof value === 'string') throw cause
    throw new FilterValidationError([{ code: 'FST_CRUD_FILTER_INVALID', detail: 'A filter that takes one value was given more than once.' }])
  }
}

function bind ({ text, slots }: Statement, values: readonly unknown[], toWire: ToWire | undefined): CompiledRead {
  return { text, values: slots.map((slot) => values[slot]), toWire }
}

/** The resource's entity and all that its whitelist leads to. */
function reachable ({ model, filters, sorts, includes, defaultOrder }: Whitelist): readonly EntityModel[] {
  const targets = [...filters.values()].flatMap((entry) => entry.kind === 'operators' ? entry.relations : [])
  const sorted = [...[...sorts.values()].flatMap((entry) => entry.targets), ...defaultOrder.map(({ target }) => target)]
  const relations = [...targets, ...sorted.flatMap((target) => target.relations), ...[...includes.values()].flatMap(pathOf)]
  return [...new Set([model, ...relations.map((relation) => relation.target)])]
}

function pathOf (entry: { relation: Selection['includes'][number]['relation'], parent?: unknown }): Selection['includes'][number]['relation'][] {
  const parent = entry.parent as typeof entry | undefined
  return parent === undefined ? [entry.relation] : [...pathOf(parent), entry.relation]
}
