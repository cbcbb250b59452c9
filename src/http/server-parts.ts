/** Reads private parts of a Fastify instance, for which it has no public way. */

/**
 * The value of a symbol of an instance, its own or that of an instance around it.
 *
 * @param description of the symbol, e.g. `fastify.options`
 */
export function serverPart (instance: object, description: string): unknown {
  for (let owner: object | null = instance; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
    const symbol = Object.getOwnPropertySymbols(owner).find((symbol) => symbol.description === description)
    if (symbol !== undefined) return (owner as Record<symbol, unknown>)[symbol]
  }
  return undefined
}
