/** Chooses the columns that cards show. On a phone, cards replace the table of a list. */
import type { ResourceDescription } from '../../src/explorer/description.ts'
import type { SortUse } from '../url/sorts.ts'
import type { Column } from './columns.ts'
import { isMaintained, labelKeyOf, type Row } from './records.ts'

/** The number of values that a person has not asked for. */
const MOST = 3

/** The facts that decide about columns, beside the columns themselves. */
interface CardOptions {
  readonly resource: Pick<ResourceDescription, 'lookup' | 'version' | 'softDelete'>
  /** Whether a person has chosen the fields of the list. */
  readonly isChosen: boolean
  readonly sorts: readonly SortUse[]
  readonly rows: readonly Row[]
}

/** A column of cards. */
export interface CardColumn extends Column {
  /** Whether a person has asked for it. Others are not shown where they are null. */
  readonly isAsked: boolean
}

/**
 * The columns below the name of a record, in the order of the table: all that a person has chosen, or those that matter
 * most. A person has asked for relations, for numbers about them, for the order, and for what differs from another
 * list. Room that is left is for a state, a related record, a date and numbers.
 */
export function cardColumns (columns: readonly Column[], options: CardOptions): readonly CardColumn[] {
  const { resource, isChosen, sorts, rows: [first = {}] } = options
  const heading = labelKeyOf(resource.lookup, first)
  const others = columns.filter(({ name }) => name !== heading)
  if (isChosen) return others.map((column) => ({ ...column, isAsked: true }))
  const isAsked = ({ relation, aggregate, differs, sort }: Column): boolean =>
    relation !== undefined || aggregate !== undefined || differs === true ||
    sorts.some(({ name }) => name === sort?.name)
  const rankOf = (column: Column): number => isAsked(column) ? 0 : matterOf(column, resource)
  const best = others.filter((column) => rankOf(column) < SELDOM).sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MOST)
  return others.filter((column) => isAsked(column) || best.includes(column))
    .map((column) => ({ ...column, isAsked: isAsked(column) }))
}

/** The rank of columns that are not shown unless a person asks for them. */
const SELDOM = 9

/** How much a value matters. The smallest rank matters most. */
function matterOf ({ field }: Column, resource: CardOptions['resource']): number {
  if (field === undefined) return 6
  const { key, value: { type }, reference } = field
  if (key || type === 'object' || type === 'json' || isMaintained(field, resource)) return SELDOM
  if (type === 'enum') return 1
  if (reference) return 2
  if (type === 'date' || type === 'datetime') return 3
  return type === 'text' ? 5 : 4
}
