/**
 * The shape of a plan: everything that its SQL depends on beside its form, and nothing else. Plans of one resource with
 * the same shape and form have the same statement and differ only in the bound values. The compilers get only the shape
 * and the form, so that they cannot read what is not in the key.
 */
import { OPERATOR_NAMES, operatorFormOf, OPERATORS, type OperatorEntry, type OperatorForm } from '../operators/index.ts'
import {
  firstTypeOf, isCustomTerm, type AggregatePlan, type Assignment, type CheckedRows, type Condition, type DeleteEachPlan,
  type DeletePlan, type GetPlan, type InsertPlan, type UpdateEachPlan, type PlannedInclude, type KeysetPlan,
  type ListPlan, type ManyPlan, type OrderTerm, type Plan, type RecordsPlan, type ReferenceCheck, type Selection,
  type ToldRow, type UpdatePlan, type CustomTerm, type CountPlan, type Place, type StreamPlan, type UpsertManyPlan,
  type UpsertPlan, type WriteTarget,
} from '../plan/index.ts'

const ids = new WeakMap<object, number>()
let lastId = 0

/** The shapes of selections and orders that plans share, computed on first use. */
const selectionShapes = new WeakMap<Selection, string>()
const orderShapes = new WeakMap<object, string>()

/** A number that identifies an object of the model or the whitelist. It is short and unique. */
export function idOf (object: object): number {
  let id = ids.get(object)
  if (id === undefined) ids.set(object, id = ++lastId)
  return id
}

/** What tells plans of one shape apart. The compiler does not get it. `formOf` has read what it says about the form. */
type Unread = 'values' | 'customs' | 'isDoubtful' | 'hasManyRows'

/** The parts of plans that the compiler gets, beside the form. Each of them is in the key. */
export type ListShape = Omit<ListPlan, Unread | 'window'>
export type KeysetShape = Omit<KeysetPlan, Unread | 'limit' | 'fingerprint' | 'place'> & {
  readonly place?: Omit<Place, 'texts'>,
}
export type GetShape = Omit<GetPlan, Unread>
export type CountShape = Omit<CountPlan, Unread>
export type StreamShape = Omit<StreamPlan, Unread>
export type RecordsShape = Omit<RecordsPlan, Unread>
export type AggregateShape = Omit<AggregatePlan, Unread | 'window' | 'maxBytes'>
export type Shape = ListShape | KeysetShape | GetShape | CountShape | StreamShape | RecordsShape | AggregateShape

/** How each part of a shape is written. It is an error of types to leave one out. */
type Writers<Of> = { readonly [Part in keyof Of]-?: (shape: Of) => unknown }

const found: Writers<Omit<CountShape, 'kind'>> = {
  model: ({ model }) => idOf(model),
  deleted: ({ deleted }) => deleted,
  conditions: ({ conditions }) => conditionsShape(conditions),
  filters: ({ filters }) => filtersShape(filters),
}
const answer: Writers<Omit<GetShape, 'kind'>> = {
  ...found,
  selection: ({ selection }) => selectionShape(selection),
  limits: ({ limits }) => limits === undefined ? '' : idOf(limits),
}
const count: Writers<CountShape> = { kind: ({ kind }) => kind, ...found }
const get: Writers<GetShape> = { kind: ({ kind }) => kind, ...answer }
const list: Writers<ListShape> = {
  kind: ({ kind }) => kind,
  ...answer,
  order: ({ order }) => orderShape(order),
  fetchSlot: ({ fetchSlot }) => fetchSlot,
  limitSlot: ({ limitSlot }) => limitSlot,
  offsetSlot: ({ offsetSlot }) => offsetSlot,
  facets: facetsShape,
}
const keyset: Writers<KeysetShape> = {
  kind: ({ kind }) => kind,
  ...answer,
  order: ({ order }) => orderShape(order),
  fetchSlot: ({ fetchSlot }) => fetchSlot,
  spare: ({ spare }) => spare,
  usualFetch: ({ usualFetch }) => usualFetch ?? '',
  // the text contains these values
  fixed: ({ fixed }) => fixed === undefined ? '' : JSON.stringify([...fixed]),
  place: ({ place }) => place === undefined ? '' : `${place.side}${place.inclusive}${place.slots.join()}`,
  witness: ({ witness }) => witness,
  facets: facetsShape,
}
const stream: Writers<StreamShape> = {
  kind: ({ kind }) => kind,
  ...answer,
  order: ({ order }) => orderShape(order),
  reads: ({ reads }) => reads,
}
const records: Writers<RecordsShape> = {
  kind: ({ kind }) => kind,
  ...answer,
  keysSlot: ({ keysSlot }) => keysSlot,
  columnSlots: ({ columnSlots }) => columnSlots.join(),
}

