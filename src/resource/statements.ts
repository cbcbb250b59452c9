/** The statements of a resource, kept by the shape of their plans. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { entitiesBehind, readConstant, toMikroOrm } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { entitiesOf, type AnyWritePlan, type Plan } from '../plan/index.ts'
import { Prepared, toWireOf, type BoundStatement, type QueryCall, type ToWire } from '../run/index.ts'
import {
  compile,
  compileWrite,
  Constants,
  filterSql,
  shapeOf,
  writeShapeOf,
  type Foreign,
  type Statement,
} from '../sql/index.ts'
import { NO_FILTERS, visibleBy } from './foreign.ts'

/** Shapes of requests whose statements are kept, for each resource. */
const MAX_SHAPES = 500

/**
 * What finds as many rows as the values say. PostgreSQL would keep a plan for it that serves none of them well: 3.8 times
 * the server's time for a rare value was seen.
 */
const MANY_ROWS: ReadonlySet<string> = new Set(['list', 'keyset', 'stream', 'records', 'count', 'estimate'])

/** A statement, and what its records still need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
}

/** The statement of all plans of one shape. */
export interface KeptStatement {
  readonly statement: Statement
  readonly constants: Constants
  readonly toWire: ToWire | undefined
  readonly prepared: Prepared
  readonly readOnly: boolean
  /** Entities that the application's own conditions lead to: their filters can't be added to a statement that is kept. */
  readonly behind: ReadonlySet<EntityModel>
}

export class Statements {
  readonly #kept = new LRUCache<string, KeptStatement>({ max: MAX_SHAPES })

  /** The statement of a plan that knows all that holds for its request. */
  of (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
    const key = isWrite(plan) ? writeShapeOf(plan) : shapeOf(plan)
    let kept = this.#kept.get(key)
    if (kept === undefined) this.#kept.set(key, kept = keep(em, plan))
    return kept
  }
}

const isWrite = (plan: Plan | AnyWritePlan): plan is AnyWritePlan =>
  plan.kind === 'insert' || plan.kind === 'update' || plan.kind === 'delete'

/** What the application has put into it is the same for every request: it is compiled with it, and its values are kept. */
function keep (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
  const constants = new Constants()
  const behind = new Set<EntityModel>()
  const known = isWrite(plan) ? undefined : new Set(entitiesOf(plan))
  const foreign: Foreign = {
    filter: (model) => {
      // a statement that reads more than was planned would miss filters
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
  const statement = isWrite(plan) ? compileWrite(plan, foreign) : compile(plan, foreign)
  return {
    statement,
    constants,
    toWire: toWireOfPlan(plan),
    readOnly: !isWrite(plan),
    prepared: new Prepared(statement.text, !MANY_ROWS.has(plan.kind)),
    behind,
  }
}

/** The statement with the values of one request. */
export function bindKept (
  { statement: { text, slots, columns }, constants, prepared, toWire, readOnly }: KeptStatement,
  values: readonly unknown[],
  call: QueryCall
): CompiledRead {
  return { text, values: constants.bind(slots, values), columns, prepared, call, toWire, readOnly }
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

/** What the records of a plan still need. */
export function toWireOfPlan (plan: Plan | AnyWritePlan): ToWire | undefined {
  return 'selection' in plan ? toWireOf(plan.selection) : undefined
}
