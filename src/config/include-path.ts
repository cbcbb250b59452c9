/** The relations that an include passes. */
import { ConfigError } from '../errors.ts'

/** How many relations deep an include may go. */
export const MAX_INCLUDE_DEPTH = 3

/** Refuses a path of more relations than an include may pass. `what` begins the message. */
export function checkDepth (what: string, relations: number): void {
  if (relations > MAX_INCLUDE_DEPTH) {
    throw new ConfigError(`${what}: includes go ${MAX_INCLUDE_DEPTH} relations deep, this one goes ${relations}`)
  }
}

/** Refuses an alias with a dot: in an include it stands between two relations. `what` begins the message. */
export function checkIncludeAlias (what: string, alias: string | undefined): void {
  if (alias?.includes('.') === true) {
    throw new ConfigError(
      `${what}: alias '${alias}' holds a dot, which separates relations in an include; an alias names the last one only`
    )
  }
}

/** Refuses what can't be a condition in MikroORM's query language. */
export function checkWhere (what: string, where: unknown): asserts where is object | undefined {
  if (where === undefined) return
  if (typeof where !== 'object' || where === null || Array.isArray(where)) {
    throw new ConfigError(
      `${what}: where must be a condition in MikroORM's query language, an object such as { status: 'active' }`
    )
  }
}
