/**
 * The shape of a plan: everything that its SQL depends on beside its form, and nothing else. Plans of one resource with
 * the same shape and form have the same statement and differ only in the bound values. The compilers get only the shape
 * and the form, so that they cannot read what is not in the key.
 */
import { madeOnce } from '../base/made-once.ts'
import { OPERATOR_NAMES, operatorFormOf, OPERATORS, type OperatorEntry, type OperatorForm } from '../operators/index.ts'
import {
  firstTypeOf, isCustomTerm, type AggregatePlan, type Condition, type CountPlan, type CustomTerm, type GetPlan,
  type KeysetPlan, type ListPlan, type OrderTerm, type Place, type Plan, type PlannedInclude, type RecordsPlan,
  type Selection, type Slot, type StreamPlan,
} from '../plan/index.ts'

let lastId = 0

/** A number that identifies an object of the model or the whitelist. It is short and unique. */
export const idOf: (object: object) => number = madeOnce(() => ++lastId)

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
export type AggregateShape = Omit<AggregatePlan, Unread | 'window' | 'maxBytes' | 'isWhole'>
export type Shape = ListShape | KeysetShape | GetShape | CountShape | StreamShape | RecordsShape | AggregateShape

/**
 * How each part of a shape is written, beside its kind. It is an error of types to leave one out. A writer reads only
 * its part, so that shapes share writers. That of facets also reads the conditions that facets leave out.
 */
export type Writers<Of> = {
  readonly [Part in Exclude<keyof Of, 'kind'>]-?: (shape: Part extends 'facets' ? Of : Pick<Of, Part>) => unknown
}
export type AnyWriter = (shape: never) => unknown

/** The parts of all shapes that say which rows a statement is about. */
export const rowWriters: Writers<CountShape> = {
  model: ({ model }) => idOf(model),
  deleted: ({ deleted }) => deleted,
  conditions: ({ conditions }) => conditionsShape(conditions),
  filters: ({ filters }) => filtersShape(filters),
}
/** The same with the records that a statement returns. */
export const recordWriters: Writers<Omit<GetShape, 'limits'>> = {
  ...rowWriters,
  selection: ({ selection }) => selectionShape(selection),
}
const answer: Writers<GetShape> = {
  ...recordWriters,
  limits: ({ limits }) => limits === undefined ? '' : idOf(limits),
}
const list: Writers<ListShape> = {
  ...answer,
  order: ({ order }) => orderShape(order),
  fetchSlot: ({ fetchSlot }) => fetchSlot,
  limitSlot: ({ limitSlot }) => limitSlot,
  offsetSlot: ({ offsetSlot }) => offsetSlot,
  facets: facetsShape,
}
const keyset: Writers<KeysetShape> = {
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
  ...answer,
  order: ({ order }) => orderShape(order),
  reads: ({ reads }) => reads,
}
const records: Writers<RecordsShape> = {
  ...answer,
  keysSlot: ({ keysSlot }) => keysSlot,
  columnSlots: ({ columnSlots }) => columnSlots.join(),
}
const aggregate: Writers<AggregateShape> = {
  ...rowWriters,
  groups: ({ groups }) => groups.map(idOf).join(),
  numbers: ({ numbers }) => numbers.map(idOf).join(),
  groupOrder: ({ groupOrder }) => groupOrder.map(({ by, descending }) => `${idOf(by)}${descending ? '-' : '+'}`).join(),
  limitSlot: ({ limitSlot }) => limitSlot,
  offsetSlot: ({ offsetSlot }) => offsetSlot,
}

const WRITERS: { readonly [Kind in Shape['kind']]: readonly AnyWriter[] } = {
  list: Object.values(list),
  keyset: Object.values(keyset),
  stream: Object.values(stream),
  records: Object.values(records),
  get: Object.values(answer),
  count: Object.values(rowWriters),
  estimate: Object.values(rowWriters),
  exists: Object.values(rowWriters),
  aggregate: Object.values(aggregate),
}

/**
 * The key of a shape. Custom filters and sorts have no shape, because their callbacks may depend on anything. A
 * shape has one statement for each form.
 */
export function shapeOf (shape: Shape): string {
  return shapeKey(shape, WRITERS[shape.kind])
}

/** The key of a shape, by the writers of its kind. It begins with the kind. */
export function shapeKey (shape: { readonly kind: string }, writers: readonly AnyWriter[]): string {
  let key = `${shape.kind}|`
  for (const write of writers) key += `${write(shape as never) as string}|`
  return key
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

export function conditionsShape (conditions: readonly Condition[]): string {
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
    const same = [...SQL_NAMES].find(([other]) =>
      other.value === form.value && other.sql === form.sql && other.unaccented === form.unaccented
    )
    SQL_NAMES.set(form, same?.[1] ?? `${operator}${index || ''}`)
  }
}

