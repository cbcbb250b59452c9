/** Looks up the names of the option `upsertKeys`, once for each resource, and the key that an upsert names. */
import { ConfigError } from '../base/errors.ts'
import { didYouMean } from '../base/suggest.ts'
import type { UpsertKeysConfig } from '../config/index.ts'
import {
  columnsOf, meantName, type EntityModel, type KeyColumn, type RelationProperty, type ScalarProperty,
} from '../model/index.ts'
import type { QueryParamError } from '../query/index.ts'
import { cited, refusal } from './refusal.ts'

/** A key by which upserts find records. */
export interface UpsertKey {
  readonly properties: readonly (ScalarProperty | RelationProperty)[]
  /** The columns of the properties, in order. */
  readonly columns: readonly KeyColumn[]
  /** As requests name it: `isbn`, or `tenant,code`. */
  readonly name: string
}

/**
 * Looks up the names of the option.
 *
 * @throws {ConfigError} for a name that the entity does not have, a property that cannot be a part of a key, and a key
 *   that no unique constraint guards
 */
export function resolveUpsertKeys (config: UpsertKeysConfig, model: EntityModel): readonly UpsertKey[] {
  return Object.freeze(config.map((names) => {
    const properties = names.map((name) => partOf(name, model))
    const columns = distinct(properties.flatMap(columnsOfPart))
    checkUnique(names, columns, model)
    return Object.freeze({ properties, columns, name: properties.map(({ publicName }) => publicName).join() })
  }))
}

/** The keys that a role sees as a whole. */
export function upsertKeysFor (config: UpsertKeysConfig, view: EntityModel): UpsertKeysConfig {
  return config.filter((names) => names.every((name) => view.properties.get(name)?.hidden === false))
}

function partOf (name: string, { name: entity, properties }: EntityModel): ScalarProperty | RelationProperty {
  const property = properties.get(name)
  const refuse = (reason: string): never => {
    throw new ConfigError(`"upsertKeys" of ${entity} names '${name}', ${reason}`)
  }
  if (property === undefined) {
    const meant = meantName(name, properties.values())
    throw new ConfigError(didYouMean(`"upsertKeys" of ${entity} names '${name}', which is not a property of it`, meant))
  }
  if (property.hidden) return refuse('which is hidden from clients. Show it, or use another key.')
  const isPart = property.kind === 'scalar'
    ? property.formula === undefined && property.write.persisted
    : property.kind === 'relation' && property.join.kind === 'owner'
  if (property.kind === 'embedded' || !isPart) return refuse('which has no column that takes values.')
  if (columnsOfPart(property).some(({ codec }) => codec?.write !== undefined)) {
    return refuse('whose type makes SQL of its values, so that records cannot be found by it.')
  }
  return property
}

/** Relations may share a column, such as a tenant with which all keys begin. */
const distinct = (columns: readonly KeyColumn[]): readonly KeyColumn[] =>
  columns.filter(({ column }, index) => columns.findIndex((other) => other.column === column) === index)

const columnsOfPart = (property: ScalarProperty | RelationProperty): readonly KeyColumn[] =>
  property.kind === 'scalar' ? [property] : property.key

/** A key must belong to one row, or else an upsert would change several. */
function checkUnique (
  names: readonly string[],
  columns: readonly KeyColumn[],
  { name, uniques, properties }: EntityModel
): void {
  const isSame = (unique: readonly string[]): boolean =>
    unique.length === columns.length && columns.every(({ column }) => unique.includes(column))
  const found = uniques.filter(({ columns }) => isSame(columns))
  if (found.some(({ always }) => always)) return
  const key = names.map((name) => `'${name}'`).join(' and ')
  if (found.length > 0) {
    throw new ConfigError(
      `"upsertKeys" of ${name} names ${key}, whose unique constraint has a condition ("where") or is deferred, so ` +
        'that several rows may have the same values. Add a constraint without them.'
    )
  }
  const owner = (column: string): string =>
    [...properties.values()].find((property) => property.kind !== 'embedded' && columnsOf(property).includes(column))
      ?.name ?? column
  const known = uniques.filter(({ always }) => always).map(({ columns }) => `[${columns.map(owner).join(', ')}]`)
  const how = names.length === 1
    ? `Make it unique, as in ${names[0]}: p.string().unique()`
    : `Declare it, as in uniques: [{ properties: [${names.map((name) => `'${name}'`).join(', ')}] }]`
  throw new ConfigError(
    `"upsertKeys" of ${name} names ${key}, which no unique constraint guards: several rows may have the same values. ` +
      `${how}, or use one of ${name}'s keys: ${known.join(', ')}.`
  )
}

/**
 * The key with some names, in any order.
 *
 * @param by whether the names are those of the entity or those of requests
 */
export const findUpsertKey = (
  keys: readonly UpsertKey[],
  names: readonly unknown[],
  by: 'name' | 'publicName'
): UpsertKey | undefined =>
  keys.find(({ properties }) =>
    properties.length === names.length && properties.every((property) => names.includes(property[by]))
  )

/** The parameter of an upsert's query string, which names the key. */
const ON = 'on'

/**
 * Reads the parameter `on`, which names a key by its properties, with commas between them.
 *
 * @returns the key, or an error that lists the keys
 */
export function readUpsertKey (
  on: unknown,
  keys: readonly UpsertKey[]
): { readonly key: UpsertKey, readonly error?: undefined } | {
  readonly key?: undefined,
  readonly error: QueryParamError,
} {
  const allowed = keys.map(({ name }) => name)
  const refuse = (sentence: string, given?: string) => ({
    error: refusal('FST_CRUD_QUERY_INVALID', ON, sentence, { allowed, ...given !== undefined && { given } }),
  })
  if (on === undefined) return refuse("An upsert needs the parameter 'on', which names the key that finds the record.")
  if (typeof on !== 'string') return refuse("The parameter 'on' names one key, and is given once.")
  const key = findUpsertKey(keys, on.split(','), 'publicName')
  return key === undefined ? refuse(`There is no key '${cited(on).toWellFormed()}' for upserts.`, on) : { key }
}
