/** The order and the widths of columns, as the page's part of the address has them. */
import { joinItems, splitItems } from './items.ts'

interface Named {
  readonly name: string
}

/** Widths of columns that a person chooses, in pixels. */
export const LEAST_WIDTH = 48
export const MOST_WIDTH = 1200
/** The pixels that one press of a key adds. */
export const WIDTH_STEP = 16

const itemsOf = (text: string | undefined): readonly string[] => splitItems(text ?? '') ?? []

/** The columns in the order that a person has chosen: those that are named first, then the others as usual. */
export function inChosenOrder<Column extends Named> (usual: readonly Column[], order: string | undefined): Column[] {
  const first = [...new Set(itemsOf(order))].flatMap((name) => usual.find((column) => column.name === name) ?? [])
  return [...first, ...usual.filter((column) => !first.includes(column))]
}

/**
 * The order after a column was moved.
 *
 * @param columns the columns in their present order
 * @param step the number of places, less than 0 towards the start
 * @returns the names that differ from the usual order, or `undefined` if none does
 */
export function movedOrder (
  usual: readonly Named[],
  columns: readonly Named[],
  name: string,
  step: number
): string | undefined {
  const names = columns.map((column) => column.name)
  const from = names.indexOf(name)
  const to = Math.max(0, Math.min(names.length - 1, from + step))
  names.splice(to, 0, ...names.splice(from, 1))
  const placeOf = (name: string): number => usual.findIndex((column) => column.name === name)
  // the end of the list needs no names as long as it is in the usual order
  let count = names.length
  while (count > 0 && (count === names.length || placeOf(names[count - 1]!) < placeOf(names[count]!))) count--
  return count === 0 ? undefined : joinItems(names.slice(0, count))
}

/** The widths that a person has chosen, by the names of the columns. */
export function chosenWidths (text: string | undefined): ReadonlyMap<string, number> {
  return new Map(itemsOf(text).flatMap((item): Array<[string, number]> => {
    const at = item.lastIndexOf(':')
    const width = Number(item.slice(at + 1))
    return at === -1 || !Number.isInteger(width) ? [] : [[item.slice(0, at), clampWidth(width)]]
  }))
}

export const clampWidth = (width: number): number => Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)))

/** Sets the widths of some columns. */
export function withWidths (
  text: string | undefined,
  changed: ReadonlyArray<readonly [name: string, width: number]>
): string {
  const widths = new Map([...chosenWidths(text), ...changed])
  return joinItems([...widths].map(([name, width]) => `${name}:${clampWidth(width)}`))
}
