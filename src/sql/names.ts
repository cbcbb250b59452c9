/**
 * Aliases inside a statement. The names of common table expressions contain a character that table names rarely have,
 * because an expression called `page` would shadow a table called `page` in the rest of the statement.
 * The aliases of a whitelist are in `src/config/entry-arguments.ts`.
 */
export class Names {
  #tables = 0
  #expressions = 0

  /** An alias for the next table. The table of the resource is always `e0`. */
  table (): string {
    return `e${this.#tables++}`
  }

  /**
   * A name for the next common table expression. The number comes first, because PostgreSQL cuts off the end of long
   * names.
   */
  expression (what: string): string {
    return this.#expressions++ === 0 ? `@${what}` : `@${this.#expressions}_${what}`
  }
}
