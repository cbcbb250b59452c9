/** Looks up the relations and properties that allowed includes and fields name. */
import { readSignedName, type AllowedInclude, type Field, type Include } from '../../config/index.ts'
import type { ConfigMistakes } from '../../base/config-mistakes.ts'
import { ConfigError } from '../../base/errors.ts'
import { resolvePath, type EntityModel, type Property, type RelationProperty } from '../../model/index.ts'
import type { WithAlias } from '../alias.ts'
import type { Aggregate, OrderTerm, RelatedNumber, RelatedNumbers } from '../condition-types.ts'
import type { IncludeRules } from '../plan-types.ts'
import { resolveAggregate, type ResolvedAggregate } from './aggregates.ts'
import { sortTarget } from './sorts.ts'

/** A relation that may be included, and the fields of its records that may be selected. */
export interface RelationEntry {
  readonly kind: 'relation'
  readonly relation: RelationProperty
  /** The full path in URLs. */
  readonly name: string
  readonly parent?: RelationEntry
  readonly fields: ReadonlyMap<string, Property>
  readonly rules?: IncludeRules
}

/** A number about a relation that may be included. */
export interface AggregateEntry {
  readonly kind: 'aggregate'
  readonly aggregate: Aggregate
  /** The full path in URLs. */
  readonly name: string
  readonly parent?: RelationEntry
}

export type IncludeEntry = RelationEntry | AggregateEntry

/** The relations that lead from the records of the resource to the included records. */
export function includePath (entry: IncludeEntry): readonly RelationProperty[] {
  const relation = entry.kind === 'relation' ? entry.relation : entry.aggregate.relation
  return entry.parent === undefined ? [relation] : [...includePath(entry.parent), relation]
}

/** The name of an include, and its path. */
export function namesOfInclude (entry: IncludeEntry): WithAlias {
  const path = includePath(entry).map(({ publicName }) => publicName)
  if (entry.kind === 'aggregate') path.splice(-1, 1, entry.aggregate.name)
  return { name: entry.name, aliasOf: path.join('.') }
}

/** The records behind an include, or the records of the resource at the root, and what they may show. */
interface DraftLevel {
  readonly model: EntityModel
  readonly children: Map<string, Node>
  readonly fields: Map<string, Property>
  readonly aggregates: ResolvedAggregate[]
}

/** A relation that is allowed, or that leads to one that is allowed. */
interface Node extends DraftLevel {
  readonly relation: RelationProperty
  segment: string
  allowed: boolean
  rules?: IncludeRules
}

const levelOf = (model: EntityModel): DraftLevel => ({
  model,
  children: new Map(),
  fields: new Map(),
  aggregates: [],
})

/** Looks up includes and fields together, because `fields[<include>]` names the path of an include in the URL. */
export function resolveIncludes (
  includes: readonly Include[],
  fields: readonly Field[],
  model: EntityModel,
  mistakes: ConfigMistakes
) {
  const root = levelOf(model)
  mistakes.lookUp(includes, (include) => {
    if (include.kind === 'aggregate') addAggregate(resolveAggregate(include, model), root)
    else addRelation(include, root)
  })
  mistakes.lookUp(fields, (field) => addField(field, root))
  return { fields: root.fields as ReadonlyMap<string, Property>, includes: entriesOf(root) }
}

function levelAt (relations: readonly RelationProperty[], root: DraftLevel): DraftLevel {
  let level = root
  for (const relation of relations) level = nodeIn(level, relation)
  return level
}

function nodeIn ({ children }: DraftLevel, relation: RelationProperty): Node {
  let node = children.get(relation.name)
  if (node === undefined) {
    children.set(
      relation.name,
      node = { ...levelOf(relation.target), relation, segment: relation.publicName, allowed: false }
    )
  }
  return node
}

function addRelation (include: Extract<Include, { kind: 'relation' }>, root: DraftLevel): void {
  const what = `AllowedInclude '${include.path}'`
  const path = resolvePath(root.model, include.path, what)
  if (path.property.kind !== 'relation') throw new ConfigError(`${what}: '${path.property.name}' is not a relation.`)
  const node = nodeIn(levelAt(path.relations, root), path.property)
  if (node.allowed) throw new ConfigError(`${what}: it is listed twice.`)
  node.allowed = true
  node.segment = include.alias ?? node.segment
  node.rules = includeRules(include, node.relation, what)
}

