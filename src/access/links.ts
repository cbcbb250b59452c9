/**
 * The links between rows that a role may not see or not change. A foreign key or a pivot table is a link. The
 * properties on both of its sides show it, so a rule for one side is a rule for the other side. A rule for a column is
 * also one for each link that has this column among others, because the link's value shows and sets the column.
 */
import { columnsOf, type EntityModel, type Property } from '../model/index.ts'
import type { Rule } from './rule.ts'

/** The rules of a role by the names of entities; `undefined` for an entity that the role may not use. */
type RuleOf = (entity: string) => Rule | undefined

export class Links {
  readonly #entities: ReadonlyMap<string, EntityModel>
  readonly #hidden = new LinkSet()
  readonly #frozen = new LinkSet()
  /** Links that the entities that own them cannot change, because their rules have no update. */
  readonly #kept = new LinkSet()

  constructor (entities: ReadonlyMap<string, EntityModel>, ruleOf: RuleOf) {
    this.#entities = entities
    const models = [...entities.values()]
    for (const model of models) {
      const rule = ruleOf(model.name)
      if (rule === undefined) continue
      for (const property of model.properties.values()) this.#read(model, property, rule, models, ruleOf)
    }
  }

  #read (model: EntityModel, property: Property, rule: Rule, models: readonly EntityModel[], ruleOf: RuleOf): void {
    const owned = owns(property)
    const places = owned || !('target' in property) ? [model] : withSubclasses(property.target, models)
    const denied = property.kind === 'relation' && ruleOf(property.target.name) === undefined
    for (const place of places) {
      const link = linkOf(place, property)
      if (link === undefined) continue
      // the side without the key decides for both only if the rule names it: with `only` and `true`, the other side has
      // a rule for the same link
      if (denied || (owned ? rule.hides(property.name) : rule.namesHidden(property.name))) this.#hidden.add(link)
      if (owned ? rule.freezes(property.name) : rule.namesReadonly(property.name)) this.#frozen.add(link)
      if (owned && !rule.allows('update')) this.#kept.add(link)
    }
  }

  /** Whether a property shows a link that is hidden from the role. */
  hides (model: EntityModel, property: Property): boolean {
    return this.#hidden.reaches(this.#linkOf(model, property))
  }

  /** Whether bodies may not set a property because they would change a link that the role may not change. */
  freezes (model: EntityModel, property: Property): boolean {
    const link = this.#linkOf(model, property)
    return this.#frozen.reaches(link) || (!owns(property) && this.#kept.reaches(link))
  }

  /** The link that a property shows. The model of another schema has other tables, but its links are the same. */
  #linkOf (model: EntityModel, property: Property): Link | undefined {
    const own = this.#entities.get(model.name) ?? model
    const known = own.properties.get(property.name) ?? property
    return linkOf(holderOf(own, known), known)
  }
}

/**
 * The table of a link, by its own name or that of its entity, and the columns of the link in it. A pivot table has no
 * columns here, since all links in it are one.
 */
interface Link {
  readonly table: string
  readonly columns: readonly string[]
}

class LinkSet {
  readonly #columns = new Map<string, Array<readonly string[]>>()

  add ({ table, columns }: Link): void {
    const known = this.#columns.get(table)
    if (known === undefined) this.#columns.set(table, [columns])
    else known.push(columns)
  }

  /** Whether a link has all columns of one in the set. */
  reaches (link: Link | undefined): boolean {
    return link !== undefined && this.#columns.get(link.table)?.some(
      (columns) => columns.every((column) => link.columns.includes(column))
    ) === true
  }
}

/** Whether a property is on the side that has the key, or that owns the pivot table. */
const owns = (property: Property): boolean =>
  property.kind !== 'relation' || property.join.kind === 'owner' ||
  (property.join.kind === 'pivot' && property.join.owner)

/** The entity whose table has the columns of a property. */
const holderOf = (model: EntityModel, property: Property): EntityModel =>
  property.kind === 'relation' && property.join.kind === 'inverse' ? property.target : model

/** The pivot table of a property, or its columns in the table of an entity; `undefined` if it has neither. */
function linkOf (holder: EntityModel, property: Property): Link | undefined {
  if (property.kind === 'scalar' && property.formula !== undefined) return undefined
  if (property.kind === 'relation' && property.join.kind === 'pivot') {
    return { table: `pivot ${property.join.table}`, columns: [] }
  }
  const columns = property.kind === 'relation' && property.join.kind === 'inverse'
    ? property.join.targetColumns
    : columnsOf(property)
  return columns.length === 0 ? undefined : { table: holder.name, columns }
}

const withSubclasses = (model: EntityModel, models: readonly EntityModel[]): readonly EntityModel[] => [
  model,
  ...models.filter(({ ancestors }) => ancestors.includes(model.name)),
]
