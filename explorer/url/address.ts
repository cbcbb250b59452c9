/**
 * The page's address. Below the path of the explorer, it has the path and the query string of the API's own request.
 * Parameters that start with `~` belong to the page and are never sent.
 */

/** A parameter of a query string, decoded. */
export type Pair = readonly [name: string, text: string]

/** The address of a state of the page. */
export interface Address {
  /** The path of the resource, e.g. `/categories`. Empty before a resource is chosen. */
  readonly path: string
  /** The parameters of the list, in the order of the query string. */
  readonly params: readonly Pair[]
  /** The state of the page beside the list. */
  readonly own: Own
}

export interface Own {
  /** The key of the record in the drawer. */
  readonly open?: string
  /** `yes` while the drawer has the form for a new record. */
  readonly create?: string
  /** The operation on the selected records in the drawer: `update` or `delete`. */
  readonly many?: string
  /** The name of the profile with whose list the list is compared. */
  readonly compare?: string
  /** `yes` while the SQL of the list is shown. */
  readonly explain?: string
  /** The name of the number that the chart shows. */
  readonly chart?: string
  /** The names of the columns that a person has moved, in their order. The others follow as usual. */
  readonly order?: string
  /** The widths of columns that a person has chosen, in pixels: `name:240,price:96`. */
  readonly widths?: string
}

const OWN = [
  'open', 'create', 'many', 'compare', 'explain', 'chart', 'order', 'widths',
] as const satisfies ReadonlyArray<keyof Own>

/** Percent-encodes, except for characters of the grammar, which are legal in a query string and easier to read. */
export function encode (text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2C|3A|5B|5D)/g, decodeURIComponent)
}

/** Writes parameters as a query string, including its `?`. Returns the empty text if there are no parameters. */
export function formatQuery (params: readonly Pair[]): string {
  return params.length === 0 ? '' : `?${params.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&')}`
}

/** Reads a query string, with or without its `?`. */
export function parseQuery (text: string): Pair[] {
  return [...new URLSearchParams(text)]
}

/**
 * Writes an address as the end of a URL, below the path of the explorer.
 *
 * @example formatAddress({ path: '/tags', params: [['sort', '-name']], own: {} }) // '/tags?sort=-name'
 */
export function formatAddress ({ path, params, own }: Address): string {
  const pairs = OWN.flatMap((name): Pair[] => own[name] === undefined ? [] : [[`~${name}`, own[name]]])
  return path + formatQuery([...params, ...pairs])
}

/** Reads the end of a URL, the inverse of `formatAddress`. Parameters of the API are kept, whatever their names. */
export function parseAddress (text: string): Address {
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  const pairs = mark === -1 ? [] : parseQuery(text.slice(mark))
  const own: Record<string, string> = {}
  for (const name of OWN) {
    const found = pairs.find(([key]) => key === `~${name}`)
    if (found !== undefined) own[name] = found[1]
  }
  return { path, params: pairs.filter(([name]) => !name.startsWith('~')), own }
}
