/** A role: the rules of its entities, and its view of their models. */
import type { EntityModel } from '../model/index.ts'
import type { Entities } from './check-access.ts'
import { namedFor, Rule } from './rule.ts'
import { Links } from './links.ts'
import { OTHERS, type EntityRule, type RoleRules } from './access-options.ts'
import { viewOf, type Viewer } from './view.ts'

const UNLIMITED = new Rule(true)

export class Role implements Viewer {
  readonly name: string
  /** Whether the role has no limits at all. */
  readonly unlimited: boolean
  readonly links: Links
  /** The models of all entities of the ORM, by their names. */
  readonly entities: Entities
  /** The rules of named entities; `undefined` for an entity that the role may not use. */
  readonly #rules = new Map<string, Rule | undefined>()
  /** The rule for entities that are not named; `undefined` if the role may not use them. */
  readonly #others: Rule | undefined
  readonly #views = new WeakMap<EntityModel, EntityModel>()

  /** @param rules the rules as the application wrote them, already checked */
  constructor (name: string, rules: RoleRules, entities: Entities) {
    this.name = name
    this.unlimited = rules === true
    this.entities = entities
    if (rules === true) {
      this.#others = UNLIMITED
      this.links = new Links(new Map(), () => UNLIMITED)
      return
    }
    const named = rules as Readonly<Record<string, boolean | EntityRule>>
    const ruleFrom = (rule: boolean | EntityRule): Rule | undefined => rule === false ? undefined : new Rule(rule)
    const made = new Map(Object.entries(named).map(([entity, rule]) => [entity, ruleFrom(rule)]))
    this.#others = made.get(OTHERS)
    for (const model of entities.values()) {
      const source = namedFor(model, named)
      if (source !== undefined) this.#rules.set(model.name, made.get(source))
    }
    this.links = new Links(entities, (entity) => this.ruleOf(entity))
  }

  /** The rule for an entity; `undefined` if the role may not use it. */
  ruleOf (entity: string): Rule | undefined {
    // an entity that is named as `false` has no rule, whatever the others have
    return this.#rules.has(entity) ? this.#rules.get(entity) : this.#others
  }

  /** The model of an entity as the role knows it. A model of an entity that the role may not use stays unchanged. */
  view (model: EntityModel): EntityModel {
    if (this.unlimited) return model
    let view = this.#views.get(model)
    if (view === undefined) {
      this.#views.set(model, view = this.ruleOf(model.name) === undefined ? model : viewOf(model, this))
      // the view of a view is itself
      this.#views.set(view, view)
    }
    return view
  }
}
