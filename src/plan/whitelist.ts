/**
 * A configuration meets a model: every name of the whitelist is looked up once, at start-up, and what a request may
 * say is put into maps by the names that URLs use. What does not fit is a `ConfigError` with a suggestion.
 */
import type { CustomFilterCallback, Field, Filter, Include, Operator, Pagination, QueryBuilderConfig, Sort } from '../config/index.ts'
import { ConfigError } from '../errors.ts'
import {
  convert, isComparable, isOrdered, isTextual, publicPath, resolvePath,
  type Converted, type EntityModel, type Path, type Property, type RelationProperty, type ValueType,
} from '../model/index.ts'
import type { Operand } from './types.ts'

/** A filter by operators. */
export interface OperatorFilter {
  readonly kind: 'operators'
  readonly name: string
  readonly relations: readonly RelationProperty[]
  readonly operand: Operand
  readonly type: ValueType
  readonly convert: (text: string) => Converted
  readonly defaultOperator: Operator
  readonly operators: readonly Operator[]
  /** A value without a wildcard stands anywhere in the text. */
  readonly partial: boolean
}

/** A filter by callback. */
export interface CustomFilterEntry {
  readonly kind: 'custom'
  readonly name: string
  readonly callback: CustomFilterCallback
}

export type FilterEntry = OperatorFilter | CustomFilterEntry

export interface SortTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Operand
}

export interface SortEntry {
  readonly name: string
  readonly targets: readonly SortTarget[]
  /** What a bare name means. */
  readonly descending: boolean
}

/** A relation that may be included, with what may be included and selected behind it. */
export interface IncludeEntry {
  readonly relation: RelationProperty
  /** Full path in URLs. */
  readonly name: string
  readonly parent?: IncludeEntry
  readonly fields: ReadonlyMap<string, Property>
}

export interface Whitelist {
  readonly model: EntityModel
  /** The resource's own names, any of which may stand in `fields[<name>]`. */
  readonly names: Set<string>
  readonly filters: ReadonlyMap<string, FilterEntry>
  readonly sorts: ReadonlyMap<string, SortEntry>
  readonly defaultOrder: readonly { readonly target: SortTarget, readonly descending: boolean }[]
  readonly fields: ReadonlyMap<string, Property>
  readonly includes: ReadonlyMap<string, IncludeEntry>
  readonly pagination: Pagination
  readonly ignoreInvalidErrors: boolean
}

/**
 * Looks up everything that the configuration names.
 *
 * @param name of the resource in `fields[<name>]`: its table's unless it has another
 * @throws {ConfigError} for a name that the entity doesn't have, and for an operator, sort, field or include that
 *   can't work on the property it names
 */
export function resolveWhitelist (config: QueryBuilderConfig, model: EntityModel, name: string = model.tableName): Whitelist {
  const sorts = byName('allowedSorts', config.allowedSorts.flatMap((sort) => sortEntries(sort, model)))
  const { fields, includes } = resolveIncludes(config.allowedIncludes, config.allowedFields, model)
  return Object.freeze({
    model,
    names: new Set([name]),
    filters: byName('allowedFilters', config.allowedFilters.map((filter) => filterEntry(filter, model))),
    sorts,
    defaultOrder: Object.freeze(config.defaultSort.flatMap((item) => defaultOrder(item, sorts, model))),
    fields,
    includes,
    pagination: config.pagination,
    ignoreInvalidErrors: config.ignoreInvalidErrors,
  })
}

function byName<Entry extends { readonly name: string }> (list: string, entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const map = new Map<string, Entry>()
  for (const entry of entries) {
    if (map.has(entry.name)) throw new ConfigError(`${list}: two entries are '${entry.name}' in the URL; remove one, or give it an alias.`)
    map.set(entry.name, Object.freeze(entry))
  }
  return map
}

function filterEntry (filter: Filter, model: EntityModel): FilterEntry {
  if (filter.kind === 'custom') return customEntry(filter, model)
  const what = `AllowedFilters '${filter.field}'`
  const path = resolvePath(model, filter.field, what)
  const operand = operandOf(path, what)
  const { type, convert } = valuesOf(operand, what)
  const codec = operand.kind === 'scalar' ? operand.codec : undefined
  for (const operator of filter.operators) {
    if (!accepts(type, operator, codec?.toDatabase !== undefined)) {
      throw new ConfigError(`${what}: the operator '${operator}' does not work on a property of type ${describe(type)}.`)
    }
  }
  return {
    kind: 'operators',
    name: filter.alias ?? publicPath(path),
    relations: path.relations,
    operand,
    type,
    convert,
    defaultOperator: filter.defaultOperator,
    operators: filter.operators,
    partial: filter.kind === 'partial',
  }
}

/** The name of a custom filter is free, but it can't be that of a hidden property: it would say that there is one. */
function customEntry (filter: Extract<Filter, { kind: 'custom' }>, model: EntityModel): CustomFilterEntry {
  const name = filter.alias ?? filter.field
  if (model.properties.get(filter.field)?.hidden) resolvePath(model, filter.field, `AllowedFilters.custom '${filter.field}'`)
  return { kind: 'custom', name, callback: filter.callback }
}

function operandOf ({ property }: Path, what: string): Operand {
  if (property.kind === 'scalar') return property
  if (property.kind === 'relation' && property.join.kind === 'owner') return property
  throw new ConfigError(property.kind === 'embedded'
    ? `${what}: '${property.name}' is an embedded object; name one of its properties.`
    : `${what}: '${property.name}' has no key of its own to compare; name a property behind it, such as '${property.name}.${property.target.primaryKey[0]!.property.name}'.`)
}