/** `join` takes longer for a list of one than all else that is written of a condition. */
function slotsShape (slots: readonly Slot[]): string {
  let shape = ''
  for (const slot of slots) shape += `:${slot}`
  return shape
}

const sqlName = ({ operator, operand }: Extract<Condition, { kind: 'compare' }>): string =>
  SQL_NAMES.get(operatorFormOf(operator, firstTypeOf(operand)))!

/**
 * How each part of a condition, a term, a selection or an include is written. It is an error of types to leave one out,
 * because the compiler gets all of them.
 */
export type PartWriters<Of> = { readonly [Part in Exclude<keyof Of, 'kind'>]-?: (of: Of) => unknown }
type ConditionWriters = {
  readonly [Kind in Condition['kind']]: PartWriters<Extract<Condition, { readonly kind: Kind }>>
}

const inner = {
  conditions: ({ conditions }: { readonly conditions: readonly Condition[] }) => `(${conditionsShape(conditions)})`,
}
export const CONDITION_WRITERS: ConditionWriters = {
  compare: {
    operand: ({ operand }) => idOf(operand),
    operator: sqlName,
    // the colon keeps a slot apart from the number at the end of a form's name, such as `contains1`
    slots: ({ slots }) => slotsShape(slots),
    unaccent: ({ unaccent }) => unaccent === undefined ? '' : `'${unaccent}`,
  },
  null: { operand: ({ operand }) => `?${idOf(operand)}`, negated: ({ negated }) => negated ? '!' : '' },
  match: { document: ({ document }) => `${idOf(document)}@`, slot: ({ slot }) => slot },
  key: { column: ({ column }) => `${idOf(column)}#`, slot: ({ slot }) => slot },
  related: { relation: ({ relation }) => idOf(relation), ...inner },
  any: inner,
  all: inner,
  unless: inner,
  not: inner,
}
/** The beginnings of groups, which have the same parts. */
const SIGNS: { readonly [Kind in Condition['kind']]?: string } = { any: '|', all: '&', unless: '~', not: '!' }

type PartWriter = (of: never) => unknown
const CONDITION_PARTS: Readonly<Record<string, readonly PartWriter[]>> = Object.fromEntries(
  Object.entries(CONDITION_WRITERS).map(([kind, writers]) => [kind, Object.values(writers)])
)

const written = (of: unknown, writers: readonly PartWriter[], start: string): string => {
  let shape = start
  for (const write of writers) shape += write(of as never) as string
  return shape
}

const conditionShape = (condition: Condition): string =>
  written(condition, CONDITION_PARTS[condition.kind]!, SIGNS[condition.kind] ?? '')

const termWriters: PartWriters<OrderTerm> = {
  relations: ({ relations }) => `${relations.map(idOf).join('.')}.`,
  operand: ({ operand }) => idOf(operand),
  column: ({ column }) => column === undefined ? '' : `.${idOf(column)}`,
  texts: ({ texts }) => texts === undefined ? '' : `@${texts.join('@')}`,
  descending: ({ descending }) => descending ? '-' : '+',
}
const TERM_PARTS: readonly PartWriter[] = Object.values(termWriters)

/** The shape of a term. Callers never ask for the shape of a custom sort. */
function termShape (term: OrderTerm | CustomTerm): string {
  if (isCustomTerm(term)) throw new TypeError('a custom sort has no shape')
  return written(term, TERM_PARTS, '')
}

const selectionShape: (selection: Selection) => string = madeOnce((selection) =>
  written(selection, SELECTION_PARTS, '')
)
const orderShape = madeOnce((order: ReadonlyArray<OrderTerm | CustomTerm>) => order.map(termShape).join())

const selectionWriters: PartWriters<Selection> = {
  model: ({ model }) => `${idOf(model)}:`,
  properties: ({ properties }) => properties.map(idOf).join(),
  includes: ({ includes }) => `[${includes.map((include) => written(include, INCLUDE_PARTS, '')).join()}`,
  aggregates: ({ aggregates }) => `|${aggregates.map(idOf).join()}]`,
}
const SELECTION_PARTS: readonly PartWriter[] = Object.values(selectionWriters)

const includeWriters: PartWriters<PlannedInclude> = {
  relation: ({ relation }) => idOf(relation),
  // errors name the path, and not the statement
  path: () => '',
  // rules and aggregates are objects of the whitelist, whose numbers identify all that they say, including conditions
  rules: ({ rules }) => rules === undefined ? '' : `!${idOf(rules)}`,
  selection: ({ selection }) => `{${selectionShape(selection)}}`,
}
const INCLUDE_PARTS: readonly PartWriter[] = Object.values(includeWriters)
