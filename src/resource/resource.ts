/** A CRUD class bound to an ORM: its names are looked up, and its statements are kept by shape. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { whitelistFor, writableFor, type Actor, type Role } from '../access/index.ts'
import { ALL_ROWS, entitiesBehind } from '../conditions/index.ts'
import {
  QueryBuilderConfig, type BodyKind, type QueryOperation, type UpsertKeysConfig, type WritableConfig,
} from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import {
  entitiesOf, isCustomTerm, planEstimate, planPrevious, planSelection, QueryErrors, relationsOfWhitelist,
  resolveUpsertKeys, resolveWhitelist, resolveWritable, upsertKeysFor, withConditions, withTranslated, type ListPlan,
  type ManyTarget, type OwnedChildren, type ReadPlan, type Selection, type UpsertKey, type Whitelist, type Writable,
  type WritePlan,
} from '../plan/index.ts'
import { toWireOf, type ToWire } from '../answer/index.ts'
import {
  dialectOf, enterStage, isUnaccentKnown, originsOf, type BoundStatement, type QueryOrigin,
} from '../run/index.ts'
import { compile, compileAnyWrite, formOf } from '../sql/index.ts'
import { wait, type Steps } from '../base/steps.ts'
import { activeFilters, switchedFilters } from './active-filters.ts'
import { checkEstimates, checkEstimatesOf } from './estimates.ts'
import { foreignOf, plannedOnly } from './foreign.ts'
import {
  NONE_SWITCHED, onlyBehind, ownConditions, type ActiveFilters, type ReadOptions, type RequestConditions,
  type SwitchedFilters,
} from './request-conditions.ts'
import { modelsOf } from './models.ts'
import { withRows } from './role-rows.ts'
import {
  bindOnce, bindRead, bindWrite, Statements, toWireOfPlan, writeFormOf, type CompiledRead,
} from './kept-statements.ts'
import { readScope } from './scope.ts'
import { knowUnaccent, sharedEmOf, type CrudSession } from './crud-session.ts'
import { checkConstants, checkFilters } from './whitelisted.ts'

/** The conditions of a read that depend on MikroORM's filters and on the role. */
export interface ReadFilters {
  /** The conditions on the rows that the statement reads. */
  readonly filters: ActiveFilters
  /** The filters that the request has switched on. */
  readonly switched: SwitchedFilters
}

/** The values before a write that after hooks get, and their conversion. */
interface PreviousValues {
  readonly selection: Selection
  readonly toWire: ToWire | undefined
}

/** What writes of a resource depend on, as the application wrote it. */
export interface WriteConfig {
  readonly writable: WritableConfig | undefined
  readonly upsertKeys: UpsertKeysConfig
  /** The names of the properties whose values before a write after hooks get. */
  readonly previous: readonly string[] | undefined
  /** Whether code of the application may fill in what bodies lack. */
  readonly fills: Readonly<Record<BodyKind, boolean>>
}

const NO_WHITELIST = new QueryBuilderConfig<object>({}) as QueryBuilderConfig
const NOTHING = { upsertKeys: [], previous: undefined, fills: { create: false, update: false } } as const

export class Resource {
  readonly model: EntityModel
  /** The whitelist as the application wrote it, without names that the role does not see. */
  readonly config: QueryBuilderConfig
  readonly whitelist: Whitelist
  /** Whether code of the application may fill in what bodies lack. */
  readonly fills: Readonly<Record<BodyKind, boolean>>
  /** The properties that bodies may set. */
  readonly writable: Writable
  /** The keys by which upserts may find records. */
  readonly upsertKeys: readonly UpsertKey[]
  /** The selection of a record without `fields` and `include`. */
  readonly selection: Selection
  /** The conversion of such records after they were read; `undefined` if they need none. */
  readonly toWire: ToWire | undefined
  /** The values before a write that after hooks get. */
  readonly previous: PreviousValues | undefined
  /** The entities that statements of this resource can use, and whose MikroORM filters may therefore apply. */
  readonly entities: readonly EntityModel[]
  /** The resources of the children that bodies write with their parent. They have an empty whitelist. */
  readonly #children: ReadonlyMap<OwnedChildren, Resource>
  readonly #statements = new Statements()
  readonly #names: Set<string>
  /** The resource and operation of statements, for listeners of queries. */
  readonly #origins: Readonly<Record<QueryOperation, QueryOrigin>>

