/**
 * The table of pagination: the parameters, and the styles in which they are combined. An entry has everything that the
 * stages know of its parameter or style. The parser, the planner, the words of other query languages, the answers with
 * their types and the OpenAPI document all follow from it.
 */

/** Maximum number of rows in one batch of a stream. */
export const MAX_STREAM_BATCH = 500

/** Maximum number of characters of a cursor. It suffices for every value that an index can hold, about 2 700 bytes. */
export const MAX_CURSOR_LENGTH = 4096

/** The limits of a whitelist that the parameters depend on. */
interface PageLimits {
  readonly defaultPerPage: number
  readonly maxPerPage: number
  readonly maxOffset: number
}

/** Names that other query languages have for a parameter. Case and separators make no difference for suggestions. */
export interface OtherWords {
  /**
   * Spellings that the planner refuses in every query string, even on routes of the application. An application is
   * unlikely to use these names for its parameters, and a request in which they were ignored would return too many
   * rows.
   */
  readonly refused: readonly string[]
  /** Words that only get a suggestion, if the route refuses unknown parameters. */
  readonly suggested: readonly string[]
}

interface Parameter {
  readonly words: OtherWords
  /** A description for the OpenAPI document. */
  readonly meaning: (limits: PageLimits) => string
}

/** A parameter whose value is a whole number. */
export interface NumberParameter extends Parameter {
  readonly value: 'number'
  readonly minimum: 0 | 1
  /** The option of the whitelist that limits the number directly. */
  readonly maximum: 'maxPerPage' | 'maxOffset' | undefined
  /**
   * The default in the OpenAPI document. Interactive documentation sends the defaults of all parameters, and parameters
   * of several styles together are an error. Therefore only the parameters of the style `page` have one.
   */
  readonly documentedDefault: ((limits: PageLimits) => number) | undefined
}

/** A parameter whose value is a text. */
interface TextParameter extends Parameter {
  readonly value: 'text'
  readonly maxLength: number
}

/** A parameter whose value is one of some words. */
export interface ChoiceParameter extends Parameter {
  readonly value: 'choice'
  readonly choices: readonly string[]
}

export type PageParameter = NumberParameter | TextParameter | ChoiceParameter

/** The ways to get a total that a request may choose between, the one that costs least first. */
export const COUNT_CHOICES = ['none', 'exact'] as const

/** The parameters, in the order of query strings and documentation. */
export const PAGE_PARAMETERS = {
  page: {
    value: 'number',
    minimum: 1,
    maximum: undefined,
    documentedDefault: () => 1,
    words: { refused: [], suggested: ['pageNumber'] },
    meaning: ({ maxOffset }) => `Number of the page. At most ${maxOffset} records can be skipped.`,
  },
  per_page: {
    value: 'number',
    minimum: 1,
    maximum: 'maxPerPage',
    documentedDefault: ({ defaultPerPage }) => defaultPerPage,
    words: { refused: ['perPage', 'per-page', 'pageSize', 'page_size'], suggested: ['size'] },
    meaning: () => 'Records of a page.',
  },
  limit: {
    value: 'number',
    minimum: 1,
    maximum: 'maxPerPage',
    documentedDefault: undefined,
    words: { refused: [], suggested: ['take', 'top'] },
    meaning: ({ defaultPerPage }) =>
      `Records to return, instead of \`page\` and \`per_page\`. With \`offset\` alone: ${defaultPerPage}.`,
  },
  offset: {
    value: 'number',
    minimum: 0,
    maximum: 'maxOffset',
    documentedDefault: undefined,
    words: { refused: [], suggested: ['skip', 'start'] },
    meaning: () => 'Records to skip. With `limit` alone: 0.',
  },
  cursor: {
    value: 'text',
    maxLength: MAX_CURSOR_LENGTH,
    words: { refused: [], suggested: [] },
    meaning: () =>
      'The `next_cursor` or `prev_cursor` of a page with the same filters and sorts, instead of `page`. Empty for ' +
      'the first page. Pages by cursor have no total, and all of them cost the same.',
  },
  count: {
    value: 'choice',
    choices: COUNT_CHOICES,
    words: { refused: [], suggested: ['withCount', 'withTotal', 'includeTotal', 'total'] },
    meaning: () => 'Without a total (`none`), the list is cheaper. Pages by cursor have none, and do not take this.',
  },
} as const satisfies Readonly<Record<string, PageParameter>>

export type PageParameterName = keyof typeof PAGE_PARAMETERS

/** The pagination of a request, as far as it is given. */
export type PageValues = {
  readonly [Name in PageParameterName]?: ValueOf<(typeof PAGE_PARAMETERS)[Name]>
}

type ValueOf<Entry extends PageParameter> = Entry extends ChoiceParameter ? Entry['choices'][number]
  : Entry['value'] extends 'text' ? string
    : number

// the marks let the bundle of the explorer's page leave out the parameters
export const PAGE_PARAMETER_NAMES = /* @__PURE__ */ Object.freeze(
  Object.keys(PAGE_PARAMETERS)
) as readonly PageParameterName[]

export interface PageStyle {
  /** The parameter that says where the page begins. */
  readonly place: PageParameterName
  /** The parameter that says how many rows the page has. */
  readonly size: PageParameterName
  /** Both parameters, in the order of query strings and messages. */
  readonly parameters: readonly PageParameterName[]
  /** How the place stands for a number of rows before the page. Absent if the place is a row. */
  readonly skips?: {
    readonly rows: (place: number | undefined, size: number) => number,
    readonly place: (rows: number, size: number) => number,
    /** Whether the number of rows depends on the size. */
    readonly bySize: boolean,
  }
  /** The name of its answers in schemas. */
  readonly title: string
  /** Whether its answers have the total. */
  readonly hasTotal: boolean
  /** What its answers have beside the items, the total and the ends. */
  readonly answer: Readonly<Record<string, keyof AnswerValues>>
}