const aggregate: Writers<AggregateShape> = {
  kind: ({ kind }) => kind,
  ...found,
  groups: ({ groups }) => groups.map(idOf).join(),
  numbers: ({ numbers }) => numbers.map(idOf).join(),
  groupOrder: ({ groupOrder }) => groupOrder.map(({ by, descending }) => `${idOf(by)}${descending ? '-' : '+'}`).join(),
  limitSlot: ({ limitSlot }) => limitSlot,
  offsetSlot: ({ offsetSlot }) => offsetSlot,
}

const WRITERS: { readonly [Kind in Shape['kind']]: ReadonlyArray<(shape: never) => unknown> } = {
  list: Object.values(list),
  keyset: Object.values(keyset),
  stream: Object.values(stream),
  records: Object.values(records),
  get: Object.values(get),
  count: Object.values(count),
  estimate: Object.values(count),
  exists: Object.values(count),
  aggregate: Object.values(aggregate),
}

/**
 * The key of a shape. Custom filters and sorts have no shape, because their callbacks may depend on anything. A
 * shape has one statement for each form.
 */
export function shapeOf (shape: Shape): string {
  return keyOf(shape, WRITERS[shape.kind])
}

/** What tells writes of one shape apart. The compiler does not get it. */
type UnreadOfWrite = 'values'

/** The parts of the plans of writes that the compiler gets, beside the form. Each of them is in the key. */
export type InsertShape = Omit<InsertPlan, UnreadOfWrite>
export type UpdateShape = Omit<UpdatePlan, UnreadOfWrite>
export type DeleteShape = Omit<DeletePlan, UnreadOfWrite>
export type UpdateEachShape = Omit<UpdateEachPlan, UnreadOfWrite>
export type DeleteEachShape = Omit<DeleteEachPlan, UnreadOfWrite>
/** A write of new rows, or of one row. */
export type OneWriteShape = InsertShape | UpdateShape | DeleteShape
export type RowWriteShape = OneWriteShape | UpdateEachShape | DeleteEachShape
export type UpsertShape = Omit<UpsertPlan, UnreadOfWrite>
export type UpsertManyShape = Omit<UpsertManyPlan, UnreadOfWrite>
export type WriteShape = RowWriteShape | UpsertShape | UpsertManyShape

const returned: Writers<Pick<DeleteShape, 'model' | 'selection' | 'filters'>> = {
  model: ({ model }) => idOf(model),
  selection: ({ selection }) => selectionShape(selection),
  filters: ({ filters }) => filtersShape(filters),
}
const written: Writers<Omit<DeleteShape, 'kind' | keyof WriteTarget>> = {
  ...returned,
  references: ({ references }) => referencesShape(references),
  told: ({ told }) => toldShape(told),
}
const target: Writers<Omit<WriteTarget, 'key'>> = {
  conditions: ({ conditions }) => conditionsShape(conditions),
  deleted: ({ deleted }) => deleted,
  versions: ({ versions }) => versions ?? '',
}
const inside = ({ inside }: CheckedRows): string => inside === undefined ? '' : `>${conditionsShape(inside)}`
const insertion: Writers<InsertShape> = {
  kind: ({ kind }) => kind,
  ...written,
  inside,
  returnsKey: ({ returnsKey }) => returnsKey,
  columns: ({ columns }) => columns.map(columnShape).join(),
  recordset: ({ recordset }) => recordset === undefined ? '' : `${recordset.common},${recordset.rows}`,
  // of several rows, each list of slots has a statement
  rows: ({ rows }) => rows.map((row) => row.join()).join(';'),
  discriminator: ({ discriminator }) => discriminator === undefined ? '' : discriminator.slot,
}
const byKey: Writers<WriteTarget> = {
  ...target,
  // the first of the conditions
  key: () => '',
}
const update: Writers<UpdateShape> = {
  kind: ({ kind }) => kind,
  ...written,
  ...byKey,
  inside,
  assignments: ({ assignments }) => assignments.map((set) => `${columnShape(set)}=${set.slot}`).join(),
}
const upsert: Writers<UpsertShape> = {
  kind: ({ kind }) => kind,
  ...written,
  ...target,
  inside,
  on: ({ on }) => idOf(on),
  assignments: ({ assignments }) => assignments?.map((set) => `${columnShape(set)}=${set.slot}`).join() ?? '-',
  insert: ({ insert }) =>
    insert === undefined
      ? '-'
      : `${insert.columns.map(columnShape).join()}=${insert.slots.join()}:${referencesShape(insert.references)}:${
        insert.discriminator?.slot ?? ''
      }`,
}
const upsertMany: Writers<UpsertManyShape> = {
  kind: ({ kind }) => kind,
  ...written,
  ...target,
  inside,
  on: ({ on }) => idOf(on),
  columns: ({ columns }) => columns?.map(columnShape).join() ?? '-',
  assignments: ({ assignments }) => assignments?.map((set) => `${columnShape(set)}${set.own ? '!' : ''}`).join() ?? '-',
  given: ({ given }) => `${given.common},${given.rows}`,
  own: ({ own }) => own === undefined ? '' : `${own.common},${own.rows}`,
  count: ({ count }) => count,
}
const removal: Writers<DeleteShape> = { kind: ({ kind }) => kind, ...written, ...byKey }

