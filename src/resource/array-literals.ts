/**
 * What MikroORM writes itself is to be what it was given. Its array literals leave out quotes that PostgreSQL needs:
 * 'NULL' became null, text lost the spaces around it, and line breaks beside a comma became letters.
 */
import type { Platform } from '@mikro-orm/core'

/** Corrects the literals of an ORM, unless they are right or of the application's own making. */
export function correctArrays (platform: Platform): void {
  if (platform.marshallArray(['NULL', ' ']) === '{NULL, }') platform.marshallArray = marshallArray
}

/** Without quotes PostgreSQL takes these for nothing, for null, for parts of the literal, or less than all of it (manual, section 8.15.6). */
const NEEDS_QUOTES = /^$|^null$|^[ \t\n\v\f\r]|[ \t\n\v\f\r]$|["{},\\]/i

/** The literal of PostgreSQL's text input. Without needless quotes, so that MikroORM sees no change in what it has loaded before. */
function marshallArray (values: readonly unknown[]): string {
  return `{${values.map(literalOf).join(',')}}`
}

function literalOf (value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
