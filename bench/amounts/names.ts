/** The names of the operations whose filters keep different numbers of rows. */
export const AMOUNTS = ['0', '30', '1000', '5000', 'half'] as const
export type Amount = typeof AMOUNTS[number]

export const LISTS = ['list', 'include', 'search', 'words', 'either', 'facets', 'groups'] as const
export type ListName = typeof LISTS[number]

export type AmountOperationName = `${ListName}-${Amount | 'mixed'}`
