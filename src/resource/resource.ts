/** A CRUD class that has met its ORM: names looked up, statements kept by shape. */
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import type { QueryBuilderConfig, WritableConfig } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import {
  isCustomTerm,
  planSelection,
  QueryErrors,
  resolveWhitelist,
  resolveWritable,
  withConditions,
  type AnyWritePlan,
  type KeysetPlan,
  type ListPlan,
  type Plan,
  type Selection,
  type Whitelist,
  type Writable,
} from '../plan/index.ts'
import { callsOf, toWireOf, type QueryCall, type QueryOperation, type ToWire } from '../run/index.ts'
import { applyPlan, compile, compileWrite, entitiesBehind, guarded, ROOT_ALIAS } from '../sql/index.ts'
import { activeFilters, switchedFilters } from './active-filters.ts'
import { filtersOfEntity } from './entity-filters.ts'
import { checkEstimates } from './estimates.ts'
import {
  foreignOf,
  narrow,
  NO_FILTERS,
  NO_SCOPES,
  visibleBy,
  type ActiveFilters,
  type ReadOptions,
  type Scopes,
} from './foreign.ts'
import { modelsOf } from './models.ts'
import { bindKept, bindOnce, Statements, toWireOfPlan, type CompiledRead, type KeptStatement } from './statements.ts'
import { checkScope } from './scope.ts'
import { sharedEmOf, type CrudSession, type Session } from './session.ts'
import { checkConditions, entitiesOfConditions, relationsOfWhitelist } from './whitelisted.ts'

/** What has to be known before a plan is compiled. */
export interface Needs {
  /** The statement of the plan alone, where its shape tells one. */
  readonly kept: KeptStatement | undefined
  /** Entities whose MikroORM filters matter. */
  readonly entities: readonly EntityModel[]
}

export class Resource {
  readonly model: EntityModel
  readonly whitelist: Whitelist
  /** What bodies may set. */
  readonly writable: Writable
  /** What a record shows when nothing is selected. */
  readonly selection: Selection
  /** What such records still need when they come from the database. */
  readonly toWire: ToWire | undefined
  readonly #statements = new Statements()
  /** What its statements are run for, as those are told who watch. */
  readonly #calls: Readonly<Record<QueryOperation, QueryCall>>
  /** Entities that a statement of this resource can touch: those whose MikroORM filters may matter. */
  readonly #entities: readonly EntityModel[]

  /** @throws {ConfigError} when the configuration names what the entity doesn't have */
  constructor (
    em: EntityManager,
    entity: unknown,
    config: QueryBuilderConfig,
    name: string | undefined,
    writable: WritableConfig | undefined
  ) {
    this.model = modelsOf(em).of(entity)
    this.whitelist = resolveWhitelist(config, this.model, name)
    this.writable = resolveWritable(writable, this.model)
    this.#calls = callsOf(name ?? this.model.tableName)
    const relations = relationsOfWhitelist(this.whitelist)
    this.#entities = [
      ...new Set([
        this.model,
        ...relations.map(({ target }) => target),
        ...entitiesOfConditions(this.whitelist, relations),
      ]),
    ]
    checkConditions(em, this.whitelist, relations, this.#entities)
    if (filtersOfEntity(em, this.model.entity).some((filter) => filter.default)) {
      checkEstimates(`The resource of ${this.model.name}`, this.whitelist, 'a MikroORM filter')
    }
    this.selection = planSelection({ fields: [], fieldsByInclude: {}, include: [] }, this.whitelist, new QueryErrors())
    this.toWire = toWireOf(this.selection)
  }

  /** What a statement of an operation is run for. */
  callOf (operation: QueryOperation): QueryCall {
    return this.#calls[operation]
  }

  /** The statement of a plan with the request's values: one that is kept, or compiled for this request. */
  async compile (
    session: Session,
    plan: Plan,
    options: ReadOptions,
    operation: QueryOperation
  ): Promise<CompiledRead> {
    const needs = this.needsOf(session, plan, options)
    const active = await activeFilters(session, needs.entities)
    const switched = needs.kept === undefined ? await switchedFilters(session, plan) : NO_SCOPES
    return this.compileWith(session, plan, options, operation, needs, active, switched)
  }

  /** What has to be known before a plan is compiled. */
  needsOf (session: CrudSession, plan: Plan, options: ReadOptions): Needs {
    checkScope(options, this.model)
    // what a custom filter or sort looks at is not to be seen
    const kept = plan.customs.length > 0 || hasCustomOrder(plan)
      ? undefined
      : this.#statements.of(sharedEmOf(session), plan)
    const entities = options.filtered === false ? [] : kept?.entities ?? this.#entities
    return { kept, entities: this.entitiesOf(entities, options) }
  }

