/** The statements of a resource, kept by the shape of their plans. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { LRUCache } from 'lru-cache'
import { entitiesBehind, readConstant, toMikroOrm } from '../conditions/index.ts'
import type { EntityModel } from '../model/index.ts'
import { entitiesOf, type Plan, type ReadPlan, type WritePlan } from '../plan/index.ts'
import { toWireOf, toWireOfGroups, type ToWire } from '../answer/index.ts'
import {
  dialectOf, mayRepeatKeys, PreparedText, schemaOfUnaccent, type BoundStatement, type QueryOrigin,
} from '../run/index.ts'
import {
  compile, compileAnyWrite, Constants, filterSql, formOf, isSameForm, isSameWriteForm, shapeFactsOf, shapeOf,
  showsComputed, showsRelated, writeShapeOf, type Foreign, type Form, type Row, type ShapeFacts, type Statement,
  type WriteForm,
} from '../sql/index.ts'
import { plannedOnly, visibleBy } from './foreign.ts'
import { NO_FILTERS, type ActiveFilters } from './request-conditions.ts'
import { RowNumbers } from './row-numbers.ts'

/**
 * Shapes of reads, and as many of writes, whose statements are kept for each resource. A shape has a statement for each
 * form in which it is read.
 */
const MAX_SHAPES = 500

/** The statement of a read, and the conversion that its records need. */
export interface CompiledRead extends BoundStatement {
  readonly toWire: ToWire | undefined
  readonly form: Form
  /** Notes the row of a list, for the forms of the next requests. */
  readonly noteRow?: ((row: Row) => void) | undefined
}

/** The statement of all plans of one shape. */
interface KeptStatement {
  readonly statement: Statement
  readonly constants: Constants
  readonly prepared: PreparedText
  /** Entities that conditions of the configuration lead to. Their filters cannot be added to a kept statement. */
  readonly behind: ReadonlySet<EntityModel>
}

interface KeptRead extends KeptStatement, Pick<CompiledRead, 'toWire' | 'form'> {
  readonly shareable: boolean
  readonly noteRow: ((row: Row) => void) | undefined
}

/** Writes return records of their resource, which knows the conversion. */
interface KeptWrite extends KeptStatement {
  readonly readOnly: boolean
}

/** The statements of one shape. There are few, one for each form. */
class KeptForms<AnyForm, Kept extends KeptStatement> {
  readonly #isSame: (one: AnyForm, other: AnyForm) => boolean
  readonly #kept: { readonly form: AnyForm, readonly statement: Kept }[] = []

  constructor (isSame: (one: AnyForm, other: AnyForm) => boolean) {
    this.#isSame = isSame
  }

  find (form: AnyForm): Kept | undefined {
    for (const kept of this.#kept) if (this.#isSame(kept.form, form)) return kept.statement
    return undefined
  }

  add (form: AnyForm, statement: Kept): Kept {
    this.#kept.push({ form, statement })
    return statement
  }
}

/** What is kept for the reads of one shape. */
class KeptReads {
  readonly forms = new KeptForms<Form, KeptRead>(isSameForm)
  readonly rowNumbers = new RowNumbers()
  readonly facts: ShapeFacts

  constructor (plan: ReadPlan) {
    this.facts = shapeFactsOf(plan)
  }
}

/** A cache with an entry for each shape. The shapes that were used least recently go first. */
class KeptShapes<Of extends Plan, Kept extends object> {
  readonly #make: (plan: Of) => Kept
  /** Made for the first shape, because a cache reserves memory for all of them. */
  #shapes: LRUCache<string, Kept> | undefined

  constructor (make: (plan: Of) => Kept) {
    this.#make = make
  }

  /** @param key that of the plan's shape */
  of (key: string, plan: Of): Kept {
    this.#shapes ??= new LRUCache({ max: MAX_SHAPES })
    let shape = this.#shapes.get(key)
    if (shape === undefined) this.#shapes.set(key, shape = this.#make(plan))
    return shape
  }
}

export class Statements {
  readonly #reads = new KeptShapes((plan: ReadPlan) => new KeptReads(plan))
  readonly #writes = new KeptShapes(() => new KeptForms<WriteForm, KeptWrite>(isSameWriteForm))

  /** The statement of a read whose plan contains all conditions of its request. */
  read (em: EntityManager, plan: ReadPlan): KeptRead {
    const { forms, rowNumbers, facts } = this.#reads.of(shapeOf(plan), plan)
    const form = formOf(plan, dialectOf(em), rowNumbers, facts)
    return forms.find(form) ?? forms.add(form, keepRead(em, plan, form, rowNumbers))
  }

