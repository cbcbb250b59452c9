/** The rule of a role for one entity: its rows, properties and operations. */
import { isDeepStrictEqual } from 'node:util'
import { equalitiesOf, isEmptyObject, readConstant, type Equalities } from '../conditions/index.ts'
import { factsOf, OPERATIONS, type CrudOperation } from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import { OTHERS, type EntityRule } from './access-options.ts'

/** The operations of a role that writes nothing. */
const READS = OPERATIONS.filter((operation) => !factsOf(operation).writes)

export class Rule {
  /** The rows that the role may use, as the application wrote them; `undefined` for all. */
  readonly rows: EntityRule['rows']
  /** Whether the application has set no limits on purpose: the rule is `true`. */
  readonly unlimited: boolean
  readonly #hidden: ReadonlySet<string>
  readonly #only: ReadonlySet<string> | undefined
  readonly #readonly: true | ReadonlySet<string>
  readonly #operations: readonly CrudOperation[] | undefined

  constructor (rule: true | EntityRule) {
    const { rows, hidden = [], only, readonly = [], operations }: EntityRule = rule === true ? {} : rule
    this.unlimited = rule === true
    this.rows = rows
    this.#hidden = new Set(hidden)
    this.#only = only && new Set(only)
    this.#readonly = readonly === true || new Set(readonly)
    this.#operations = operations ?? (readonly === true ? READS : undefined)
  }

  /** Whether the role may use some rows only: `rows` are there, and they are not `{}`, which means all rows. */
  get limitsRows (): boolean {
    return typeof this.rows === 'function' || (this.rows !== undefined && !isEmptyObject(this.rows))
  }

  /** Whether a property does not exist for the role. */
  hides (property: string): boolean {
    return this.#only === undefined ? this.#hidden.has(property) : !this.#only.has(property)
  }

  /** Whether the list `hidden` names a property. */
  namesHidden (property: string): boolean {
    return this.#hidden.has(property)
  }

  /** Whether the list `readonly` names a property. */
  namesReadonly (property: string): boolean {
    return this.#readonly !== true && this.#readonly.has(property)
  }

  /** Whether bodies may not set a property. */
  freezes (property: string): boolean {
    return this.#readonly === true || this.#readonly.has(property)
  }

  /** The values of properties that `rows` require, unless they depend on the request. */
  requiredBy (model: EntityModel): Equalities['equalities'] {
    return typeof this.rows === 'object' ? equalitiesOf(readConstant(this.rows, model)).equalities : NOTHING_REQUIRED
  }

  /** Whether the role may use an operation. */
  allows (operation: CrudOperation): boolean {
    return this.#operations === undefined || this.#operations.includes(operation)
  }
}

const NOTHING_REQUIRED: Equalities['equalities'] = new Map()

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
