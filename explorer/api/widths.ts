/** The widths of columns: from the types and the values that they have, and from the room that there is. */
import type { ExplorerDescription, ValueDescription } from '../../src/explorer/description.ts'
import { contentOf, type Content } from './cells.ts'
import type { Column } from './columns.ts'
import { namingResource } from './names.ts'
import type { Row } from './records.ts'

/** The fonts of texts that are measured: those of values, of ids and JSON, and of headers. */
export type Font = 'text' | 'mono' | 'head'

/** The width of a text in pixels. */
export type Measure = (text: string, font: Font) => number

/** The room that a column needs, in pixels. */
export interface Need {
  /** With this width, nothing of the header and enough of the values can be seen. */
  readonly least: number
  /** With this width, nothing is cut. */
  readonly whole: number
  /** Whether it takes some of the room that is left. Otherwise it is never cut, nor wider than it needs. */
  readonly shares: boolean
}

/** The padding of a cell at both sides, and a little room for what a browser rounds. */
const PADDING = 26
/** The mark of the order in a header. */
const MARK = 18
/** The parts of values beside their texts. */
const BESIDE: { readonly [Kind in Content['kind']]?: number } = { many: 22, tag: 16, count: 14 }
const NARROWEST = 64
/** The most that a column gets, unless a person chooses more. */
const WIDEST = 520
/** The least that a column gets which shares the room. */
const SHARED = 150
/** The most that such a column gets if the table has to scroll in any case. */
const COMFORTABLE = 240
/** Names of related records that are not known yet have this length. */
const NAME = 'n'.repeat(16)
/** Only texts of at least this part of the characters of the longest one are measured: shorter ones are not wider. */
const SHORTER = 0.7

/** The types whose values are of any length. */
const ANY_LENGTH: ReadonlySet<ValueDescription['type']> = new Set([
  'text', 'json', 'array', 'object', 'blob', 'other', 'custom',
])

/** The types whose values are all as long as their longest form, whatever a page has of them. */
const LONGEST: { readonly [Type in ValueDescription['type']]?: string } = {
  date: '0000-00-00',
  datetime: '0000-00-00 00:00',
}

/** The room that a column needs for some rows. */
export function needOf (
  column: Column,
  rows: readonly Row[],
  description: ExplorerDescription,
  measure: Measure
): Need {
  const { title, field, relation, aggregate } = column
  const type = field?.value.type ?? aggregate?.value.type
  const zone = type === 'datetime' ? measure(' UTC', 'head') : 0
  const head = Math.ceil(measure(title, 'head') + zone) + MARK + PADDING
  const isNamed = namingResource(column, description) !== undefined
  const isKey = field?.reference != null && relation === undefined && !isNamed
  const shares = relation !== undefined || isNamed || (!isKey && (type === undefined || ANY_LENGTH.has(type)))
  const contents = rows.map((row) => contentOf(column, row, description))
  const longest = Math.max(0, ...contents.map(({ text }) => text.length))
  const widths = contents.filter(({ text }) => text.length >= longest * SHORTER).map(({ kind, text }) =>
    measure(text, kind === 'id' || kind === 'code' || isKey ? 'mono' : 'text') + (BESIDE[kind] ?? 0)
  )
  const usual = measure(isNamed ? NAME : LONGEST[type!] ?? '', 'text')
  const whole = Math.min(WIDEST, Math.max(NARROWEST, head, Math.ceil(Math.max(usual, ...widths)) + PADDING))
  return { least: shares ? Math.min(whole, Math.max(head, SHARED)) : whole, whole, shares }
}

/**
 * The room that a column needs for other rows as well. Dates and numbers are never cut. Texts keep their width, so
 * that turning pages moves nothing.
 */
export const needOfBoth = (before: Need, now: Need): Need =>
  before.shares || before.whole >= now.whole ? before : now

/**
 * The widths of all columns. Columns that share divide what the others leave: each gets what its values need, as far as
 * there is room, and then a part of the rest. If there is too little room for all of them, the table is wider.
 *
 * @param chosen the widths that a person has chosen, `undefined` for the other columns
 */
export function shareWidth (
  needs: readonly Need[],
  room: number,
  chosen: ReadonlyArray<number | undefined>
): number[] {
  const least = needs.map(({ least }, index) => chosen[index] ?? least)
  let left = room - sum(least)
  if (left < 0) {
    return needs.map(({ least, whole, shares }, index) =>
      chosen[index] ?? (shares ? Math.max(least, Math.min(whole, COMFORTABLE)) : least)
    )
  }
  const widths = [...least]
  const sharing = needs.map((need, index) => ({ ...need, index }))
    .filter(({ shares, index }) => shares && chosen[index] === undefined)
    .sort((a, b) => (a.whole - a.least) - (b.whole - b.least))
  // a column that needs less than its part leaves the rest to the others
  for (const [done, { index, least, whole }] of sharing.entries()) {
    const part = Math.floor(Math.min(whole - least, left / (sharing.length - done)))
    widths[index]! += part
    left -= part
  }
  const all = sum(sharing.map(({ whole }) => whole))
  for (const { index, whole } of sharing) widths[index]! += Math.floor(left * whole / all)
  return widths
}

const sum = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0)
