/** Checks the option `access` at start-up: its shape, and the names of entities, properties and operations. */
import { asSentence, ConditionError, readCondition, withColumnValues } from '../conditions/index.ts'
import { factsOf, notAnOperation, OPERATIONS, type CrudOperation } from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import { isObjectLiteral } from '../base/is-object.ts'
import { meantName, type EntityModel } from '../model/index.ts'
import { checkOptions, shown } from '../base/option-checks.ts'
import { didYouMean, nearest } from '../base/suggest.ts'
import { checkSharedTables, namedFor } from './rule.ts'
import { OTHERS, type AccessOptions, type EntityRule } from './access-options.ts'

/** The models of an ORM's entities, by their names. */
export type Entities = ReadonlyMap<string, EntityModel>

/**
 * Checks the whole option.
 *
 * @throws {ConfigError} for the first mistake, with the nearest name if a name is unknown
 */
export function checkAccess (access: AccessOptions, entities: Entities): void {
  checkOptions('access', access, ['role', 'roles', 'documentFor'])
  if (typeof access.role !== 'function') {
    throw new ConfigError(
      `access: 'role' must be a function that returns the name of a request's role, got ${shown(access.role)}.`
    )
  }
  const { roles, documentFor } = access
  if (!isObjectLiteral(roles) || Object.keys(roles).length === 0) {
    throw new ConfigError(`access: 'roles' must be an object with the rules of at least one role, got ${shown(roles)}.`)
  }
  if (documentFor !== undefined) checkRoleName("access: 'documentFor'", documentFor, access)
  for (const [name, rules] of Object.entries(roles)) {
    if (rules !== true) checkRole(`access: roles.${name}`, rules, entities)
  }
}

/** @throws {ConfigError} for a name that is not the name of a role */
export function checkRoleName (what: string, name: unknown, { roles = {} }: AccessOptions): void {
  if (typeof name === 'string' && Object.hasOwn(roles, name)) return
  const names = Object.keys(roles)
  const near = typeof name === 'string' ? nearest(name, names) : undefined
  throw new ConfigError(
    didYouMean(`${what} is ${shown(name)}, which is not a role`, near, `Roles: ${names.join(', ')}.`)
  )
}

function checkRole (what: string, rules: unknown, entities: Entities): void {
  if (!isObjectLiteral(rules)) {
    throw new ConfigError(`${what} must be true or an object of rules by the names of entities, got ${shown(rules)}.`)
  }
  const modelsFor = (name: string) =>
    [...entities.values()].filter((model) => (namedFor(model, rules) ?? OTHERS) === name)
  for (const [name, rule] of Object.entries(rules)) {
    if (!entities.has(name) && name !== OTHERS) {
      const names = [...entities.keys()]
      const sentence = `${what} names '${name}', which is not an entity of the ORM`
      throw new ConfigError(didYouMean(sentence, nearest(name, names), `Entities: ${names.join(', ')}.`))
    }
    if (typeof rule !== 'boolean') checkRule(`${what}.${name}`, rule, modelsFor(name))
  }
  checkSharedTables(what, rules, entities)
}

/** @param models the entities that the rule is for */
function checkRule (what: string, rule: unknown, models: readonly EntityModel[]): void {
  if (!isObjectLiteral(rule)) throw new ConfigError(`${what} must be true, false or an object, got ${shown(rule)}.`)
  checkOptions(what, rule, ['rows', 'hidden', 'only', 'readonly', 'operations'])
  const { hidden, only, readonly, operations } = rule as EntityRule
  if (hidden !== undefined && only !== undefined) {
    throw new ConfigError(`${what} has both 'hidden' and 'only', and either of them says which properties exist.`)
  }
  if (hidden !== undefined) checkNames(`${what}.hidden`, hidden, models)
  if (only !== undefined) checkNames(`${what}.only`, only, models)
  if (readonly !== undefined && readonly !== true) checkNames(`${what}.readonly`, readonly, models)
  if (operations !== undefined) checkOperations(what, operations, readonly === true)
  for (const model of models) checkKey(what, rule as EntityRule, model)
  if ('rows' in rule) checkRows(`${what}.rows`, rule['rows'], models)
}

function checkNames (what: string, names: unknown, models: readonly EntityModel[]): void {
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
    throw new ConfigError(`${what} must be a list of property names, got ${shown(names)}.`)
  }
  for (const name of names as readonly string[]) {
    if (models.some(({ properties }) => properties.has(name))) continue
    const properties = models.flatMap(({ properties }) => [...properties.values()])
    const owner = models.length === 1 ? models[0]!.name : 'any entity that it stands for'
    const sentence = `${what} names '${name}', which is not a property of ${owner}`
    throw new ConfigError(didYouMean(sentence, meantName(name, properties)))
  }
}

function checkOperations (what: string, operations: unknown, readonly: boolean): void {
  if (!Array.isArray(operations)) {
    throw new ConfigError(`${what}.operations must be a list of operations, got ${shown(operations)}.`)
  }
  for (const operation of operations as readonly CrudOperation[]) {
    if (!OPERATIONS.includes(operation)) {
      throw new ConfigError(`${what}.operations: ${notAnOperation(operation)}`)
    }
    if (readonly && factsOf(operation).bodies.length > 0) {
      throw new ConfigError(
        `${what} has readonly: true, so that bodies may set nothing, but also the operation '${operation}'. ` +
          'Leave one of them out, or name the properties that are read-only.'
      )
    }
  }
}

/** Cursors and locations contain the primary key, so it cannot be hidden. */
function checkKey (what: string, { hidden = [], only }: EntityRule, { name: entity, primaryKey }: EntityModel): void {
  for (const { property: { name, hidden: always } } of primaryKey) {
    if (always || (only === undefined ? !hidden.includes(name) : only.includes(name))) continue
    throw new ConfigError(
      `${what}: '${name}' is the primary key of ${entity} and cannot be hidden, since cursors and locations contain ` +
        `it. ${only === undefined ? "Take it out of 'hidden'." : "Add it to 'only'."}`
    )
  }
}

/** Checks the rows that are the same for all requests. */
function checkRows (what: string, rows: unknown, models: readonly EntityModel[]): void {
  if (typeof rows === 'function') return
  for (const model of models) {
    try {
      withColumnValues(readCondition(rows, model))
    } catch (cause) {
      if (!(cause instanceof ConditionError)) throw cause
      throw new ConfigError(`${what} is not certainly a condition on ${model.name}: ${asSentence(cause)}`, { cause })
    }
  }
}
