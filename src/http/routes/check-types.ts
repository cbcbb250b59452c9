/**
 * Types that check the options of resources against their entities. TypeScript infers the type of the options as they
 * are written, and the result of a check is a type that they must also have.
 */
import type { RegisterOptions } from 'fastify'
import type { ConditionMistake } from '../../config/index.ts'
import type { CrudBase } from '../../crud/index.ts'
import type { CrudRoutesOptions } from '../route-options.ts'

/** A resource: its CRUD class, or the options of its routes. */
export type ResourceEntry = CrudBase<any> | CrudRoutesOptions

/** The options of `fastify.register(crudRoutes, ...)` for several resources. */
export interface CrudResourcesOptions {
  /** Resources by prefix, as `crudKit` takes them. */
  readonly resources: Readonly<Record<string, ResourceEntry>>
  /** What all prefixes begin with. Default: nothing. */
  readonly prefix?: string
}

/** Refuses unknown options, which an inferred type would otherwise accept, and a scope with a mistake. */
export type RoutesCheck<Options> = Options extends { readonly resources: unknown }
  ? KitCheck<Options, keyof CrudResourcesOptions>
  :
    & OnlyNames<Options, keyof CrudRoutesOptions>
    & ([ScopeMistake<Options>] extends [never] ? unknown : { readonly scope: ScopeMistake<Options> })

/** The same for options with resources, whose names are `Names`, and for each of the resources. */
export type KitCheck<Options, Names> =
  & OnlyNames<Options, Names | keyof RegisterOptions>
  & (Options extends { readonly resources: infer Resources }
    ? [ResourceMistakes<Resources, keyof Resources>] extends [never] ? unknown
        : { readonly resources: ResourceMistakes<Resources, keyof Resources> }
    : unknown)

type OnlyNames<Options, Names> = { readonly [Name in Exclude<keyof Options, Names>]: never }

/** The mistakes of all resources. A mapped type would refer to itself while the result of a scope is inferred. */
type ResourceMistakes<Resources, Prefix extends keyof Resources> = Prefix extends unknown
  ? ResourceMistake<Resources[Prefix]>
  : never

type ResourceMistake<Options> = Options extends CrudBase<any> ? never
  : Exclude<keyof Options, keyof CrudRoutesOptions> | ScopeMistake<Options>

/** `never`, or a sentence for each mistake in the scope of a resource. A scope of the declared type has none. */
type ScopeMistake<Options> = Options extends {
  readonly crud: { readonly '~types': { readonly entity: infer Entity extends object } },
  readonly scope: (...args: never[]) => infer Result,
} ? [CrudRoutesOptions<Entity>['scope']] extends [Options['scope'] | undefined] ? never
      : ConditionMistake<Entity, Awaited<Result>>
  : never

/**
 * The options of a resource for Fastify's own signatures of `register`, which cannot check a scope. TypeScript shows
 * the last signature that it has tried, so the type of `scope` is the message.
 */
export type UncheckedRoutes = Omit<CrudRoutesOptions, 'scope'> & {
  readonly scope?: 'a function whose result has names of properties of the entity and values of their types',
}