  /**
   * The statement of a plan when all that holds for its request is known.
   *
   * @param active the conditions of MikroORM's filters, of the entities that the plan needs
   * @param switched those of filters that the request has switched on
   */
  compileWith (
    session: CrudSession,
    plan: Plan,
    options: ReadOptions,
    operation: QueryOperation,
    needs: Needs,
    active: ActiveFilters,
    switched: Scopes
  ): CompiledRead {
    const call = this.#calls[operation]
    const filters = options.filtered === false ? NO_FILTERS : active
    if (plan.kind === 'list' && plan.window.count === 'planned') this.#checkEstimates(options, filters)
    const kept = needs.kept && this.#kept(session, plan, needs.kept, options.scope, filters, call)
    if (kept !== undefined) return kept
    const values = [...plan.values]
    return bindOnce(
      compile(plan, foreignOf(session, plan, options, filters, values, { scopes: switched, behind: active })),
      values,
      toWireOfPlan(plan),
      true,
      call
    )
  }

  #checkEstimates ({ scope = {} }: ReadOptions, filters: ActiveFilters): void {
    // a fragment of SQL is a symbol
    if (Reflect.ownKeys(scope).length > 0) {
      checkEstimates(`The resource of ${this.model.name}`, this.whitelist, 'a scope')
    }
    if (filters.size > 0) checkEstimates(`The resource of ${this.model.name}`, this.whitelist, 'a MikroORM filter')
  }

  /** The statement of a write, likewise. */
  compileWrite (
    session: CrudSession,
    plan: AnyWritePlan,
    options: ReadOptions,
    filters: ActiveFilters,
    operation: QueryOperation
  ): CompiledRead {
    const call = this.#calls[operation]
    const isInsert = plan.kind === 'insert'
    const kept = isInsert && plan.rows.length > 1
      ? undefined
      : this.#kept(session, plan, undefined, isInsert ? undefined : options.scope, filters, call)
    if (kept !== undefined) return kept
    const values = [...plan.values]
    return bindOnce(
      compileWrite(plan, foreignOf(session, { ...plan, customs: [] }, options, filters, values)),
      values,
      this.toWire,
      false,
      call
    )
  }

  /**
   * The statement that is kept for a plan and all that holds for its request, unless only MikroORM can say it in SQL.
   *
   * @param plain that of the plan alone, where it is at hand
   */
  #kept (
    session: CrudSession,
    plan: Plan | AnyWritePlan,
    plain: KeptStatement | undefined,
    scope: unknown,
    filters: ActiveFilters,
    call: QueryCall
  ): CompiledRead | undefined {
    const complete = withConditions(plan, scope, filters)
    if (complete === undefined) return undefined
    const kept = complete === plan && plain !== undefined ? plain : this.#statements.of(sharedEmOf(session), complete)
    for (const model of filters.keys()) if (kept.behind.has(model)) return undefined
    return bindKept(kept, complete.values, call)
  }

  /** Entities that a statement touches, with those that the scope leads to. */
  entitiesOf (entities: readonly EntityModel[], { scope }: ReadOptions): readonly EntityModel[] {
    const behind = scope === undefined ? undefined : entitiesBehind(scope, this.model)
    return behind === undefined || behind.size === 0 ? entities : [...new Set([...entities, ...behind])]
  }

  /** The plan as MikroORM's QueryBuilder, with everything that hides rows. */
  async query (em: EntityManager, plan: ListPlan | KeysetPlan, options: ReadOptions): Promise<QueryBuilder<any>> {
    checkScope(options, this.model)
    const filters = await activeFilters(em, this.entitiesOf(this.#entities, options))
    const qb = em.createQueryBuilder(plan.model.entity as never, ROOT_ALIAS) as unknown as QueryBuilder<any>
    // the builder binds values itself: what our fragments need of it is put behind the plan's own
    const values = [...plan.values]
    const applied = applyPlan(qb, { ...plan, values }, foreignOf(em, plan, options, filters, values))
    await applied.applyFilters()
    if (options.scope !== undefined) applied.andWhere(guarded(options.scope, plan.model, visibleBy(filters)) as never)
    const scopes = await switchedFilters(em, plan)
    return plan.customs.reduce((builder, custom) =>
      custom.kind === 'scope'
        ? builder.andWhere(scopes.get(custom)! as never) as typeof builder
        : narrow(custom, builder, { ...options.context, em }), applied)
  }
}

const hasCustomOrder = (plan: Plan): boolean =>
  (plan.kind === 'list' || plan.kind === 'stream') && plan.order.some(isCustomTerm)
