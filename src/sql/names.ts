/**
 * Aliases inside a statement. Those of common table expressions hold a character that tables rarely have: an
 * expression called `page` would hide a table called `page` from the rest of the statement.
 */
export class Names {
  #tables = 0
  #expressions = 0

  /** An alias for the next table. The resource's own is always `e0`. */
  table (): string {
    return `e${this.#tables++}`
  }

  /** A name for the next common table expression. Its number comes first: PostgreSQL cuts long names at their end. */
  expression (what: string): string {
    return this.#expressions++ === 0 ? `@${what}` : `@${this.#expressions}_${what}`
  }
}
