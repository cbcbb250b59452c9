/** The sizes of the tables, and values of filters by the number of rows that they keep. */
export const CATEGORIES = 100_000
export const PRODUCTS_EACH = 5
export const ARTICLES = 100_000
export const PER_PAGE = 20

/** The numbers of rows that the requests of a main operation keep: from `LEAST` up to, but not including, `MOST`. */
export const LEAST = 30
export const MOST = 1_700

/** A number between `LEAST` and `MOST` for the n-th request, in steps of a prime number. */
export const someRows = (n: number): number => LEAST + n * 37 % (MOST - LEAST)

/** The parts of all categories that a condition on the status keeps, and that no condition does. */
export const ACTIVE = 4 / 6
export const ALL = 1
/** One of fifty categories is deleted. */
const LIVE = 49 / 50

/**
 * The price that some `rows` categories reach, of those that other conditions keep. Prices are evenly distributed, and
 * no two categories have the same one.
 */
export const priceOf = (rows: number, share: number = ACTIVE): number =>
  (CATEGORIES - Math.round(rows / share / LIVE)) / 100

/** A price that no category reaches, another one for each `n`. */
export const unreached = (n: number): number => (CATEGORIES + n % 1_000) / 100

/** The price that some `rows` active categories have at most. */
export const highestPriceOf = (rows: number): number => Math.round(rows / ACTIVE / LIVE) / 100

/** Number of different words of articles that keep some number of rows. */
const WORDS = 200

/** The numbers of articles that have a word, with the number of such words. The names of words are `word<rows>x<k>`. */
export const WORD_ROWS: ReadonlyArray<readonly [rows: number, words: number]> = [
  ...Array.from({ length: WORDS }, (_, k) => [LEAST + Math.floor(k * (MOST - LEAST) / WORDS), 1] as const),
  [5_000, 10],
  [ARTICLES / 2, 4],
]

/** A word that some `rows` articles have. */
export function wordOf (rows: number, n: number): string {
  const [known, words] = WORD_ROWS.findLast(([known]) => known <= rows) ?? WORD_ROWS[0]!
  return `word${known}x${n % words}`
}

/** The number of the n-th request's page: one of the first five, if `rows` rows fill as many. */
export const pageOf = (n: number, rows: number): number =>
  n % Math.max(1, Math.min(5, Math.floor(rows / PER_PAGE))) + 1

/** A part of names that some 20, 280, 1 100, 4 000 or 40 000 categories have, by its number of digits. */
export const NAMES = {
  20: (n: number) => String(1_000 + n * 7 % 9_000),
  280: (n: number) => String(100 + n * 7 % 900),
  // the last letter of `Category` before the first two digits
  1_100: (n: number) => `y ${10 + n * 7 % 90}`,
  4_000: (n: number) => String(10 + n * 7 % 90),
  40_000: (n: number) => String(1 + n * 7 % 9),
} as const
