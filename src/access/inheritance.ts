/**
 * Rules and single-table inheritance. The rows of a class are rows of the classes that it extends, too, so that
 * different rules for them would contradict each other.
 */
import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import { OTHERS } from './access-options.ts'

type Rules = Readonly<Record<string, unknown>>

/** The name whose rule an entity has: its own, or else that of the nearest class that it extends. */
export function namedFor ({ name, ancestors }: EntityModel, rules: Rules): string | undefined {
  return [name, ...ancestors].find((candidate) => Object.hasOwn(rules, candidate))
}

/** @throws {ConfigError} if an entity and a class that it extends have different rules */
export function checkSharedTables (what: string, rules: Rules, entities: ReadonlyMap<string, EntityModel>): void {
  for (const { name, ancestors } of entities.values()) {
    if (!Object.hasOwn(rules, name)) continue
    for (const [index, ancestor] of ancestors.entries()) {
      const source = [...ancestors.slice(index), OTHERS].find((candidate) => Object.hasOwn(rules, candidate))
      if (source === undefined || agree(rules[name], rules[source], source)) continue
      const named = source === OTHERS ? `names ${name}, and '*' stands for ${ancestor}` : `names ${name} and ${source}`
      const base = source === OTHERS ? ancestor : source
      throw new ConfigError(
        `${what} ${named}, with different rules, but ${name} extends ${base} and their rows share a table. ` +
          `Name only ${base}, whose rule ${name} then has, or only the subclasses` +
          `${source === OTHERS || Object.hasOwn(rules, OTHERS) ? ` beside ${base}: false` : ''}.`
      )
    }
  }
}

/**
 * Whether the rule of a class may stand beside the rule of a class that it extends. `'*'` may give the latter less.
 */
function agree (own: unknown, base: unknown, source: string): boolean {
  return base === false || isDeepStrictEqual(own, base) || (source === OTHERS && own === true)
}