  /**
   * @param role the role that the resource is for. The configuration must fit the entity without the role.
   * @throws {ConfigError} when the configuration names a property that the entity does not have
   */
  constructor (
    em: EntityManager,
    entity: unknown,
    config: QueryBuilderConfig,
    name: string | undefined,
    { writable, upsertKeys, previous, fills }: WriteConfig,
    role?: Role
  ) {
    const model = modelsOf(em).of(entity)
    const called = name ?? model.tableName
    this.model = role === undefined ? model : role.view(model)
    this.config = role === undefined ? config : whitelistFor(config, this.model)
    this.#names = new Set([called])
    this.whitelist = namingRole(role, () => resolveWhitelist(this.config, this.model, this.#names))
    this.fills = fills
    this.writable = resolveWritable(
      role === undefined ? writable : writableFor(writable, this.model, role),
      this.model,
      (kind, child) => fills[kind] || role?.ruleOf(child.name)?.rows !== undefined,
      upsertKeys.length > 0
    )
    this.upsertKeys = resolveUpsertKeys(
      role === undefined ? upsertKeys : upsertKeysFor(upsertKeys, this.model),
      this.model
    )
    const owned = [this.writable.create, this.writable.update].flatMap((rules) => [...rules?.children.values() ?? []])
    this.#children = new Map(owned.map((children) => {
      const { relation: { target, publicName }, config } = children
      const written = { ...NOTHING, writable: config }
      return [children, new Resource(em, target.entity, NO_WHITELIST, `${called}.${publicName}`, written, role)]
    }))
    this.#origins = originsOf(called)
    const relations = relationsOfWhitelist(this.whitelist)
    this.entities = [
      ...new Set([
        this.model,
        ...relations.map(({ target }) => target),
        ...checkConstants(em, this.whitelist, relations),
      ]),
    ]
    checkFilters(em, this.entities)
    checkEstimatesOf(em, this.whitelist, role)
    this.selection = planSelection({ fields: [], fieldsByInclude: {}, include: [] }, this.whitelist, new QueryErrors())
    this.toWire = toWireOf(this.selection)
    const selection = previous && role === undefined
      ? planPrevious(`The resource of ${model.name}`, previous, model)
      : undefined
    this.previous = selection && { selection, toWire: toWireOf(selection) }
  }

  /**
   * Adds the name by which routes call the resource. Clients of these routes may use it in `fields[<name>]`. Methods
   * take the names of all routes.
   */
  addName (name: string): void {
    this.#names.add(name)
  }

  /** The resource of children that bodies write with their parent. */
  ofChildren (children: OwnedChildren): Resource {
    return this.#children.get(children)!
  }

  /** The resource and operation that a statement is run for. */
  originOf (operation: QueryOperation): QueryOrigin {
    return this.#origins[operation]
  }

  /**
   * Parses the conditions that a caller passes in addition to the query string.
   *
   * @param actor the role that the caller acts for
   * @throws {ScopeError} for a scope that is not certainly a condition
   */
  readConditions (options: ReadOptions, actor?: Actor): RequestConditions {
    return { scope: readScope(options, this.model), context: options.context, actor }
  }

  /** The statement of a plan with the request's values. The conditions are planned first, then the plan is compiled. */
  * prepare (
    session: CrudSession,
    plan: ReadPlan,
    conditions: RequestConditions,
    operation: QueryOperation
  ): Steps<CompiledRead> {
    const filters = yield * this.filtersOf(session, plan, conditions)
    return this.prepareWith(session, plan, conditions, operation, filters)
  }

  /** The conditions of MikroORM's filters and of the role's rows for a read. */
  * filtersOf (session: CrudSession, plan: ReadPlan, conditions: RequestConditions): Steps<ReadFilters> {
    if (this.whitelist.needsUnaccent && !isUnaccentKnown(sharedEmOf(session))) yield * knowUnaccent(session)
    enterStage('plan')
    const { actor, filtered } = conditions
    const entities = this.entitiesRead(plan)
    const asked = this.entitiesWithScope(filtered === false ? [] : entities, conditions)
    const active = yield * wait(activeFilters(session, asked))
    const own = filtered === false ? onlyBehind(active) : active
    const filters = actor === undefined ? own : yield * withRows(session, own, actor, entities)
    const switched = plan.customs.length === 0 ? NONE_SWITCHED : yield * wait(switchedFilters(session, plan))
    return { filters, switched }
  }

  /** The entities whose rows a plan reads. */
  entitiesRead (plan: ReadPlan | ManyTarget): readonly EntityModel[] {
    return hasCallbacks(plan) ? this.entities : entitiesOf(plan)
  }

  /** The same statement, given the conditions of MikroORM's filters and of the role's rows. It waits for nothing. */
  prepareWith (
    session: CrudSession,
    plan: ReadPlan,
    conditions: RequestConditions,
    operation: QueryOperation,
    given: ReadFilters
  ): CompiledRead {
    const origin = this.#origins[operation]
    const { filters } = given
    enterStage('plan')
    if (plan.kind === 'list' && plan.window.count === 'planned') this.#checkEstimate(plan, conditions, filters)
    // only MikroORM can compile callbacks, and conditions without a translation
    const complete = hasCallbacks(plan) ? undefined : withConditions(plan, ownConditions(conditions), filters)
    enterStage('compile')
    const kept = complete && this.#statements.read(sharedEmOf(session), complete)
    const statement = (kept && bindRead(kept, complete.values, filters, origin)) ??
      this.#compileOnce(session, plan, conditions, given, origin)
    enterStage()
    return statement
  }

  /**
   * Refuses an estimate that reveals hidden rows. It covers conditions that are not known at start-up: a scope that the
   * application's code passes, and filters that are added or switched on later.
   */
  #checkEstimate (plan: ListPlan, { scope = [] }: RequestConditions, filters: ActiveFilters): void {
    if (scope.length > 0) checkEstimates(`The resource of ${this.model.name}`, this.whitelist, 'a scope')
    if (filters.size === 0) return
    if (this.entitiesRead(planEstimate(plan)).some((model) => filters.has(model))) {
      checkEstimates(`The resource of ${this.model.name}`, this.whitelist, 'a MikroORM filter')
    }
  }

  /**
   * The statement of a read for one request, of which MikroORM compiles a part. The plan gets those parts of the scope
   * that have a translation: included rows then have the values that they share with the scope, as in a kept statement.
   */
  #compileOnce (
    session: CrudSession,
    own: ReadPlan,
    conditions: RequestConditions,
    { filters, switched }: ReadFilters,
    origin: QueryOrigin
  ): CompiledRead {
    const { plan, rest } = withTranslated(own, conditions.scope ?? ALL_ROWS)
    const left = { ...conditions, scope: rest.length === 0 ? undefined : rest }
    const values = [...plan.values]
    const form = formOf(plan, dialectOf(sharedEmOf(session)))
    const foreign = foreignOf(session, plan, left, filters, values, switched)
    const filter = plannedOnly(this.entitiesWithScope(this.entitiesRead(plan), conditions), foreign.filter)
    const bound = bindOnce(compile(plan, { ...foreign, filter }, form), values, origin)
    return { ...bound, readOnly: true, toWire: toWireOfPlan(plan), form }
  }

  /** The statement of a write with the request's values, also planned first and then compiled. */
  prepareWrite (
    session: CrudSession,
    plan: WritePlan,
    conditions: RequestConditions,
    filters: ActiveFilters,
    operation: QueryOperation,
    switched: SwitchedFilters = NONE_SWITCHED
  ): BoundStatement {
    const origin = this.#origins[operation]
    const isInsert = plan.kind === 'insert'
    enterStage('plan')
    const customs = plan.kind === 'many' ? plan.customs : []
    const complete = (isInsert && plan.rows.length > 1) || customs.length > 0
      ? undefined
      : withConditions(plan, isInsert ? undefined : ownConditions(conditions), filters, conditions.inside)
    enterStage('compile')
    const kept = complete && this.#statements.write(sharedEmOf(session), complete)
    let statement: BoundStatement | undefined = kept && bindWrite(kept, complete.values, filters, origin)
    if (statement === undefined) {
      const values = [...plan.values]
      const foreign = foreignOf(session, { model: plan.model, customs }, conditions, filters, values, switched)
      const form = writeFormOf(sharedEmOf(session), plan.model)
      statement = bindOnce(compileAnyWrite(plan, foreign, form), values, origin)
    }
    enterStage()
    return statement
  }

  /** The entities of a statement and those that the scope leads to. */
  entitiesWithScope (entities: readonly EntityModel[], { scope }: RequestConditions): readonly EntityModel[] {
    if (scope === undefined) return entities
    const behind = entitiesBehind(scope)
    return behind.size === 0 ? entities : [...new Set([...entities, ...behind])]
  }
}

/** Names the role in a mistake that only its view of the whitelist has, such as a default for what it does not see. */
function namingRole (role: Role | undefined, resolve: () => Whitelist): Whitelist {
  try {
    return resolve()
  } catch (error) {
    if (role === undefined || !(error instanceof ConfigError)) throw error
    throw new ConfigError(`access: the role '${role.name}': ${error.message}`, { cause: error })
  }
}

/** Whether a plan contains callbacks of the application, which may use any entity. */
const hasCallbacks = (plan: ReadPlan | ManyTarget): boolean =>
  plan.customs.length > 0 || ((plan.kind === 'list' || plan.kind === 'stream') && plan.order.some(isCustomTerm))
