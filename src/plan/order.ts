/** Turns the text of `sort` into a total order, so that pages never overlap. */
import type { ValueType } from '../model/index.ts'
import { nameSuffix, readSortItem, type FilterLevel, type QueryParams } from '../query/index.ts'
import { aliasFor } from './alias.ts'
import { memoKey } from './memo.ts'
import { firstTypeOf } from './operand.ts'
import type { QueryErrors } from './query-errors.ts'
import { cited, refusal } from './refusal.ts'
import { canRank, withTexts } from './relevance.ts'
import type { Condition, CustomTerm, OrderTerm, Sortable } from './condition-types.ts'
import type { Whitelist } from './whitelist/index.ts'

const CODE = 'FST_CRUD_SORT_INVALID'

type Term = OrderTerm | CustomTerm

/** Whether a callback defines a term. */
export function isCustomTerm (term: Term): term is CustomTerm {
  return 'callback' in term
}

/** Plans the order of a list: the sort of the request or else the default, and then the primary key. */
export function planOrder (
  params: FilterLevel & Pick<QueryParams, 'sort'>,
  conditions: readonly Condition[],
  whitelist: Whitelist,
  errors: QueryErrors
): readonly Term[] {
  const { sort } = params
  if (!whitelist.isRanked) return namedOrder(sort, whitelist, errors)
  const items = sort.filter((item) => canRank(item, params, conditions, whitelist, errors))
  return withTexts(namedOrder(items, whitelist, errors), conditions)
}

/** The order that depends only on names. */
const namedOrder = (items: readonly string[], whitelist: Whitelist, errors: QueryErrors): readonly Term[] =>
  whitelist.orders.of(memoKey(items), errors, (errors) => makeOrder(items, whitelist, errors))

function makeOrder (items: readonly string[], whitelist: Whitelist, errors: QueryErrors): readonly Term[] {
  const order: Term[] = []
  const names = new Set<string>()
  for (const item of items) {
    const { name, descending } = readSortItem(item)
    const entry = whitelist.sorts.get(name)
    if (entry === undefined) {
      errors.add(
        CODE,
        () =>
          refusal(CODE, `sort${nameSuffix(items, item)}`, `The sort '${cited(name)}' is not allowed.`, {
            given: name,
            meant: withSign(name, whitelist.sorts) ?? aliasFor(name, whitelist.sorts.values()),
            allowed: whitelist.sorts.keys(),
          })
      )
    } else if (names.has(name)) {
      errors.add(
        CODE,
        () => refusal(CODE, `sort${nameSuffix(items, item)}`, `The sort '${name}' is given more than once.`)
      )
    } else {
      names.add(name)
      for (const target of entry.targets) order.push({ ...target, descending: descending ?? entry.descending })
    }
  }
  if (order.length === 0) {
    for (const { target, descending } of whitelist.defaultOrder) order.push({ ...target, descending })
  }
  return Object.freeze(withTieBreak(order, whitelist))
}

/** A name with the direction of another dialect: `title desc`, `title:desc`, `title.desc`, `title,desc`. */
const DIRECTION = /^(.+?)[ :.|](asc|desc)(?:ending)?$/i

/** How the query language writes a sort of another dialect. `undefined` for texts that no allowed sort begins. */
function withSign (text: string, sorts: Whitelist['sorts']): string | undefined {
  const [, name = '', direction = ''] = DIRECTION.exec(text) ?? []
  const sort = sorts.get(name)
  if (sort === undefined) return undefined
  if (direction.toLowerCase() === 'desc') return `-${name}`
  return sort.descending ? `+${name}` : name
}

function withTieBreak (order: Term[], { model }: Whitelist): readonly Term[] {
  for (const { property, columns } of model.primaryKey) {
    const present = order.some((term) =>
      !isCustomTerm(term) && term.relations.length === 0 && term.operand === property
    )
    if (present) continue
    if (columns.length === 1) order.push({ relations: [], operand: property, descending: false })
    else for (const column of columns) order.push({ relations: [], operand: property, column, descending: false })
  }
  return order
}

/** The type of a term's values. */
export function typeOfTerm ({ operand, column }: OrderTerm): ValueType {
  return column?.type ?? firstTypeOf(operand)
}

/** Whether a term may be null, because its column may be null or the related record may be missing. */
export function isNullableTerm ({ relations, operand }: OrderTerm): boolean {
  return relations.length > 0 || operand.nullable || (isComputed(operand) && operand.kind !== 'relevance')
}

/** Whether an operand is an expression instead of a column. */
export function isComputed (operand: Sortable): boolean {
  return operand.kind === 'number' || operand.kind === 'relevance' ||
    (operand.kind === 'scalar' && operand.formula !== undefined)
}