function addAggregate (resolved: ResolvedAggregate, root: DraftLevel): void {
  const { what, aggregate: { name } } = resolved
  const { model, aggregates } = levelAt(resolved.relations, root)
  if ([...model.properties.values()].some((property) => !property.hidden && property.publicName === name)) {
    throw new ConfigError(
      `${what}: records of ${model.name} show it as '${name}', which is already the name of one of their properties.`
    )
  }
  const other = aggregates.find(({ aggregate }) => aggregate.name === name)
  if (other !== undefined) {
    throw new ConfigError(
      `${what}: ${
        other.what === what ? 'it is listed twice' : `it conflicts with ${other.what}`
      }, and records of ${model.name} can show only one of them as '${name}'.`
    )
  }
  aggregates.push(resolved)
}

function addField (field: Field, root: DraftLevel): void {
  const what = `AllowedField '${field.field}'`
  const path = resolvePath(root.model, field.field, what)
  const { property } = path
  if (path.embedded.length > 0) throw new ConfigError(`${what}: an embedded object is selected as a whole.`)
  if (property.kind === 'relation' && property.join.kind !== 'owner') {
    throw new ConfigError(`${what}: '${property.name}' is not a column; allow it as an include.`)
  }
  const name = field.alias ?? property.publicName
  const target = levelAt(path.relations, root).fields
  if (target.has(name)) {
    throw new ConfigError(`${what}: two fields are '${name}' in the URL; remove one, or give it an alias.`)
  }
  target.set(name, property)
}

/** The allowed includes by their full paths in URLs. */
function entriesOf (root: DraftLevel): ReadonlyMap<string, IncludeEntry> {
  const entries = new Map<string, IncludeEntry>()
  const add = (entry: IncludeEntry): void => {
    if (entries.has(entry.name)) {
      throw new ConfigError(`allowedIncludes: two entries are '${entry.name}' in the URL; give one an alias.`)
    }
    entries.set(entry.name, entry)
  }
  const addLevel = (level: DraftLevel, parent?: RelationEntry): void => {
    const nameOf = (segment: string): string => parent === undefined ? segment : `${parent.name}.${segment}`
    for (const node of level.children.values()) {
      const { relation, fields, rules } = node
      const entry: RelationEntry = Object.freeze({
        kind: 'relation',
        relation,
        name: nameOf(node.segment),
        parent,
        fields,
        rules,
      })
      if (node.allowed) add(entry)
      addLevel(node, entry)
    }
    for (const { segment, aggregate } of level.aggregates) {
      add(Object.freeze({ kind: 'aggregate', aggregate, name: nameOf(segment), parent }))
    }
  }
  addLevel(root)
  return entries
}

/** The rules of an include, or `undefined` if it shows all rows of the relation in the order of the relation. */
function includeRules (
  { limit, sort, where }: AllowedInclude<string, string>,
  relation: RelationProperty,
  what: string
): IncludeRules | undefined {
  if (limit === undefined && sort === undefined && where === undefined) return undefined
  for (const [option, value] of [['limit', limit], ['sort', sort]] as const) {
    if (value !== undefined && !relation.many) {
      throw new ConfigError(`${what}: '${relation.name}' is a to-one relation; '${option}' is for to-many relations.`)
    }
  }
  return Object.freeze({
    limit,
    order: sort && Object.freeze(sort.map((item) => orderTerm(item, relation, what))),
    where,
  })
}

function orderTerm (item: string, relation: RelationProperty, what: string): OrderTerm {
  const { name, descending = false } = readSignedName(item)
  const { relations, operand } = sortTarget(name, relation.target, `${what}, sort '${item}'`)
  return { relations, operand, descending }
}

/** The numbers that filters and sorts may name, by their names in records and in URLs: those of the root's includes. */
export function relatedNumbers (includes: ReadonlyMap<string, IncludeEntry>): RelatedNumbers {
  const numbers = new Map<string, RelatedNumber>()
  for (const entry of includes.values()) {
    if (entry.kind !== 'aggregate' || entry.parent !== undefined) continue
    const { aggregate } = entry
    // the least of values of a custom type is a value of the database, which clients do not know
    if (aggregate.property?.codec !== undefined) continue
    const { name, type, function: fn } = aggregate
    const number: RelatedNumber = Object.freeze({
      kind: 'number',
      name,
      aggregate,
      type,
      nullable: fn !== 'count' && fn !== 'exists',
    })
    numbers.set(name, number)
    numbers.set(entry.name, number)
  }
  return numbers
}
