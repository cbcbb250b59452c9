/** A filter that compares a property by operators. */
import { ConfigError } from '../errors.ts'
import { nearest } from '../suggest.ts'
import { CustomFilter, type CustomFilterCallback } from './custom-filter.ts'
import { isOptions, readOptions, type EntryOptions } from './entry-options.ts'
import { checkPath, quoted, shown } from './names.ts'
import { isOperator, OPERATOR_NAMES, type Operator } from './operators.ts'
import { PartialFilter } from './partial-filter.ts'
import type { PathCheck } from './paths.ts'

/**
 * Allows `filter[<field>]=<value>`, compared by the default operator, and `filter[<field>][<operator>]=<value>` for
 * each allowed one. An operator that isn't allowed is refused, never replaced.
 *
 * The field is a property of the entity, an owning to-one relation (compared by its key), or a path through
 * relations (`products.price`, `author.name`). Without `allowedOperators` only the default is allowed; given, they
 * must hold the default. Options come last, wherever that is. Instances are frozen.
 *
 * Throws `ConfigError` for a name, operator or option that can't be.
 *
 * @example
 * new AllowedFilters('name') // eq
 * new AllowedFilters('created_at', 'gte', ['gte', 'lte', 'gt', 'lt'])
 * new AllowedFilters('products.price', 'gte', { alias: 'min_price' })
 */
export class AllowedFilters<Field extends string = any> {
  /** @internal Only a type: tells whether an entity has the field. */
  declare readonly '~names': <Entity>(entity: Entity) => PathCheck<Entity, Field, 'filter'>

  readonly kind = 'operators'
  readonly field: Field
  readonly alias: string | undefined
  readonly defaultOperator: Operator
  /** What is allowed, in the order given. */
  readonly operators: readonly Operator[]

  constructor (field: Field, options?: EntryOptions)
  constructor (field: Field, defaultOperator?: Operator, options?: EntryOptions)
  constructor (
    field: Field, defaultOperator?: Operator, allowedOperators?: readonly Operator[], options?: EntryOptions
  )
  constructor (field: Field, ...args: unknown[]) {
    checkPath('AllowedFilters', field)
    const what = `AllowedFilters '${field}'`
    const options = isOptions(args.at(-1)) ? args.pop() : undefined
    const [defaultOperator = 'eq', allowed, ...rest] = args
    this.field = field
    this.defaultOperator = readOperator(what, defaultOperator)
    this.operators = readOperators(what, allowed, this.defaultOperator)
    this.alias = readOptions(what, options ?? rest[0], ['alias']).alias
    Object.freeze(this)
  }

  /**
   * Allows `filter[<field>]=<value>` for equality, and no other operator.
   *
   * @example
   * AllowedFilters.exact('name')
   */
  static exact<Field extends string> (field: Field, options?: EntryOptions): AllowedFilters<Field> {
    return new AllowedFilters(field, options)
  }

  /**
   * Allows `filter[<field>]=<value>` for text that holds the value anywhere, case-sensitive, and
   * `filter[<field>][ilike]=<value>` for the same without regard to case. A value with an unescaped `%` is the
   * pattern as given; any other is literal.
   *
   * @example
   * AllowedFilters.partial('description')
   */
  static partial<Field extends string> (field: Field, options?: EntryOptions): PartialFilter<Field> {
    return new PartialFilter(field, options)
  }

  /**
   * Allows `filter[<name>]=<value>` and leaves to the callback what it means. The name need not be a property. The
   * value is the text as it came, or the texts where the parameter was repeated; the callback returns the builder,
   * narrowed. It is synchronous.
   *
   * @example
   * AllowedFilters.custom('status', (qb, value) => qb.andWhere({ status: String(value).toUpperCase() }))
   */
  static custom<Entity extends object = any> (
    name: string, callback: CustomFilterCallback<Entity>, options?: EntryOptions
  ): CustomFilter<Entity> {
    return new CustomFilter(name, callback, options)
  }
}

function readOperator (what: string, operator: unknown): Operator {
  if (isOperator(operator)) return operator
  const suggestion = typeof operator === 'string' ? nearest(operator, OPERATOR_NAMES) : undefined
  throw new ConfigError(`${what}: unknown operator ${shown(operator)}. ` +
    (suggestion === undefined ? `Operators: ${quoted(OPERATOR_NAMES)}` : `Did you mean '${suggestion}'?`))
}

function readOperators (what: string, allowed: unknown, defaultOperator: Operator): readonly Operator[] {
  if (allowed === undefined) return Object.freeze([defaultOperator])
  if (!Array.isArray(allowed)) {
    throw new ConfigError(`${what}: the allowed operators must be an array, got ${shown(allowed)}`)
  }
  const operators = allowed.map(operator => readOperator(what, operator))
  const repeated = operators.find((operator, index) => operators.indexOf(operator) !== index)
  if (repeated !== undefined) throw new ConfigError(`${what}: operator '${repeated}' is listed twice`)
  if (!operators.includes(defaultOperator)) {
    throw new ConfigError(`${what}: the allowed operators must hold the default, '${defaultOperator}'`)
  }
  return Object.freeze(operators)
}
