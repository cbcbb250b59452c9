/** Literals of PostgreSQL arrays for MikroORM, whose own literals lack quotes that PostgreSQL needs. */

/**
 * Items that need quotes. Without them PostgreSQL reads an item as missing, as null or as part of the literal, or trims
 * it (manual, section 8.15.6).
 */
const NEEDS_QUOTES = /^$|^null$|^[ \t\n\v\f\r]|[ \t\n\v\f\r]$|["{},\\]/i

/**
 * The literal that PostgreSQL's text input reads. It has no unnecessary quotes, so that MikroORM does not see a change
 * in arrays that it has loaded.
 */
export function minimalArrayLiteral (values: readonly unknown[]): string {
  return `{${values.map(literalOf).join(',')}}`
}

function literalOf (value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
