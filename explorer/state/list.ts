/** The records of a list. Pages by cursor are added to the list while a person scrolls. */
import { useRef, useState } from 'preact/hooks'
import type { CrudError } from '../../src/client/error.ts'
import type { ExplorerDescription, Paging } from '../../src/explorer/description.ts'
import { ask, toError, type Cost } from '../api/ask.ts'
import type { PageAnswer, Row } from '../api/records.ts'
import type { Pair } from '../url/address.ts'
import { withNames } from '../url/names.ts'
import { isScrolled, numbersOf, sizeOf, styleOf, withCursor } from '../url/pages.ts'
import { urlOf } from './context.ts'
import { useLoad } from './load.ts'
import type { Profile } from './profiles.ts'

export interface List {
  readonly items: readonly Row[]
  /** The answer that was received last. */
  readonly page: PageAnswer | undefined
  /** The facets, which count the records of all pages. */
  readonly facets: PageAnswer['facets']
  readonly error: CrudError | undefined
  readonly busy: boolean
  readonly cost: Cost | undefined
  /** Asks for the next page of a list by cursor. `undefined` at its end, and for other styles. */
  readonly more: (() => void) | undefined
  /** The error of the last page by cursor. The records before it stay. */
  readonly tailError: CrudError | undefined
  readonly reload: () => void
}

interface Tail {
  /** The first page, to which the other pages belong. */
  readonly of: PageAnswer
  readonly items: readonly Row[]
  readonly page: PageAnswer
  readonly busy: boolean
  readonly error: CrudError | undefined
}

export function useList (
  description: ExplorerDescription,
  profile: Profile | undefined,
  path: string,
  params: readonly Pair[]
): List {
  const url = urlOf(description, path, params)
  const headers = profile?.headers ?? []
  const key = profile && `${JSON.stringify(headers)} ${url}`
  const [loaded, reload] = useLoad(key, (signal) => ask<PageAnswer>({ url, headers, signal }))
  const [tail, setTail] = useState<Tail>()
  // scrolling asks again before the state has changed
  const asking = useRef<string | undefined>(undefined)
  const first = loaded.value?.data
  const known = tail !== undefined && tail.of === first ? tail : undefined
  const page = known?.page ?? first
  const next = isScrolled(styleOf(params)) && loaded.error === undefined && !loaded.busy ? page?.next_cursor : null

  const more = async (cursor: string): Promise<void> => {
    const target = `${key} ${cursor}`
    if (first === undefined || page === undefined || known?.busy || asking.current === target) return
    asking.current = target
    const before = { of: first, items: known?.items ?? first.items, page, busy: false, error: undefined }
    const change = (tail: Tail): void =>
      setTail((now) => now === undefined || now.of === first || now === known ? tail : now)
    change({ ...before, busy: true })
    // the first page has the facets
    const ofNext = withCursor(withNames(params, 'facets', []), cursor)
    try {
      const { data } = await ask<PageAnswer>({ url: urlOf(description, path, ofNext), headers })
      change({ ...before, items: [...before.items, ...data.items], page: data })
    } catch (error) {
      asking.current = undefined
      change({ ...before, error: toError(error) })
    }
  }

  return {
    items: known?.items ?? first?.items ?? [],
    page,
    facets: first?.facets,
    error: loaded.error,
    busy: loaded.busy || known?.busy === true,
    cost: loaded.value?.cost,
    more: next ? () => void more(next) : undefined, // eslint-disable-line no-void
    tailError: known?.error,
    reload,
  }
}

/** The number of all records of a list, if the API has counted them. */
export function totalOf ({ count }: Paging, { page }: Pick<List, 'page'>): number | undefined {
  return page?.total_is_minimum === true || count === 'planned' ? undefined : page?.total ?? undefined
}

/** The number of records of a page: that of the URL, or the one that the API chose. */
export const pageSize = ({ defaultPerPage }: Paging, params: readonly Pair[], { page }: Pick<List, 'page'>): number =>
  sizeOf(params) ?? numbersOf(styleOf(params), page).size ?? defaultPerPage

/** Whether there are records before a page, and none on it. */
export const isPastEnd = ({ page, items }: List): boolean => items.length === 0 && page?.has_prev === true
