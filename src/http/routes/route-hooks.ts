/** Merges the hooks of routes. */
import type { preParsingHookHandler, RouteOptions } from 'fastify'
import type { CrudOperation, CrudRoutesOptions, RouteHooks } from '../route-options.ts'

/**
 * The hooks of a route, in this order: `first`, those of all operations, and those of its operations. The route of
 * create and createMany has the hooks of both.
 */
export function hooksOf (
  { hooks = {} }: CrudRoutesOptions,
  operations: readonly CrudOperation[],
  first: RouteHooks | undefined
): RouteHooks {
  const merged: Record<string, unknown[]> = {}
  for (const some of [first, hooks.all, ...operations.map((operation) => hooks[operation])]) {
    for (const [hook, functions] of Object.entries(some ?? {})) (merged[hook] ??= []).push(...[functions].flat())
  }
  return merged as RouteHooks
}

/** The hooks of a route that run after all others. */
interface FinalHooks {
  readonly preParsing?: preParsingHookHandler | undefined
  readonly preValidation: readonly PreValidation[]
}

export type PreValidation = Extract<RouteOptions['preValidation'], readonly unknown[]>[number]

/**
 * Hooks on `preParsing` and `preValidation` that run after all others of their route, including those that the
 * application's `onRoute` hooks add to it. Routes are recognized by `config.crud`, which their HEAD routes share.
 */
export class LastHooks {
  readonly #hooks = new WeakMap<object, FinalHooks>()

  /** Keeps the hooks of the routes that have this object as `config.crud`. */
  keep (crud: object, hooks: FinalHooks): void {
    this.#hooks.set(crud, hooks)
  }

  /** A hook on `onRoute` that appends the hooks. It must be added after the application's hooks on `onRoute`. */
  readonly append = (route: RouteOptions): void => {
    const crud = (route.config as { readonly crud?: object } | undefined)?.crud
    const hooks = crud && this.#hooks.get(crud)
    if (hooks === undefined) return
    const { preParsing, preValidation } = hooks
    route.preValidation = [...[route.preValidation ?? []].flat(), ...preValidation]
    if (preParsing !== undefined) route.preParsing = [...[route.preParsing ?? []].flat(), preParsing]
  }
}