const COMPOSITE_KEY = 'composite key (name a property behind it)'

/** How the values of an operand are typed and converted. */
function valuesOf (operand: Operand, what: string): { type: ValueType, convert: (text: string) => Converted } {
  if (operand.kind === 'scalar') {
    return { type: operand.type, convert: operand.codec?.toDatabase ?? ((text) => convert(text, operand.type)) }
  }
  const [part, ...more] = operand.key
  if (part === undefined) throw new ConfigError(`${what}: '${operand.name}' has no key.`)
  // several values: all that can be asked of them together is whether they are there
  const type: ValueType = more.length > 0 ? { kind: 'other', columnType: COMPOSITE_KEY } : part.type
  return { type, convert: (more.length > 0 ? undefined : part.codec?.toDatabase) ?? ((text) => convert(text, type)) }
}

function accepts (type: ValueType, operator: Operator, custom: boolean): boolean {
  switch (operator) {
    case 'isnull': return true
    case 'eq': case 'ne': case 'in': case 'nin': return isComparable(type) || custom
    case 'lt': case 'lte': case 'gt': case 'gte': case 'between': return isOrdered(type)
    default: return isTextual(type)
  }
}

const describe = (type: ValueType): string => type.kind === 'other' ? type.columnType : type.kind

function sortEntries (sort: Sort, model: EntityModel): SortEntry[] {
  const targets = sort.fields.map((field) => sortTarget(field, model, `AllowedSort '${field}'`))
  const descending = sort.direction === 'desc'
  if (sort.alias !== undefined) return [{ name: sort.alias, targets, descending }]
  return targets.map(({ name, ...target }) => ({ name, targets: [target], descending }))
}

function sortTarget (field: string, model: EntityModel, what: string): SortTarget & { readonly name: string } {
  const path = resolvePath(model, field, what)
  const many = path.relations.find((relation) => relation.many)
  if (many !== undefined) throw new ConfigError(`${what}: a sort can't go through the to-many relation '${many.name}'.`)
  const operand = operandOf(path, what)
  const { type } = valuesOf(operand, what)
  if (!isComparable(type)) throw new ConfigError(`${what}: values of type ${describe(type)} have no order.`)
  return { name: publicPath(path), relations: path.relations, operand }
}

/** An item of `defaultSort`: the URL name of an allowed sort, or a property of the entity. */
function defaultOrder (item: string, sorts: ReadonlyMap<string, SortEntry>, model: EntityModel): Whitelist['defaultOrder'][number][] {
  const sign = /^[+-]/.exec(item)?.[0]
  const name = sign === undefined ? item : item.slice(1)
  const entry = sorts.get(name) ?? { targets: [sortTarget(name, model, `defaultSort '${item}'`)], descending: false }
  const descending = sign === undefined ? entry.descending : sign === '-'
  return entry.targets.map((target) => ({ target, descending }))
}

/** Includes and fields belong together: `fields[<include>]` is the path of an include as the URL writes it. */
function resolveIncludes (includes: readonly Include[], fields: readonly Field[], model: EntityModel) {
  interface Node { relation: RelationProperty, segment: string, allowed: boolean, children: Map<string, Node>, fields: Map<string, Property> }
  const root = { children: new Map<string, Node>(), fields: new Map<string, Property>() }

  const nodeAt = (relations: readonly RelationProperty[]): { children: Map<string, Node>, fields: Map<string, Property> } => {
    let node: { children: Map<string, Node>, fields: Map<string, Property> } = root
    for (const relation of relations) {
      let child = node.children.get(relation.name)
      if (child === undefined) {
        child = { relation, segment: relation.publicName, allowed: false, children: new Map(), fields: new Map() }
        node.children.set(relation.name, child)
      }
      node = child
    }
    return node
  }

  for (const include of includes) {
    const what = `AllowedInclude '${include.path}'`
    const path = resolvePath(model, include.path, what)
    if (path.property.kind !== 'relation') throw new ConfigError(`${what}: '${path.property.name}' is not a relation.`)
    const node = nodeAt([...path.relations, path.property]) as Node
    if (node.allowed) throw new ConfigError(`${what}: it is listed twice.`)
    node.allowed = true
    node.segment = include.alias ?? node.segment
  }

  for (const field of fields) {
    const what = `AllowedField '${field.field}'`
    const path = resolvePath(model, field.field, what)
    const { property } = path
    if (path.embedded.length > 0) throw new ConfigError(`${what}: an embedded object is selected as a whole.`)
    if (property.kind === 'relation' && property.join.kind !== 'owner') throw new ConfigError(`${what}: '${property.name}' is not a column; allow it as an include.`)
    const name = field.alias ?? property.publicName
    const target = nodeAt(path.relations).fields
    if (target.has(name)) throw new ConfigError(`${what}: two fields are '${name}' in the URL; remove one, or give it an alias.`)
    target.set(name, property)
  }

  const entries = new Map<string, IncludeEntry>()
  const flatten = (children: ReadonlyMap<string, Node>, parent?: IncludeEntry): void => {
    for (const node of children.values()) {
      const name = parent === undefined ? node.segment : `${parent.name}.${node.segment}`
      const entry: IncludeEntry = Object.freeze({ relation: node.relation, name, parent, fields: node.fields })
      if (node.allowed) {
        if (entries.has(name)) throw new ConfigError(`allowedIncludes: two entries are '${name}' in the URL; give one an alias.`)
        entries.set(name, entry)
      }
      flatten(node.children, entry)
    }
  }
  flatten(root.children)
  return { fields: root.fields as ReadonlyMap<string, Property>, includes: entries as ReadonlyMap<string, IncludeEntry> }
}
