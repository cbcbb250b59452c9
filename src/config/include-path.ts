/** Checks the paths of includes. */
import { ConfigError } from '../base/errors.ts'

/** Largest number of relations in a path of an include. */
export const MAX_INCLUDE_DEPTH = 3

/** Refuses a path with more relations than an include may have. `what` is the beginning of the error's message. */
export function checkDepth (what: string, relations: number): void {
  if (relations > MAX_INCLUDE_DEPTH) {
    throw new ConfigError(`${what}: includes go ${MAX_INCLUDE_DEPTH} relations deep, this one goes ${relations}`)
  }
}

/**
 * Refuses an alias with a dot, because a dot separates relations in an include. `what` is the beginning of the error's
 * message.
 */
export function checkIncludeAlias (what: string, alias: string | undefined): void {
  if (alias?.includes('.') === true) {
    throw new ConfigError(
      `${what}: alias '${alias}' holds a dot, which separates relations in an include; an alias names the last one only`
    )
  }
}

/** Refuses values that are not a condition in MikroORM's query language. */
export function checkWhere (what: string, where: unknown): asserts where is object | undefined {
  if (where === undefined) return
  if (typeof where !== 'object' || where === null || Array.isArray(where)) {
    throw new ConfigError(
      `${what}: where must be a condition in MikroORM's query language, an object such as { status: 'active' }`
    )
  }
}
