/** The rule of a role for one entity: its rows, properties and operations. */
import type { CrudOperation } from '../config/index.ts'
import type { EntityRule } from './access-options.ts'

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
    this.#operations = operations ?? (readonly === true ? ['list', 'get'] : undefined)
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

  /** Whether the role may use an operation. */
  allows (operation: CrudOperation): boolean {
    return this.#operations === undefined || this.#operations.includes(operation)
  }
}
