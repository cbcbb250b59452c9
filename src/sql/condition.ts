/** Conditions to SQL. */
import type { EntityModel, RelationProperty } from '../model/index.ts'
import type { Comparable, Condition, Deleted, JsonValue, Plan, Slot } from '../plan/index.ts'
import { EMPTY, join, literal, name, sql, trusted, type Sql } from './fragment.ts'
import { column } from './json.ts'
import { Names } from './names.ts'

/** What applies to every row of an entity, wherever it is read: MikroORM's filters, compiled for an alias. */
export type EntityFilter = (model: EntityModel, alias: string) => Sql | undefined

/** A condition in MikroORM's words that is the same for every request: a relation's own (its `where`), or the whitelist's. */
export type ConstantCondition = (where: object, model: EntityModel, alias: string) => Sql | undefined

/** All that conditions need to know besides themselves. */
export interface ConditionContext {
  readonly names: Names
  readonly filter: EntityFilter
  readonly constant: ConstantCondition
}

/** What conditions of a plan need: its own filters, and for other entities those in MikroORM's words. */
export function contextOf ({ filters }: Pick<Plan, 'filters'>, { filter, constant }: Omit<ConditionContext, 'names'>): ConditionContext {
  const context: ConditionContext = {
    names: new Names(),
    filter: (model, alias) => {
      const own = filters?.get(model)
      return own === undefined ? filter(model, alias) : allSql(own, alias, context)
    },
    constant,
  }
  return context
}

/** What makes a row one of a relation's: visible, and what the relation says. */
export function relatedVisibility ({ target, where }: RelationProperty, alias: string, { filter, constant }: ConditionContext): Sql[] {
  const conditions = visibility(target, alias, 'without', filter)
  const own = where && constant(where, target, alias)
  return own === undefined ? conditions : [...conditions, own]
}

/** ` where ...`, or nothing. */
export function whereClause (conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? EMPTY : sql` where ${join(conditions, ' and ')}`
}

/** What makes a row visible at all: its class (single-table inheritance), not being deleted, and MikroORM's filters. */
export function visibility (model: EntityModel, alias: string, deleted: Deleted, filter: EntityFilter): Sql[] {
  const conditions: Sql[] = []
  if (model.discriminator !== undefined) {
    const values = model.discriminator.values.map((value) => typeof value === 'number' ? trusted(String(value)) : literal(value))
    conditions.push(sql`${name(alias, model.discriminator.column)} in (${join(values)})`)
  }
  if (model.deletedAt !== undefined && deleted !== 'with') conditions.push(sql`${column(model.deletedAt, alias)} ${trusted(deleted === 'only' ? 'is not null' : 'is null')}`)
  const filtered = filter(model, alias)
  if (filtered !== undefined) conditions.push(filtered)
  return conditions
}

export function conditionSql (condition: Condition, alias: string, context: ConditionContext): Sql {
  switch (condition.kind) {
    case 'compare': return sql`${operand(condition.operand, alias)} ${trusted(condition.comparison)} ${bound(condition.operand, condition.slot)}`
    case 'list': return condition.negated
      ? sql`${operand(condition.operand, alias)} <> all(${boundList(condition.operand, condition.slot)})`
      : sql`${operand(condition.operand, alias)} = any(${boundList(condition.operand, condition.slot)})`
    case 'between': return sql`${operand(condition.operand, alias)} between ${bound(condition.operand, condition.low)} and ${bound(condition.operand, condition.high)}`
    case 'pattern': return condition.insensitive
      ? sql`${operand(condition.operand, alias)} ilike ${condition.slot}`
      : sql`${operand(condition.operand, alias)} like ${condition.slot}`
    case 'array': return sql`${operand(condition.operand, alias)} ${trusted(condition.wants === 'all' ? '@>' : '&&')} ${condition.slot}`
    case 'null': return nullSql(condition.operand, condition.negated, alias)
    case 'key': return sql`${name(alias, condition.column.column)} = ${condition.slot}`
    case 'related': return relatedSql(condition.relation, condition.conditions, alias, context)
    case 'any': return sql`(${join(condition.conditions.map((alternative) => conditionSql(alternative, alias, context)), ' or ')})`
    case 'all': return sql`(${allSql(condition.conditions, alias, context)})`
  }
}

const allSql = (conditions: readonly Condition[], alias: string, context: ConditionContext): Sql =>
  join(conditions.map((condition) => conditionSql(condition, alias, context)), ' and ')

