/** A relation that a client may have loaded with the records. */
import { ConfigError } from '../errors.ts'
import { readOptions, type EntryOptions } from './entry-options.ts'
import { checkPath } from './names.ts'
import type { PathCheck } from './paths.ts'

/** How many relations deep an include may go. */
export const MAX_INCLUDE_DEPTH = 3

/**
 * Allows `include=<path>`. The path names a relation, or one behind others (`products.tags`); it is at most three
 * deep and includes what it passes. Frozen.
 *
 * Throws `ConfigError` for a path or option that can't be.
 *
 * @example
 * new AllowedInclude('products.tags')
 * new AllowedInclude('author', { alias: 'user' })
 */
export class AllowedInclude<Path extends string = any> {
  /** @internal Only a type: tells whether an entity has the relations. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Path, 'include'>

  readonly kind = 'relation'
  readonly path: Path
  readonly alias: string | undefined

  constructor (path: Path, options?: EntryOptions) {
    checkPath('AllowedInclude', path)
    const what = `AllowedInclude '${path}'`
    const depth = path.split('.').length
    if (depth > MAX_INCLUDE_DEPTH) {
      throw new ConfigError(`${what}: includes go ${MAX_INCLUDE_DEPTH} relations deep, this one goes ${depth}`)
    }
    this.path = path
    this.alias = readOptions(what, options, ['alias']).alias
    Object.freeze(this)
  }
}
