/** The requests of the operations, without the syntax of a variant. The dialect of the variant writes them. */
export type Call = CommonCall | OwnCall

/** Calls that every library has. */
export type CommonCall =
  | { readonly kind: 'list', readonly minPrice: number, readonly page: number, readonly include: boolean }
  | { readonly kind: 'get', readonly id: number }
  | { readonly kind: 'search', readonly text: string, readonly page: number }
  | { readonly kind: 'offset', readonly offset: number }
  | { readonly kind: 'cursor', readonly cursor: string, readonly perPage: number }
  | { readonly kind: 'create', readonly record: NewCategory }
  | { readonly kind: 'createMany', readonly records: readonly NewCategory[] }
  | { readonly kind: 'update', readonly id: number, readonly changes: Partial<NewCategory> }

/** Calls that only the query language of this package has, and the routes that are written by hand for it. */
type OwnCall =
  | { readonly kind: 'words', readonly text: string, readonly page: number }
  | { readonly kind: 'either', readonly minPrice: number, readonly maxPrice: number, readonly page: number }
  | { readonly kind: 'facets', readonly minPrice: number }
  | { readonly kind: 'groups', readonly minPrice: number }
  | { readonly kind: 'numbers', readonly minPrice: number, readonly page: number }
  | { readonly kind: 'byNumber', readonly minPrice: number, readonly page: number, readonly least: number }

export interface NewCategory {
  readonly name: string
  readonly description: string
  readonly price: number
  readonly status: string
}
