/** An include that adds an aggregate of related records, such as their number, instead of the records themselves. */
import { readOptions, type EntryOptions, type InUrl, type NotGiven } from './entry-options.ts'
import { checkDepth, checkIncludeAlias, checkWhere } from './include-path.ts'
import { checkPath } from './names.ts'
import type { PathCheck, PathUse } from './paths.ts'

/** The function of an aggregate. */
export type AggregateFunction = 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'

/** The options of `AllowedInclude.count` and of the other aggregates. */
export interface AggregateOptions<Alias extends string = string> extends EntryOptions<Alias> {
  /** A condition on the related rows, in MikroORM's query language. Only rows that meet it count. */
  readonly where?: object
}

/** The class of `AllowedInclude.count` and the other aggregates. Frozen. */
export class AggregateInclude<
  Path extends string = NotGiven,
  Use extends PathUse = NotGiven,
  Fn extends AggregateFunction = NotGiven,
  Alias extends string = NotGiven
> {
  /** @internal Only a type: tells whether an entity has the relations and the property of the path. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Path, Use>
  /** @internal Only a type. */
  declare readonly '~url': InUrl<Path, Alias, Fn>

  /** The kind of the entry. */
  readonly kind = 'aggregate'
  /** The function: `count`, `exists`, `sum`, `min`, `max` or `avg`. */
  readonly function: Fn
  /** A path of relations. It ends with a property of the last relation, except for `count` and `exists`. */
  readonly path: Path
  /** The name in URLs and answers, if it is not the default one. */
  readonly alias: string | undefined
  /** The condition on the related records that are aggregated. */
  readonly where: object | undefined

  constructor (fn: Fn, path: Path, options?: AggregateOptions<Alias>) {
    checkPath(`AllowedInclude.${fn}`, path)
    const what = `AllowedInclude.${fn} '${path}'`
    // the other paths end with a property; which part of them is relations is only known from the entity's metadata
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