/** A write of many rows returns no records. */
export type ManyShape = Omit<ManyPlan, UnreadOfWrite | 'customs'>

const many: Writers<ManyShape> = {
  kind: ({ kind }) => kind,
  does: ({ does }) => does,
  model: ({ model }) => idOf(model),
  deleted: ({ deleted }) => deleted,
  conditions: ({ conditions }) => conditionsShape(conditions),
  filters: ({ filters }) => filtersShape(filters),
  inside,
  fetchSlot: ({ fetchSlot }) => fetchSlot,
  assignments: ({ assignments }) => assignmentsShape(assignments),
  references: ({ references }) => references.map(referenceShape).join('&'),
  returnsKeys: ({ returnsKeys }) => returnsKeys,
}

const each: Writers<Omit<DeleteEachShape, 'kind'>> = {
  ...returned,
  conditions: ({ conditions }) => conditionsShape(conditions),
  deleted: ({ deleted }) => deleted,
  keys: ({ keys }) => keys.map(idOf).join(),
  rows: ({ rows }) => rows,
}
const removalOfEach: Writers<DeleteEachShape> = { kind: ({ kind }) => kind, ...each }
const updateOfEach: Writers<UpdateEachShape> = {
  kind: ({ kind }) => kind,
  ...each,
  inside,
  assignments: ({ assignments }) => assignments.map((set) => `${columnShape(set)}${set.always ? '' : '?'}`).join(),
  references: ({ references }) => references.map(idOf).join(),
}

const WRITERS_OF_WRITES: {
  readonly [Kind in (WriteShape | ManyShape)['kind']]: ReadonlyArray<(shape: never) => unknown>
} = {
  insert: Object.values(insertion),
  update: Object.values(update),
  delete: Object.values(removal),
  updateEach: Object.values(updateOfEach),
  deleteEach: Object.values(removalOfEach),
  many: Object.values(many),
  upsert: Object.values(upsert),
  upsertMany: Object.values(upsertMany),
}

/** The key of the shape of a write. */
export function writeShapeOf (shape: WriteShape | ManyShape): string {
  return keyOf(shape, WRITERS_OF_WRITES[shape.kind])
}

function keyOf (shape: Shape | WriteShape | ManyShape, writers: ReadonlyArray<(shape: never) => unknown>): string {
  let key = ''
  for (const write of writers) key += `${write(shape as never) as string}|`
  return key
}

const assignmentsShape = (assignments: readonly Assignment[]): string =>
  assignments.map((set) => `${columnShape(set)}=${set.slot}`).join()

const referencesShape = (references: readonly ReferenceCheck[]): string =>
  references.length === 0 ? '' : references.map(referenceShape).join('&')

function referenceShape ({ target, columns, slots, present }: ReferenceCheck): string {
  return `${idOf(target)}:${columns.join()}:${slots.join()}:${present?.join() ?? ''}`
}

/** The shape of what after hooks get. */
function toldShape (told: ToldRow | undefined): string {
  if (told === undefined) return ''
  const { whole, previous } = told
  return `${whole === undefined ? '' : idOf(whole)},${previous === undefined ? '' : idOf(previous)}`
}

