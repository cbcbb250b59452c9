/**
 * The operations that read lists, each with filters that keep no rows, some 30, 1 000 or 5 000, or half of the table,
 * and a mixture of these. A statement that suits one number of rows only shows as a cliff.
 */
import { ALL, ARTICLES, CATEGORIES, highestPriceOf, NAMES, pageOf, priceOf, unreached, wordOf } from '../amounts.ts'
import type { Call } from '../calls.ts'
import type { Operation } from '../operations.ts'
import { AMOUNTS, LISTS, type Amount, type AmountOperationName, type ListName } from './names.ts'

type AmountOperation = Operation<AmountOperationName>

/** Ten requests of the mixture. */
const MIXTURE: readonly Amount[] = ['30', '1000', '0', '30', '5000', '1000', '30', 'half', '1000', '5000']

/** The number of rows of the n-th request, different from that of the next one. */
const ROWS: Readonly<Record<Amount, (n: number) => number>> = {
  0: () => 0,
  30: (n) => 25 + n % 11,
  1000: (n) => 900 + n * 7 % 200,
  5000: (n) => 4_500 + n * 7 % 1_000,
  half: (n) => CATEGORIES / 2 - 2_000 + n * 7 % 4_000,
}

const SEARCHED: Readonly<Record<Amount, (n: number) => string>> = {
  0: (n) => `y 0${NAMES[280](n)}`,
  30: NAMES[20],
  1000: NAMES[1_100],
  5000: NAMES[4_000],
  half: NAMES[40_000],
}

const WORDS: Readonly<Record<Amount, (n: number) => string>> = {
  0: (n) => `word${n}`,
  30: (n) => wordOf(30, n),
  1000: (n) => wordOf(900 + n * 7 % 200, n),
  5000: (n) => wordOf(5_000, n),
  half: (n) => wordOf(ARTICLES / 2, n),
}

const CALLS: Readonly<Record<ListName, (n: number, amount: Amount) => Call>> = {
  list: (n, amount) => ({ kind: 'list', ...filtered(n, amount), include: false }),
  include: (n, amount) => ({ kind: 'list', ...filtered(n, amount), include: true }),
  search: (n, amount) => ({ kind: 'search', text: SEARCHED[amount](n), page: filtered(n, amount).page }),
  words: (n, amount) => ({ kind: 'words', text: WORDS[amount](n), page: filtered(n, amount).page }),
  either: (n, amount) => {
    const rows = ROWS[amount](n) / 2
    return {
      kind: 'either',
      ...filtered(n, amount),
      minPrice: amount === '0' ? unreached(n) : priceOf(rows),
      maxPrice: amount === '0' ? -1 - n % 100 : highestPriceOf(rows),
    }
  },
  facets: (n, amount) => ({ kind: 'facets', minPrice: filtered(n, amount).minPrice }),
  groups: (n, amount) => ({
    kind: 'groups',
    minPrice: amount === '0' ? unreached(n) : priceOf(ROWS[amount](n), ALL),
  }),
}

function filtered (n: number, amount: Amount): { readonly minPrice: number, readonly page: number } {
  const rows = ROWS[amount](n)
  // texts and words keep a fifth fewer rows than a price
  return { minPrice: amount === '0' ? unreached(n) : priceOf(rows), page: pageOf(n, rows * 0.8) }
}

const COMMON: readonly ListName[] = ['list', 'include', 'search']

/** The numbers of rows that filters keep. Texts keep other numbers than prices. */
const KEEPS: Readonly<Record<Amount, readonly [least: number, most: number]>> = {
  0: [0, 0],
  30: [5, 40],
  1000: [850, 1_200],
  5000: [3_500, 5_600],
  half: [35_000, 53_000],
}

function operation (list: ListName, rows: Amount | 'mixed', amountOf: (n: number) => Amount): AmountOperation {
  return {
    name: `${list}-${rows}`,
    title: `${list}, ${rows}`,
    call: (n) => CALLS[list](n, amountOf(n)),
    // the total of groups is their number
    ...(rows !== 'mixed' && list !== 'groups' && { keeps: KEEPS[rows] }),
    ...(!COMMON.includes(list) && { own: true }),
  }
}

export const amountOperations: readonly AmountOperation[] = LISTS.flatMap((list) => [
  ...AMOUNTS.map((amount) => operation(list, amount, () => amount)),
  operation(list, 'mixed', (n) => MIXTURE[n % MIXTURE.length]!),
])
