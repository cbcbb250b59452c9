/** Plans an entity for each table and view: its names, its key, its columns and its relations. */
import { relationName, type RelationFacts } from './database-facts.ts'
import type { EntityPlan } from './entity-plan.ts'
import { keyOfRelation } from './key-of-relation.ts'
import { constantOf, entityNameOf, fileNameOf, pathNameOf, untakenName } from './generated-names.ts'
import { planColumns, type PlanOf } from './plan-columns.ts'
import { isPivot, planInverses, planPivot } from './plan-other-ends.ts'

/** The plans of all tables and views, and sentences about those that have no plan. */
interface PlannedDatabase {
  readonly entities: readonly EntityPlan[]
  readonly notes: readonly string[]
}

export function planEntities (relations: readonly RelationFacts[]): PlannedDatabase {
  const taken = namesInUse()
  const repeated = repeatedNames(relations)
  const pivots = new Set(relations.filter((relation) => isPivot(relation, relations)))
  const notes: string[] = []
  const entities = relations.filter((relation) => !pivots.has(relation)).flatMap((relation): EntityPlan[] => {
    const key = keyOfRelation(relation)
    if (key === undefined) {
      notes.push(`${relationName(relation)} is left out: none of its columns could be a key.`)
      return []
    }
    return [emptyPlan(relation, key.guessed, repeated, taken)]
  })
  const planOf: PlanOf = (relation) =>
    entities.find((plan) => plan.relation.schema === relation.schema && plan.relation.name === relation.name)
  for (const plan of entities) planColumns(plan, planOf)
  for (const plan of entities) planInverses(plan)
  for (const pivot of pivots) notes.push(planPivot(pivot, planOf))
  return { entities, notes }
}

interface NamesInUse {
  readonly entities: Set<string>
  readonly constants: Set<string>
  readonly files: Set<string>
  readonly paths: Set<string>
}

const namesInUse = (): NamesInUse => ({
  entities: new Set(),
  constants: new Set(),
  files: new Set(['index']),
  paths: new Set(),
})

/** Names that tables of several schemas have. */
function repeatedNames (relations: readonly RelationFacts[]): ReadonlySet<string> {
  const names = relations.map(({ name }) => name)
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}

function emptyPlan (
  relation: RelationFacts,
  guessed: boolean,
  repeated: ReadonlySet<string>,
  taken: NamesInUse
): EntityPlan {
  const { schema, name } = relation
  // the table of the schema "public" keeps its name
  const full = repeated.has(name) && schema !== 'public' ? `${schema}_${name}` : name
  const entity = untakenName([entityNameOf(full), entityNameOf(`${schema}_${name}`)], taken.entities)
  return {
    relation,
    entity,
    constant: untakenName([constantOf(entity)], taken.constants),
    file: untakenName([fileNameOf(entity)], taken.files),
    prefix: `/${untakenName([pathNameOf(full), pathNameOf(`${schema}_${name}`)], taken.paths)}`,
    properties: [],
    leftOut: new Set(),
    // a table without a key may well have equal rows, and a view that lacks the key of its table shows such rows
    readonly: (guessed && (relation.kind === 'table' || relation.mirrors)) || relation.accepts.length === 0,
    notes: [],
  }
}
