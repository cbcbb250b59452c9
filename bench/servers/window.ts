/** Reads the page from a list's query string for hand-written routes, and describes it in the answer. */
export type Query = Readonly<Record<string, string | undefined>>

export interface Window {
  readonly limit: number
  readonly offset: number
  /** The number of the page, if `page` and `per_page` are used instead of `limit` and `offset`. */
  readonly page: number | undefined
}

export function windowOf (query: Query): Window {
  if (query['offset'] !== undefined) {
    return { limit: Number(query['limit']), offset: Number(query['offset']), page: undefined }
  }
  const page = Number(query['page'] ?? 1)
  const limit = Number(query['per_page'] ?? 20)
  return { limit, offset: (page - 1) * limit, page }
}

export function pageInfo ({ limit, offset, page }: Window, total: number) {
  const around = { has_next: offset + limit < total, has_prev: offset > 0 }
  return page === undefined
    ? { total, limit, offset, ...around }
    : { total, page, per_page: limit, total_pages: Math.ceil(total / limit), ...around }
}

/** The position after which the page starts: the sort value and the key of the last row of the previous page. */
export function placeOf (cursor: string): readonly [createdAt: string, id: number] {
  const [createdAt, id] = cursor.split('_')
  return [createdAt!, Number(id)]
}
