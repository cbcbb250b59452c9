/** Literals of PostgreSQL's arrays, for MikroORM: those of its own leave out quotes that PostgreSQL needs. */

/** Without quotes PostgreSQL takes these for nothing, for null, for parts of the literal, or less than all of it (manual, section 8.15.6). */
const NEEDS_QUOTES = /^$|^null$|^[ \t\n\v\f\r]|[ \t\n\v\f\r]$|["{},\\]/i

/** The literal of PostgreSQL's text input. Without needless quotes, so that MikroORM sees no change in what it has loaded before. */
export function arrayLiteral (values: readonly unknown[]): string {
  return `{${values.map(literalOf).join(',')}}`
}

function literalOf (value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