/** The shape of a column, for a property that may have several. */
function columnShape ({ property, column }: Pick<Assignment, 'property' | 'column'>): string {
  return property.kind === 'scalar' ? String(idOf(property)) : `${idOf(property)}.${column}`
}

/** The shape of the entity filters of a plan. */
function filtersShape (filters: Plan['filters']): string {
  let shape = ''
  if (filters !== undefined) {
    for (const [model, conditions] of filters) shape += `|${idOf(model)}{${conditionsShape(conditions)}}`
  }
  return shape
}

/** The shape of facets. A condition that does not apply is one of the plan's, so that its place is enough. */
function facetsShape ({ facets, conditions }: Pick<ListShape, 'facets' | 'conditions'>): string {
  if (facets === undefined) return ''
  return facets.map(({ term, without, instead }) =>
    without.length === 0
      ? idOf(term)
      : `${idOf(term)}-${without.map((one) => conditions.indexOf(one)).join()}+${conditionsShape(instead)}`
  ).join('&')
}

function conditionsShape (conditions: readonly Condition[]): string {
  let shape = ''
  for (const condition of conditions) shape += `${conditionShape(condition)};`
  return shape
}

/**
 * Operators with the same SQL share a shape: `starts` and `ilike` differ only in the bound pattern. An operator may
 * have another form on arrays or ranges, with other SQL. Each form has the name of the first operator with its SQL.
 */
const SQL_NAMES = new Map<OperatorForm, string>()
for (const operator of OPERATOR_NAMES) {
  const entry: OperatorEntry = OPERATORS[operator]
  for (const [index, form] of [entry, entry.onArray, entry.onRange].entries()) {
    if (form === undefined) continue
    const same = [...SQL_NAMES].find(([other]) => other.value === form.value && other.sql === form.sql)
    SQL_NAMES.set(form, same?.[1] ?? `${operator}${index || ''}`)
  }
}

const sqlName = ({ operator, operand }: Extract<Condition, { kind: 'compare' }>): string =>
  SQL_NAMES.get(operatorFormOf(operator, firstTypeOf(operand)))!

function conditionShape (condition: Condition): string {
  switch (condition.kind) {
    case 'compare':
      return `${idOf(condition.operand)}${sqlName(condition)}${condition.slots.join()}${
        condition.unaccent === undefined ? '' : `'${condition.unaccent}`
      }`
    case 'null':
      return `${idOf(condition.operand)}${condition.negated ? '?!' : '?'}`
    case 'match':
      return `${idOf(condition.document)}@${condition.slot}`
    case 'key':
      return `${idOf(condition.column)}#${condition.slot}`
    case 'related':
      return `${idOf(condition.relation)}(${conditionsShape(condition.conditions)})`
    case 'any':
      return `|(${conditionsShape(condition.conditions)})`
    case 'all':
      return `&(${conditionsShape(condition.conditions)})`
    case 'unless':
      return `~(${conditionsShape(condition.conditions)})`
    case 'not':
      return `!(${conditionsShape(condition.conditions)})`
  }
}

/** The shape of a term. Callers never ask for the shape of a custom sort. */
function termShape (term: OrderTerm | CustomTerm): string {
  if (isCustomTerm(term)) throw new TypeError('a custom sort has no shape')
  const { relations, operand, column, texts, descending } = term
  return `${relations.map(idOf).join('.')}.${idOf(operand)}${column === undefined ? '' : `.${idOf(column)}`}${
    texts === undefined ? '' : `@${texts.join('@')}`
  }${descending ? '-' : '+'}`
}

function selectionShape (selection: Selection): string {
  let shape = selectionShapes.get(selection)
  if (shape === undefined) selectionShapes.set(selection, shape = makeSelectionShape(selection))
  return shape
}

function orderShape (order: ReadonlyArray<OrderTerm | CustomTerm>): string {
  let shape = orderShapes.get(order)
  if (shape === undefined) orderShapes.set(order, shape = order.map(termShape).join())
  return shape
}

function makeSelectionShape ({ properties, includes, aggregates }: Selection): string {
  return `${properties.map(idOf).join()}[${includes.map(includeShape).join()}|${aggregates.map(idOf).join()}]`
}

/**
 * Rules and aggregates are objects of the whitelist. Their numbers identify all that they say, including conditions.
 */
function includeShape ({ relation, selection, rules }: PlannedInclude): string {
  return `${idOf(relation)}${rules === undefined ? '' : `!${idOf(rules)}`}{${selectionShape(selection)}}`
}
