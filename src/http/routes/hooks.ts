/** Merges the hooks of routes. */
import type { CrudOperation } from '../options.ts'
import type { CrudRoutesOptions, RouteHooks } from './options.ts'

/**
 * The hooks of a route, in this order: `first`, those of all operations, those of its operations, and `last`. The route
 * of create and createMany has the hooks of both.
 */
export function hooksOf (
  { hooks = {} }: CrudRoutesOptions,
  operations: readonly CrudOperation[],
  first: RouteHooks | undefined,
  last?: RouteHooks
): RouteHooks {
  const merged: Record<string, unknown[]> = {}
  for (const some of [first, hooks.all, ...operations.map((operation) => hooks[operation]), last]) {
    for (const [hook, functions] of Object.entries(some ?? {})) (merged[hook] ??= []).push(...[functions].flat())
  }
  return merged as RouteHooks
}