  /** The statement of a write whose plan contains all conditions of its request. */
  write (em: EntityManager, plan: WritePlan): KeptWrite {
    const forms = this.#writes.of(writeShapeOf(plan), plan)
    const form = writeFormOf(em, plan.model)
    return forms.find(form) ?? forms.add(form, keepWrite(em, plan, form))
  }
}

/** Whether a plan reads one row by its key, and nothing whose cost depends on other rows. */
function looksUpOneRecord (plan: ReadPlan): boolean {
  return plan.kind === 'get' && !showsRelated(plan.selection) && !showsComputed(plan)
}

/** The form of writes, by what is known of the server now. It may have been asked again since migrations changed it. */
export const writeFormOf = (em: EntityManager, { table }: EntityModel): WriteForm => ({
  dialect: dialectOf(em),
  keysRepeat: mayRepeatKeys(em, table),
})

function keepRead (em: EntityManager, plan: ReadPlan, form: Form, rowNumbers: RowNumbers): KeptRead {
  const { foreign, ...kept } = foreignToKeep(em, plannedOnly(entitiesOf(plan)))
  const statement = compile(plan, foreign, form)
  return {
    ...kept,
    statement,
    toWire: toWireOfPlan(plan),
    shareable: form.limits !== 'measured' && looksUpOneRecord(plan),
    prepared: new PreparedText(statement.text, form.isNamed, statement.namedText),
    form,
    noteRow: plan.kind === 'list' ? (row) => rowNumbers.note(row, form) : undefined,
  }
}

function keepWrite (em: EntityManager, plan: WritePlan, form: WriteForm): KeptWrite {
  const { foreign, ...kept } = foreignToKeep(em)
  const statement = compileAnyWrite(plan, foreign, form)
  const isMany = plan.kind === 'many'
  return {
    ...kept,
    statement,
    readOnly: isMany && plan.does === 'count',
    // a bulk change is planned for the values of each run, as a list is: one plan for all values may read the whole
    // table for a few rows
    prepared: new PreparedText(statement.text, !isMany || statement.namedText !== undefined, statement.namedText),
  }
}

interface ForeignToKeep extends Pick<KeptStatement, 'constants' | 'behind'> {
  readonly foreign: Foreign
}

/**
 * The compilers for a statement to keep. Conditions of the configuration are part of it, with their values.
 *
 * @param filter for entities whose filters the plan does not contain. Absent for writes, whose plans contain all
 */
function foreignToKeep (em: EntityManager, filter?: Foreign['filter']): ForeignToKeep {
  const constants = new Constants()
  const behind = new Set<EntityModel>()
  const foreign: Foreign = {
    filter,
    // not a part of the key: the server of a resource's ORM is asked for it once
    unaccent: () => schemaOfUnaccent(em),
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
  return { foreign, constants, behind }
}

/**
 * The statement with the values of one request, unless conditions of the configuration lead to rows that are filtered.
 */
export function bindRead (
  kept: KeptRead,
  values: readonly unknown[],
  filters: ActiveFilters,
  origin: QueryOrigin
): CompiledRead | undefined {
  if (leadsToFiltered(kept, filters)) return undefined
  const { statement: { text, slots, columns }, constants, prepared, toWire, shareable, form, noteRow } = kept
  const bound = constants.bind(slots, values)
  return { text, values: bound, columns, prepared, origin, toWire, readOnly: true, shareable, form, noteRow }
}

/** The same for a write. */
export function bindWrite (
  kept: KeptWrite,
  values: readonly unknown[],
  filters: ActiveFilters,
  origin: QueryOrigin
): BoundStatement | undefined {
  if (leadsToFiltered(kept, filters)) return undefined
  const { statement: { text, slots, columns }, constants, prepared, readOnly } = kept
  return { text, values: constants.bind(slots, values), columns, prepared, origin, readOnly }
}

function leadsToFiltered ({ behind }: KeptStatement, filters: ActiveFilters): boolean {
  if (behind.size > 0) { for (const model of filters.keys()) if (behind.has(model)) return true }
  return false
}

/** A statement that is not kept. */
export function bindOnce (
  { text, slots, columns }: Statement,
  values: readonly unknown[],
  origin: QueryOrigin
): BoundStatement {
  return { text, values: slots.map((slot) => values[slot]), columns, origin }
}

/** The conversion that the records of a read need. */
export function toWireOfPlan (plan: ReadPlan): ToWire | undefined {
  if (plan.kind === 'aggregate') return toWireOfGroups(plan)
  return 'selection' in plan ? toWireOf(plan.selection) : undefined
}
