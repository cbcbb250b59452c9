/** Reads and changes the page of a list: by its number, by an offset or by a cursor. */
import type { Pair } from './address.ts'
import { inOrder, valueOf } from './names.ts'

export type PageStyle = 'page' | 'offset' | 'cursor'

const PARAMETERS = ['page', 'per_page', 'limit', 'offset', 'cursor'] as const
type PageParameter = typeof PARAMETERS[number]

/** The style of the pages. Without a parameter, lists have page numbers. */
export function styleOf (params: readonly Pair[]): PageStyle {
  const has = (name: string): boolean => valueOf(params, name) !== undefined
  if (has('cursor')) return 'cursor'
  return has('limit') || has('offset') ? 'offset' : 'page'
}

/** The number of records of a page, if the URL has it. */
export function sizeOf (params: readonly Pair[]): number | undefined {
  const text = valueOf(params, 'per_page') ?? valueOf(params, 'limit')
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

function withPage (params: readonly Pair[], page: { readonly [Name in PageParameter]?: string | undefined }): Pair[] {
  const others = params.filter(([name]) => !(PARAMETERS as readonly string[]).includes(name))
  return inOrder([
    ...others,
    ...PARAMETERS.flatMap((name): Pair[] => page[name] === undefined ? [] : [[name, page[name]]]),
  ])
}

const textOf = (size: number | undefined): string | undefined => size === undefined ? undefined : String(size)

/** Changes to the first page of a style. The size of pages stays. */
export function withStyle (params: readonly Pair[], style: PageStyle, size = sizeOf(params)): Pair[] {
  if (style === 'cursor') return withPage(params, { cursor: '', per_page: textOf(size) })
  if (style === 'page') return withPage(params, { per_page: textOf(size) })
  return withPage(params, { limit: textOf(size), offset: '0' })
}

/** Changes the size of pages, and returns to the first page. */
export function withSize (params: readonly Pair[], size: number): Pair[] {
  return withStyle(params, styleOf(params), size)
}

/** Goes to a page by its number, an offset or a cursor. */
export function withPlace (params: readonly Pair[], place: number | string): Pair[] {
  const size = textOf(sizeOf(params))
  const style = styleOf(params)
  if (style === 'cursor') return withPage(params, { cursor: String(place), per_page: size })
  if (style === 'offset') return withPage(params, { limit: size, offset: String(place) })
  return withPage(params, { page: Number(place) === 1 ? undefined : String(place), per_page: size })
}

/** Parameters without those of pages, for downloads of whole lists. */
export function withoutPage (params: readonly Pair[]): Pair[] {
  return withPage(params, {})
}
