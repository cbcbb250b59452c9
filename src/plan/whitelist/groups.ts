/** Looks up the properties that groups, the numbers about them, and facets name. */
import type { Facet, GroupAggregate, GroupEntry, GroupFunction } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import {
  isComparable, MAX_NAME_BYTES, publicPath, resolvePath, type EntityModel, type Path, type ValueType,
} from '../../model/index.ts'
import type { Operand } from '../condition-types.ts'
import type { FacetTerm, GroupNumber, GroupTerm } from '../plan-types.ts'
import { withAlias, type WithAlias } from '../alias.ts'
import { codecOfOperand, describe, operandOf, valuesOf } from '../operand.ts'
import { COUNT, typeOfNumber } from './number-types.ts'

/** @throws {ConfigError} for an unknown path, a path to many rows, and values that cannot be grouped */
export function groupTerms (group: GroupEntry, model: EntityModel): GroupTerm[] {
  const what = `AllowedGroup${group.kind === 'dates' ? '.date' : ''} '${group.field}'`
  const { path, operand, type } = toOne(group.field, model, what)
  const names = withAlias(group.alias, publicPath(path))
  if (group.kind === 'values') return [{ ...names, key: itemKey(path, what), relations: path.relations, operand, type }]
  if (type.kind !== 'date' && type.kind !== 'datetime') {
    throw new ConfigError(
      `${what}: values of type ${describe(type)} have no days; group by the values: new AllowedGroup('${group.field}').`
    )
  }
  if (type.kind === 'date' && group.timeZone !== undefined) {
    throw new ConfigError(`${what}: a date has no time zone; leave 'timeZone' out.`)
  }
  return group.units.map((unit) => ({
    ...withEnd(names, unit),
    key: itemKey(path, what, unit),
    relations: path.relations,
    operand,
    period: { unit, timeZone: group.timeZone ?? 'UTC' },
    type: { kind: 'date' },
  }))
}

/** @throws {ConfigError} for an unknown path, a path to many rows, and a function that does not work on the property */
export function groupNumbers (entry: GroupAggregate, model: EntityModel): GroupNumber[] {
  if (entry.kind === 'count') {
    return [{ ...withAlias(entry.alias, 'count'), key: 'count', function: 'count', relations: [], type: COUNT }]
  }
  const what = `AllowedAggregate '${entry.field}'`
  const { path, operand, type } = toOne(entry.field, model, what)
  return (entry.functions as readonly GroupFunction[]).map((fn) => ({
    ...withEnd(withAlias(entry.alias, publicPath(path)), fn),
    key: itemKey(path, what, fn),
    function: fn,
    relations: path.relations,
    operand,
    type: typeOfGroupNumber(fn, operand, type, what),
  }))
}

/**
 * @throws {ConfigError} for an unknown path, a path to many rows, values that cannot be grouped, and values that no
 *   filter would find
 */
export function facetTerm ({ field, alias, limit }: Facet, model: EntityModel): FacetTerm {
  const what = `AllowedFacet '${field}'`
  const { path, operand, type } = toOne(field, model, what)
  if (codecOfOperand(operand)?.oneWay === true) {
    throw new ConfigError(
      `${what}: ${holderOf(operand)} has a serializer, so that no filter would find the values that the facet shows. ` +
        'Leave the facet out, or give the property a custom type, which also reads such values.'
    )
  }
  return { ...withAlias(alias, publicPath(path)), relations: path.relations, operand, type, limit }
}

/** The property that holds the values, as developers know it. Behind a foreign key, that is one of another entity. */
function holderOf (operand: Operand): string {
  if (operand.kind !== 'relation') return `'${operand.name}'`
  const { target: { name, properties }, key: [part] } = operand
  const referred = [...properties.values()].find(({ publicName }) => publicName === part!.publicName)
  return referred?.kind === 'relation' ? holderOf(referred) : `'${referred?.name ?? part!.publicName}' of ${name}`
}

/**
 * Refuses groups and numbers that would have the same name in an item.
 *
 * @throws {ConfigError} that names both
 */
export function checkItemKeys (terms: ReadonlyArray<Pick<GroupTerm, 'name' | 'key'>>): void {
  const owners = new Map<string, string>()
  for (const { name, key } of terms) {
    const owner = owners.get(key)
    if (owner !== undefined) {
      throw new ConfigError(
        `allowedGroups and allowedAggregates: '${owner}' and '${name}' are both '${key}' in items; remove one.`
      )
    }
    owners.set(key, name)
  }
}

/** The names of a group or an aggregate with its unit or its function. */
const withEnd = ({ name, aliasOf }: WithAlias, end: string): WithAlias => ({
  name: `${name}.${end}`,
  ...aliasOf !== undefined && { aliasOf: `${aliasOf}.${end}` },
})

function toOne (field: string, model: EntityModel, what: string): { path: Path, operand: Operand, type: ValueType } {
  const path = resolvePath(model, field, what)
  const many = path.relations.find((relation) => relation.many)
  if (many !== undefined) {
    throw new ConfigError(`${what}: it can't go through the to-many relation '${many.name}', which counts rows twice.`)
  }
  const operand = operandOf(path, what)
  const { type } = valuesOf(operand, what)
  if (!isComparable(type)) {
    throw new ConfigError(`${what}: this package does not compare values of type ${describe(type)}.`)
  }
  return { path, operand, type }
}

/**
 * The name in items: a path with `_`, since a name with a point looks like a path into an object.
 *
 * @param end the unit or the function behind the path
 * @throws {ConfigError} for a name that is too long for SQL
 */
function itemKey (path: Path, what: string, end?: string): string {
  const name = publicPath(path).replaceAll('.', '_')
  const key = end === undefined ? name : `${name}_${end}`
  if (Buffer.byteLength(key) <= MAX_NAME_BYTES) return key
  throw new ConfigError(`${what}: its name '${key}' is longer than ${MAX_NAME_BYTES} bytes.`)
}

/** The type of a number about the values of a group. */
function typeOfGroupNumber (fn: GroupFunction, operand: Operand, type: ValueType, what: string): ValueType {
  if (fn === 'countDistinct') return COUNT
  const result = typeOfNumber(fn, operand, type, what)
  // the mean of integers is not one of their values, so it has all its digits, as that of decimals
  return fn === 'avg' && isExact(type) ? { kind: 'decimal', form: 'string' } : result
}

/** Whether numbers of a type have all their digits in answers. */
const isExact = (type: ValueType): boolean =>
  type.kind === 'integer' || ((type.kind === 'bigint' || type.kind === 'decimal') && type.form === 'string')