/** The members of answers: the values of both parameters, a number of pages that may be unknown, and a cursor. */
export interface AnswerValues {
  readonly place: number
  readonly size: number
  readonly pages: number | null
  readonly cursor: string | null
}

/** The styles. A request uses the parameters of one style. */
export const PAGE_STYLES = {
  page: {
    place: 'page',
    size: 'per_page',
    parameters: ['page', 'per_page'],
    skips: {
      rows: (page = 1, size) => (page - 1) * size,
      place: (rows, size) => rows / size + 1,
      bySize: true,
    },
    title: 'Page',
    hasTotal: true,
    answer: {
      /** The number of the page. The first page is 1. */
      page: 'place',
      /** The maximum number of items of a page. */
      per_page: 'size',
      /** The number of pages. `null` if items are not counted. A minimum if `total` is one. */
      total_pages: 'pages',
    },
  },
  offset: {
    place: 'offset',
    size: 'limit',
    parameters: ['limit', 'offset'],
    skips: { rows: (offset = 0) => offset, place: (rows) => rows, bySize: false },
    title: 'Page by offset',
    hasTotal: true,
    answer: {
      /** The maximum number of items of the answer. */
      limit: 'size',
      /** The number of items that the answer skips. */
      offset: 'place',
    },
  },
  cursor: {
    place: 'cursor',
    size: 'per_page',
    parameters: ['cursor', 'per_page'],
    title: 'Page by cursor',
    hasTotal: false,
    answer: {
      /** The maximum number of items of a page. */
      per_page: 'size',
      /** The cursor of the next page. `null` on the last page. */
      next_cursor: 'cursor',
      /** The cursor of the previous page. `null` on the first page. */
      prev_cursor: 'cursor',
    },
  },
} as const satisfies Readonly<Record<string, PageStyle>>

type Styles = typeof PAGE_STYLES
export type StyleName = keyof Styles

/** The styles whose place is a number of rows. */
export type SkippingStyle = { [Name in StyleName]: 'skips' extends keyof Styles[Name] ? Name : never }[StyleName]

/** The total of an answer. */
export interface TotalInfo {
  /** The number of all items that match. `null` if they are not counted. */
  readonly total: number | null
  /** With `count: { upTo: n }`: whether there are more items than `total`, which is n. Otherwise absent. */
  readonly total_is_minimum?: boolean
}

interface NoTotal {
  /** Such pages are not counted. */
  readonly total?: undefined
}

interface Ends {
  /** Whether there are items after these. */
  readonly has_next: boolean
  /** Whether there are items before these. */
  readonly has_prev: boolean
}

type Members<Answer> = {
  readonly [Name in keyof Answer]: Answer[Name] extends keyof AnswerValues ? AnswerValues[Answer[Name]] : never
}

/** The information beside the items of a page in a style, or in one of several. */
export type InfoOf<Name extends StyleName> = Name extends StyleName
  ? (Styles[Name]['hasTotal'] extends true ? TotalInfo : NoTotal) & Members<Styles[Name]['answer']> & Ends
  : never

type MemberOf<Info> = Info extends unknown ? keyof Info : never
type ValueOfMember<Info, Name extends PropertyKey> = Info extends { readonly [Key in Name]?: infer Value } ? Value
  : never

/** The members of pages in all styles. A page has those of one style. */
export type AnyInfo = {
  readonly [Name in MemberOf<InfoOf<StyleName>>]?: ValueOfMember<InfoOf<StyleName>, Name> | undefined
}

/** The information beside the items of a page. */
export type PageInfo = InfoOf<'page'>
/** The information beside the items of a list by offset. */
export type OffsetInfo = InfoOf<'offset'>
/** The information beside the items of a page by cursor. A cursor is null if there are no rows in its direction. */
export type CursorInfo = InfoOf<'cursor'>

/** All styles, in the order of documentation. */
export const STYLES: readonly PageStyle[] = Object.values(PAGE_STYLES)

/** The names of the styles whose place is a number of rows. The first is that of a request without parameters. */
export const SKIPPING_STYLES = (Object.keys(PAGE_STYLES) as StyleName[]).filter((name): name is SkippingStyle =>
  'skips' in PAGE_STYLES[name]
)

const belongsTo = (name: PageParameterName, { place, size, hasTotal }: PageStyle): boolean =>
  name === place || name === size || (name === 'count' && hasTotal)

/** For each parameter, those that no style combines it with. */
export const RIVALS = /* @__PURE__ */ rivals()

function rivals (): ReadonlyMap<PageParameterName, readonly PageParameterName[]> {
  return new Map(PAGE_PARAMETER_NAMES.map((name) => {
    const styles = STYLES.filter((style) => belongsTo(name, style))
    return [name, PAGE_PARAMETER_NAMES.filter((other) => !styles.some((style) => belongsTo(other, style)))]
  }))
}

/** The pairs of parameters that a request may use, for error messages. */
export function pairsOf (styles: readonly PageStyle[]): string {
  return styles.map(({ parameters }) => parameters.join(' and ')).join(', or ')
}

/** The sentence about two parameters that no style combines. */
export function mixtureOf (...names: readonly PageParameterName[]): string {
  return names.includes('count')
    ? "Pages by cursor have no total: leave 'count' out."
    : `Use either ${pairsOf(STYLES)}.`
}
