/** The statements of a resource, kept by the shape of their plans. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { entitiesBehind, readConstant, toMikroOrm } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { entitiesOf, mayGather, type AnyWritePlan, type Plan } from '../plan/index.ts'
import { toWireOf, type ToWire } from '../answer/index.ts'
import { distributionOf, mayRepeatKeys, PreparedText, type BoundStatement, type QueryCall } from '../run/index.ts'
import {
  compile,
  compileWrite,
  Constants,
  filterSql,
  shapeOf,
  writeShapeOf,
  type Dialect,
  type Foreign,
  type Statement,
} from '../sql/index.ts'
import { NO_FILTERS, visibleBy } from './foreign.ts'
import { Gathering } from './gathering.ts'

/** Statements that are kept, for each resource. A shape of filtered lists may have two: gathered and not. */
const MAX_SHAPES = 500

/** Kinds of plans whose number of rows depends on the values, and whose statements are not kept by the server. */
const MANY_ROWS: ReadonlySet<string> = new Set(['stream', 'records', 'count', 'estimate'])

/** A statement, and the conversion that its records need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
  /** Present if the statement gathers rows. It has no answer if there are too many. */
  readonly gathering?: Gathering | undefined
}

/** The statement of all plans of one shape. */
export interface KeptStatement {
  readonly statement: Statement
  readonly constants: Constants
  readonly toWire: ToWire | undefined
  readonly prepared: PreparedText
  readonly readOnly: boolean
  readonly brief: boolean
  /** Entities that conditions of the configuration lead to. Their filters cannot be added to a kept statement. */
  readonly behind: ReadonlySet<EntityModel>
  readonly gathering: Gathering | undefined
}

export class Statements {
  /** Made for the first statement, because a cache reserves memory for all of them. */
  #kept: LRUCache<string, KeptStatement> | undefined

  /**
   * The statement of a plan that contains all conditions of its request. It gathers the rows of a page if the plan
   * permits it and it is time to try.
   */
  of (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
    if (plan.kind === 'list' && plan.gathered === undefined && mayGather(plan) && dialectOf(em) === 'postgresql') {
      const kept = this.#ofShape(em, { ...plan, gathered: true })
      if (kept.gathering!.isDue()) return kept
    }
    return this.#ofShape(em, plan)
  }

  #ofShape (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
    const key = isWrite(plan) ? writeShapeOf(plan) : shapeOf(plan)
    this.#kept ??= new LRUCache({ max: MAX_SHAPES })
    let kept = this.#kept.get(key)
    if (kept === undefined) this.#kept.set(key, kept = keep(em, plan))
    return kept
  }
}

/** Whether statements of each kind of plan write. A statement that only reads may be sent again. */
const WRITES: { readonly [Kind in (Plan | AnyWritePlan)['kind']]: Kind extends AnyWritePlan['kind'] ? true : false } = {
  list: false,
  keyset: false,
  stream: false,
  records: false,
  get: false,
  count: false,
  estimate: false,
  exists: false,
  insert: true,
  update: true,
  delete: true,
}

const isWrite = (plan: Plan | AnyWritePlan): plan is AnyWritePlan => WRITES[plan.kind]

/** Whether a plan reads one row by its key, and nothing whose cost depends on other rows. */
function isBrief (plan: Plan | AnyWritePlan): boolean {
  if (plan.kind !== 'get' || plan.weighed === true) return false
  const { properties, includes, aggregates } = plan.selection
  return includes.length === 0 && aggregates.length === 0 &&
    properties.every((property) => property.kind !== 'scalar' || property.formula === undefined)
}

/** The form of writes for the server of an EntityManager. */
export const dialectOf = (em: EntityManager): Dialect => distributionOf(em) === undefined ? 'postgresql' : 'distributed'

/** The statement of a write in the form for the server of an EntityManager. */
export function compiledWrite (em: EntityManager, plan: AnyWritePlan, foreign: Foreign): Statement {
  return compileWrite(plan, foreign, dialectOf(em), mayRepeatKeys(em, plan.model.table))
}

/** Compiles a statement to keep. Conditions of the configuration are part of it, with their values. */
function keep (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
  const constants = new Constants()
  const behind = new Set<EntityModel>()
  const known = isWrite(plan) ? undefined : new Set(entitiesOf(plan))
  const foreign: Foreign = {
    filter: (model) => {
      // the statement would use an entity without its filters
      if (known?.has(model) === false) throw new TypeError(`The filters of ${model.name} are not planned.`)
      return undefined
    },
    conditions: () => [],
    order: () => {
      throw new TypeError('a custom sort is compiled for each request')
    },
    constant: (where, model, alias) => {
      const condition = readConstant(where, model)
      for (const entity of entitiesBehind(condition)) behind.add(entity)
      return filterSql(
        em,
        model,
        alias,
        toMikroOrm(condition, visibleBy(NO_FILTERS)),
        (value) => constants.add(value)
      )
    },
  }
  const dialect = dialectOf(em)
  const statement = isWrite(plan) ? compiledWrite(em, plan, foreign) : compile(plan, foreign, dialect)
  return {
    statement,
    constants,
    toWire: toWireOfPlan(plan),
    readOnly: !isWrite(plan),
    brief: isBrief(plan),
    prepared: preparedOf(plan, statement, dialect),
    behind,
    gathering: plan.kind === 'list' && plan.gathered === true ? new Gathering() : undefined,
  }
}

/**
 * Which form of a statement the server may keep. One plan suits a statement of single records for all values. Lists are
 * planned for the values of each run. A distributed server always does that, and may not accept the form that asks for
 * it.
 */
function preparedOf ({ kind }: Plan | AnyWritePlan, { text, kept }: Statement, dialect: Dialect): PreparedText {
  return kept === undefined
    ? new PreparedText(text, !MANY_ROWS.has(kind) && !(kind === 'keyset' && dialect === 'distributed'))
    : new PreparedText(text, dialect !== 'distributed', kept)
}

/** The statement with the values of one request. */
export function bindKept (
  { statement: { text, slots, columns }, constants, prepared, toWire, readOnly, brief, gathering }: KeptStatement,
  values: readonly unknown[],
  call: QueryCall
): CompiledRead {
  return { text, values: constants.bind(slots, values), columns, prepared, call, toWire, readOnly, brief, gathering }
}

/** A statement that is not kept. */
export function bindOnce (
  { text, slots, columns }: Statement,
  values: readonly unknown[],
  toWire: ToWire | undefined,
  readOnly: boolean,
  call: QueryCall
): CompiledRead {
  return { text, values: slots.map((slot) => values[slot]), columns, call, toWire, readOnly }
}

/** The conversion that the records of a plan need. */
export function toWireOfPlan (plan: Plan | AnyWritePlan): ToWire | undefined {
  return 'selection' in plan ? toWireOf(plan.selection) : undefined
}