/** What an operand reads: its column, an owning relation's foreign key, or a place inside of a JSON column. */
export function operand (operand: Comparable, alias: string): Sql {
  switch (operand.kind) {
    case 'scalar': return column(operand, alias)
    case 'relation': return name(alias, operand.key[0]!.column)
    case 'json': return jsonOperand(operand, alias)
  }
}

/** Text as it is; another type only where the JSON has one of it, since a cast of anything else would fail. */
function jsonOperand (value: JsonValue, alias: string): Sql {
  const text = jsonText(value, alias)
  const { type, property } = value
  if (type.kind !== 'decimal' && type.kind !== 'boolean') return sql`(${text})`
  const [typeName, cast] = type.kind === 'boolean' ? ["'boolean'", '::boolean'] : ["'number'", '::numeric']
  const typeOf = trusted(property.type.kind === 'json' && property.type.binary ? 'jsonb_typeof' : 'json_typeof')
  return sql`(case when ${typeOf}(${jsonAt(value, alias, '->')}) = ${trusted(typeName!)} then (${text})${trusted(cast!)} end)`
}

const jsonText = (value: JsonValue, alias: string): Sql => jsonAt(value, alias, '->>')

function jsonAt ({ property, keys }: JsonValue, alias: string, last: '->' | '->>'): Sql {
  return join([column(property, alias), ...keys.map((key, index) => sql`${trusted(index === keys.length - 1 ? last : '->')}${literal(key)}`)], '')
}

/** A bound value, inside what the operand's custom type puts around it. */
export function bound (operand: Comparable, slot: Slot): Sql {
  return written(operand, sql`${slot}`) ?? sql`${slot}`
}

/** A bound array, each of its elements inside what the operand's custom type puts around a value. */
function boundList (operand: Comparable, slot: Slot): Sql {
  const value = written(operand, name(ELEMENT))
  return value === undefined ? sql`${slot}` : sql`array(select ${value} from unnest(${slot}::text[]) as ${name(ELEMENTS)}(${name(ELEMENT)}))`
}

const ELEMENTS = '@values'
const ELEMENT = '@value'

function written (operand: Comparable, value: Sql): Sql | undefined {
  const write = operand.kind === 'scalar' ? operand.codec?.write : undefined
  if (write === undefined) return undefined
  const [before = '', after = ''] = write.split('?', 2)
  return sql`${trusted(before)}${value}${trusted(after)}`
}

function nullSql (operand: Comparable, negated: boolean, alias: string): Sql {
  const columns = operand.kind === 'relation'
    ? operand.key.map((part) => name(alias, part.column))
    : [operand.kind === 'json' ? sql`(${jsonText(operand, alias)})` : column(operand, alias)]
  const test = trusted(negated ? ' is not null' : ' is null')
  return join(columns.map((value) => sql`${value}${test}`), ' and ')
}

/** `a`, or `(a, b)`. */
export function tuple (alias: string, columns: readonly string[]): Sql {
  const names = columns.map((column) => name(alias, column))
  return names.length === 1 ? names[0]! : sql`(${join(names)})`
}

/** The columns of both sides of a pair of column lists are equal. */
export function matching (left: string, leftColumns: readonly string[], right: string, rightColumns: readonly string[]): Sql {
  return join(leftColumns.map((column, index) => sql`${name(left, column)} = ${name(right, rightColumns[index]!)}`), ' and ')
}

/**
 * The row has a related row for which all conditions hold: `key in (select ...)`. Being a set of keys it never
 * multiplies rows, and a distributed database can run it where a correlated subquery is refused.
 */
function relatedSql (relation: RelationProperty, conditions: readonly Condition[], alias: string, context: ConditionContext): Sql {
  const { join: by, target } = relation
  const related = context.names.table()
  const where = [
    ...relatedVisibility(relation, related, context),
    ...conditions.map((condition) => conditionSql(condition, related, context)),
  ]
  const from = sql`${trusted(target.table)} as ${name(related)}`
  if (by.kind !== 'pivot') {
    const columns = join(by.targetColumns.map((column) => name(related, column)))
    return sql`${tuple(alias, by.columns)} in (select ${columns} from ${from}${whereClause(where)})`
  }
  const pivot = context.names.table()
  const columns = join(by.pivotColumns.map((column) => name(pivot, column)))
  const on = matching(related, by.targetColumns, pivot, by.pivotTargetColumns)
  return sql`${tuple(alias, by.columns)} in (select ${columns} from ${trusted(by.table)} as ${name(pivot)} inner join ${from} on ${on}${whereClause(where)})`
}
