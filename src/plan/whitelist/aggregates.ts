/** Looks up the properties that the allowed aggregates of relations name. */
import { checkDepth, type AggregateFunction, type AggregateInclude } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import {
  aggregateName,
  MAX_NAME_BYTES,
  resolvePath,
  type EntityModel,
  type Path,
  type RelationProperty,
  type ScalarProperty,
  type ValueType,
} from '../../model/index.ts'
import type { Aggregate } from '../condition-types.ts'
import { COUNT, typeOfNumber } from './number-types.ts'

/** An aggregate, and the relations that lead to the records that show it. */
export interface ResolvedAggregate {
  /** The entry of the whitelist, for messages. */
  readonly what: string
  readonly relations: readonly RelationProperty[]
  /** The last part of its name in URLs. */
  readonly segment: string
  readonly aggregate: Aggregate
}

/** @throws {ConfigError} for an unknown path, and for a function that does not work on the property that it names */
export function resolveAggregate (
  { function: fn, path: text, alias, where }: AggregateInclude,
  model: EntityModel
): ResolvedAggregate {
  const what = `AllowedInclude.${fn} '${text}'`
  const path = resolvePath(model, text, what)
  const { relations, relation, property } = fn === 'count' || fn === 'exists'
    ? relationAt(path, what)
    : propertyBehind(path, what)
  checkDepth(what, relations.length + 1)
  if (fn !== 'exists' && !relation.many) {
    throw new ConfigError(
      `${what}: '${relation.name}' is a to-one relation. ` +
        (fn === 'count'
          ? 'Ask whether there is one with AllowedInclude.exists.'
          : 'There is at most one value: allow the relation as an include.')
    )
  }
  const name = aggregateName(path, fn)
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new ConfigError(`${what}: its name '${name}' is longer than ${MAX_NAME_BYTES} bytes.`)
  }
  const aggregate: Aggregate = Object.freeze({
    name,
    function: fn,
    relation,
    property,
    type: typeOfAggregate(fn, property, what),
    where,
  })
  return { what, relations, segment: alias ?? name, aggregate }
}

interface Aggregated {
  readonly relations: readonly RelationProperty[]
  readonly relation: RelationProperty
  readonly property?: ScalarProperty
}

function relationAt ({ relations, property }: Path, what: string): Aggregated {
  if (property.kind !== 'relation') throw new ConfigError(`${what}: '${property.name}' is not a relation.`)
  return { relations, relation: property }
}

function propertyBehind ({ relations, property }: Path, what: string): Aggregated {
  const relation = relations.at(-1)
  if (property.kind === 'relation') {
    throw new ConfigError(
      `${what}: name a property of its records, such as '${
        [...relations, property, property.target.primaryKey[0]!.property].map(({ name }) => name).join('.')
      }'.`
    )
  }
  if (relation === undefined) {
    throw new ConfigError(`${what}: it is a property of the record itself; name one behind a to-many relation.`)
  }
  if (property.kind === 'embedded') {
    throw new ConfigError(`${what}: '${property.name}' is an embedded object; name one of its properties.`)
  }
  return { relations: relations.slice(0, -1), relation, property }
}

/** The type of the result, which depends on the type of the property. */
function typeOfAggregate (fn: AggregateFunction, property: ScalarProperty | undefined, what: string): ValueType {
  if (fn === 'count') return COUNT
  if (fn === 'exists' || property === undefined) return { kind: 'boolean' }
  return typeOfNumber(fn, property, property.type, what)
}
