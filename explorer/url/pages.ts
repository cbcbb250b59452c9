/** Reads and changes the page of a list, in the styles of pages that the server has. */
import {
  PAGE_STYLES, type AnswerValues, type AnyInfo, type PageStyle, type StyleName,
} from '../../src/base/page-styles.ts'
import type { Pair } from './address.ts'
import { valueOf } from './names.ts'

const STYLES: Readonly<Record<StyleName, PageStyle>> = PAGE_STYLES
export const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[]

/** The style of lists without a parameter for pages. */
const USUAL = STYLE_NAMES[0]!

const PARAMETERS: ReadonlySet<string> = new Set(Object.values(STYLES).flatMap(({ parameters }) => parameters))

/** The style of the pages: the one whose place the URL has, or else the first one whose size it has. */
export function styleOf (params: readonly Pair[]): StyleName {
  const has = (name: string): boolean => valueOf(params, name) !== undefined
  return STYLE_NAMES.find((name) => has(STYLES[name].place)) ??
    STYLE_NAMES.find((name) => has(STYLES[name].size)) ?? USUAL
}

/** Whether pages are added to each other while a person scrolls, because their place is a record and not a number. */
export const isScrolled = (style: StyleName): boolean => STYLES[style].skips === undefined

/** Whether pages have numbers. Pages whose place does not depend on their size have the numbers of their records. */
export const isNumbered = (style: StyleName): boolean => STYLES[style].skips?.bySize === true

function sizeText (params: readonly Pair[]): string | undefined {
  return STYLE_NAMES.map((name) => valueOf(params, STYLES[name].size)).find((text) => text !== undefined)
}

/** The number of records of a page, if the URL has it. */
export function sizeOf (params: readonly Pair[]): number | undefined {
  const text = sizeText(params)
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** Parameters without those of pages, for downloads of whole lists. */
export const withoutPage = (params: readonly Pair[]): Pair[] => params.filter(([name]) => !PARAMETERS.has(name))

interface PageTexts {
  readonly style: StyleName
  /** Absent for the first page of the usual style. */
  readonly place: string | undefined
  readonly size: string | undefined
}

function withPage (params: readonly Pair[], { style, place, size }: PageTexts): Pair[] {
  const { parameters, place: placeName } = STYLES[style]
  return [
    ...withoutPage(params),
    ...parameters.flatMap((name): Pair[] => {
      const text = name === placeName ? place : size
      return text === undefined ? [] : [[name, text]]
    }),
  ]
}

/** Changes to the first page of a style. The size of pages stays. */
export function withStyle (params: readonly Pair[], style: StyleName, size = sizeText(params)): Pair[] {
  const first = String(STYLES[style].skips?.place(0, 1) ?? '')
  return withPage(params, { style, place: style === USUAL ? undefined : first, size })
}

/** Returns to the first page, because another condition or another order makes other pages. */
export const atStart = (params: readonly Pair[]): Pair[] => withStyle(params, styleOf(params))

/** Changes the size of pages, and returns to the first page. */
export const withSize = (params: readonly Pair[], size: number): Pair[] =>
  withStyle(params, styleOf(params), String(size))

/** Goes to the page that begins with a cursor. */
export const withCursor = (params: readonly Pair[], cursor: string): Pair[] =>
  withPage(params, { style: styleOf(params), place: cursor, size: sizeText(params) })

/** Goes to the page before which there is a number of records. */
export function withSkipped (params: readonly Pair[], rows: number, size: number): Pair[] {
  if (rows <= 0) return atStart(params)
  const style = styleOf(params)
  return withPage(params, { style, place: String(STYLES[style].skips?.place(rows, size)), size: sizeText(params) })
}

/** The numbers in an answer: the place and the size of the page, and the number of pages. */
export function numbersOf (style: StyleName, answer: AnyInfo | undefined): Partial<AnswerValues> {
  const values = Object.entries(STYLES[style].answer).map(([name, value]) => [value, answer?.[name as keyof AnyInfo]])
  return Object.fromEntries(values) as Partial<AnswerValues>
}

/** The number of records before the page of an answer. */
export function skippedOf (style: StyleName, answer: AnyInfo | undefined, size: number): number {
  return STYLES[style].skips?.rows(numbersOf(style, answer).place, size) ?? 0
}

/** The number of records before the last page. */
export const lastStart = (total: number, size: number): number => Math.floor((total - 1) / size) * size
