/** A number about related records that a client may have with the records, instead of the related records themselves. */
import { readOptions, type EntryOptions, type InUrl } from './entry-options.ts'
import { checkDepth, checkIncludeAlias, checkWhere } from './include-path.ts'
import { checkPath } from './names.ts'
import type { PathCheck, PathUse } from './paths.ts'

/** What is made of the related records: how many there are, whether there is one, or something of their values. */
export type AggregateFunction = 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'

export interface AggregateOptions<Alias extends string = string> extends EntryOptions<Alias> {
  /** A condition in MikroORM's query language on the related rows: others do not count. */
  readonly where?: object
}

/** What `AllowedInclude.count` and its like make. Frozen. */
export class AggregateInclude<
  Path extends string = any,
  Use extends PathUse = any,
  Fn extends AggregateFunction = any,
  Alias extends string = any
> {
  /** @internal Only a type: tells whether an entity has what the path names. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Path, Use>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Path, Alias, Fn>

  readonly kind = 'aggregate'
  readonly function: Fn
  /** A path of relations, and unless they are counted, the property of the last one. */
  readonly path: Path
  readonly alias: string | undefined
  readonly where: object | undefined

  constructor (fn: Fn, path: Path, options?: AggregateOptions<Alias>) {
    checkPath(`AllowedInclude.${fn}`, path)
    const what = `AllowedInclude.${fn} '${path}'`
    // of a path to a property, the entity's metadata tells what of it is relations
    if (fn === 'count' || fn === 'exists') checkDepth(what, path.split('.').length)
    const { alias, where } = readOptions(what, options, ['alias', 'where'])
    checkIncludeAlias(what, alias)
    checkWhere(what, where)
    this.function = fn
    this.path = path
    this.alias = alias
    this.where = where
    Object.freeze(this)
  }
}
