/** The names of numbers about relations in records. */
import type { Path } from './path.ts'

/**
 * The name of a number about the relation at the end of a path, or about a property behind it.
 *
 * @example
 * aggregateName(resolvePath(category, 'products.unit_price', ''), 'sum') // 'productsUnitPriceSum'
 */
export function aggregateName ({ relations, embedded, property }: Path, fn: string): string {
  const parts = property.kind === 'relation' ? [property] : [...relations.slice(-1), ...embedded, property]
  return camelCase(parts.map(({ publicName }) => publicName), fn)
}

/** Joins names: `products`, `unit_price` and `sum` become `productsUnitPriceSum`. */
function camelCase (names: readonly string[], last: string): string {
  return [...names, last]
    .map((name) => name.replace(/(?<=[^_-])[_-]+([^_-])/g, (_, letter: string) => letter.toUpperCase()))
    .map((name, index) => index === 0 ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`)
    .join('')
}
