/** Allowed includes and fields meet the model. */
import type { Field, Include } from '../../config/index.ts'
import { ConfigError } from '../../errors.ts'
import { resolvePath, type EntityModel, type Property, type RelationProperty } from '../../model/index.ts'

/** A relation that may be included, with what may be included and selected behind it. */
export interface IncludeEntry {
  readonly relation: RelationProperty
  /** Full path in URLs. */
  readonly name: string
  readonly parent?: IncludeEntry
  readonly fields: ReadonlyMap<string, Property>
}

/** Includes and fields belong together: `fields[<include>]` is the path of an include as the URL writes it. */
export function resolveIncludes (includes: readonly Include[], fields: readonly Field[], model: EntityModel) {
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
