/** The statements of a resource, kept by the shape of their plans. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { entitiesBehind, readConstant, toMikroOrm } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { entitiesOf, type AnyWritePlan, type Plan } from '../plan/index.ts'
import { toWireOf, type ToWire } from '../answer/index.ts'
import { distributionOf, mayRepeatKeys, PreparedText, type BoundStatement, type QueryCall } from '../run/index.ts'
import {
  compile,
  compileWrite,
  Constants,
  filterSql,
  formOf,
  keyOfForm,
  shapeOf,
  writeShapeOf,
  type Dialect,
  type Foreign,
  type Form,
  type Row,
  type Statement,
} from '../sql/index.ts'
import { NO_FILTERS, visibleBy } from './foreign.ts'
import { RowNumbers } from './row-numbers.ts'

/** Shapes whose statements are kept, for each resource. A shape has a statement for each form in which it is read. */
const MAX_SHAPES = 500

/** A statement, and the conversion that its records need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
  /** The form of a read. Absent for a write. */
  readonly form?: Form | undefined
  /** Notes the row of a list, for the forms of the next requests. */
  readonly noteRow?: ((row: Row) => void) | undefined
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
  readonly form: Form | undefined
  readonly noteRow: ((row: Row) => void) | undefined
}

/** The statements of one shape, by the keys of their forms. */
interface KeptShape {
  readonly rowNumbers: RowNumbers
  readonly statements: Map<string, KeptStatement>
}

export class Statements {
  /** Made for the first statement, because a cache reserves memory for all of them. */
  #shapes: LRUCache<string, KeptShape> | undefined

  /** The statement of a plan that contains all conditions of its request. */
  of (em: EntityManager, plan: Plan | AnyWritePlan): KeptStatement {
    const { rowNumbers, statements } = this.#shapeOf(isWrite(plan) ? writeShapeOf(plan) : shapeOf(plan))
    const form = isWrite(plan) ? undefined : formOf(plan, dialectOf(em), rowNumbers.areFew)
    const key = form === undefined ? '' : keyOfForm(form)
    let kept = statements.get(key)
    if (kept === undefined) statements.set(key, kept = keep(em, plan, form, rowNumbers))
    return kept
  }

  #shapeOf (key: string): KeptShape {
    this.#shapes ??= new LRUCache({ max: MAX_SHAPES })
    let shape = this.#shapes.get(key)
    if (shape === undefined) this.#shapes.set(key, shape = { rowNumbers: new RowNumbers(), statements: new Map() })
    return shape
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
  if (plan.kind !== 'get') return false
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
function keep (
  em: EntityManager,
  plan: Plan | AnyWritePlan,
  form: Form | undefined,
  rowNumbers: RowNumbers
): KeptStatement {
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
  const statement = isWrite(plan) ? compiledWrite(em, plan, foreign) : compile(plan, foreign, form)
  return {
    statement,
    constants,
    toWire: toWireOfPlan(plan),
    readOnly: !isWrite(plan),
    brief: form?.limits !== 'measured' && isBrief(plan),
    prepared: new PreparedText(statement.text, form?.isNamed !== false, statement.kept),
    behind,
    form,
    noteRow: plan.kind === 'list' ? (row) => rowNumbers.note(row, form!) : undefined,
  }
}

/** The statement with the values of one request. */
export function bindKept (
  { statement: { text, slots, columns }, constants, prepared, toWire, readOnly, brief, form, noteRow }: KeptStatement,
  values: readonly unknown[],
  call: QueryCall
): CompiledRead {
  const bound = constants.bind(slots, values)
  return { text, values: bound, columns, prepared, call, toWire, readOnly, brief, form, noteRow }
}

/**
 * A statement that is not kept.
 *
 * @param form of a read
 */
export function bindOnce (
  { text, slots, columns }: Statement,
  values: readonly unknown[],
  toWire: ToWire | undefined,
  form: Form | undefined,
  call: QueryCall
): CompiledRead {
  return { text, values: slots.map((slot) => values[slot]), columns, call, toWire, readOnly: form !== undefined, form }
}

/** The conversion that the records of a plan need. */
export function toWireOfPlan (plan: Plan | AnyWritePlan): ToWire | undefined {
  return 'selection' in plan ? toWireOf(plan.selection) : undefined
}
