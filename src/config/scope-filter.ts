/** A filter that switches on a filter of MikroORM. */
import { ConfigError } from '../base/errors.ts'
import { shown } from '../base/option-checks.ts'
import { BaseFilter } from './base-filter.ts'
import { isOptions, readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'
import { checkPath, checkUrlName } from './names.ts'
import type { PathCheck } from './paths.ts'

export interface ScopeOptions<
  Field extends string = string,
  Alias extends string = string
> extends EntryOptions<Alias> {
  /** Name of the MikroORM filter. Default: the name of this filter. */
  readonly filter?: string
  /**
   * The filter's parameters, in the order of the values in the URL. Each names a property of the entity, and its value
   * has the type of that property. Default: no parameters; then the URL has `true` or `false`.
   */
  readonly params?: Readonly<Record<string, Field>>
}

/** The class of `AllowedFilters.scope`. Frozen. */
export class ScopeFilter<
  Field extends string = NotGiven,
  Name extends string = NotGiven,
  Alias extends string = NotGiven,
  Params = NotGiven
> extends BaseFilter {
  /** @internal Only a type: tells whether an entity has the properties. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Name, Alias, Params>

  readonly kind = 'scope'
  /** The filter's name in the URL, which is not a property. */
  readonly field: string
  readonly alias: string | undefined
  /** Name of the MikroORM filter. */
  readonly filter: string
  readonly params: Readonly<Record<string, Field>>

  constructor (name: Name, options?: ScopeOptions<Field, Alias>) {
    super()
    checkUrlName('AllowedFilters.scope', 'name', name)
    const what = `AllowedFilters.scope '${name}'`
    const { alias, filter = name, params = {} } = readOptions(what, options, ['alias', 'filter', 'params'])
    if (typeof filter !== 'string') {
      throw new ConfigError(`${what}: filter must be the name of a MikroORM filter, got ${shown(filter)}`)
    }
    if (!isOptions(params)) throw new ConfigError(`${what}: params must be an object, got ${shown(params)}`)
    for (const [param, property] of Object.entries(params)) checkPath(`${what}: the parameter '${param}'`, property)
    this.field = name
    this.filter = filter
    this.params = Object.freeze({ ...params }) as Readonly<Record<string, Field>>
    this.alias = alias
    Object.freeze(this)
  }
}
