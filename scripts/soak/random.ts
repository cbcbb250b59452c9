/** A whole number from 1 to `max`. */
export const upTo = (max: number): number => 1 + Math.floor(Math.random() * max)

export const pick = <T>(items: readonly T[]): T => items[upTo(items.length) - 1]!
