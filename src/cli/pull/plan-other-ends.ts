/** Plans the relations of a table whose keys are in other tables: the other sides of references, and pivot tables. */
import { isUnique, relationName, sameNames, type RelationFacts } from './database-facts.ts'
import type { EntityPlan } from './entity-plan.ts'
import { keyOfRelation } from './key-of-relation.ts'
import { propertyNameOf, untakenName } from './generated-names.ts'
import type { PlanOf } from './plan-columns.ts'

/**
 * A table that has nothing but two references, which are its key, connects the tables that it refers to.
 */
export function isPivot (relation: RelationFacts, relations: readonly RelationFacts[]): boolean {
  const { kind, columns, foreignKeys, accepts } = relation
  if (kind !== 'table' || foreignKeys.length !== 2 || !accepts.includes('insert') || !accepts.includes('delete')) {
    return false
  }
  const parts = foreignKeys.flatMap((key) => key.columns)
  return new Set(parts).size === columns.length && parts.length === columns.length &&
    isUnique(relation, parts) && columns.every(({ nullable }) => !nullable) &&
    foreignKeys.every(({ target, targetColumns }) => {
      const found = relations.find((other) => other.schema === target.schema && other.name === target.name)
      return found !== undefined && found !== relation && sameNames(found.primaryKey, targetColumns)
    })
}

/** Plans the other sides of the relations that lead to other tables, on these. */
export function planInverses (plan: EntityPlan): void {
  const references = plan.properties.filter((property) => property.kind === 'reference')
  for (const reference of references) {
    const { target } = reference
    const several = references.some((other) => other !== reference && other.target === target)
    const byTable = propertyNameOf(plan.relation.name)
    const longer = `${byTable}_by_${reference.name}`
    const taken = new Set(target.properties.map(({ name }) => name))
    const name = untakenName(several || target === plan ? [longer] : [byTable, longer], taken)
    target.properties.push({ kind: 'inverse', name, source: plan, reference })
  }
}

/** Plans the relation that a table of references stands for, on both of its ends. */
export function planPivot (pivot: RelationFacts, planOf: PlanOf): string {
  const [one, other] = pivot.foreignKeys.map((key) => {
    const plan = planOf(key.target)!
    const order = keyOfRelation(plan.relation)!.columns
    return { plan, columns: order.map((column) => key.columns[key.targetColumns.indexOf(column)]!) }
  }) as [{ plan: EntityPlan, columns: string[] }, { plan: EntityPlan, columns: string[] }]
  const nameOn = (plan: EntityPlan, target: EntityPlan): string => {
    const taken = new Set(plan.properties.map(({ name }) => name))
    const byTable = propertyNameOf(target.relation.name)
    const longer = `${byTable}_by_${propertyNameOf(pivot.name)}`
    return untakenName(plan === target ? [longer] : [byTable, longer], taken)
  }
  const name = nameOn(one.plan, other.plan)
  const self = one.plan === other.plan
  const back = self ? undefined : nameOn(other.plan, one.plan)
  one.plan.properties.push({
    kind: 'pivot',
    name,
    pivot,
    target: other.plan,
    owner: true,
    other: back,
    columns: one.columns,
    targetColumns: other.columns,
  })
  if (back !== undefined) {
    other.plan.properties.push({
      kind: 'pivot',
      name: back,
      pivot,
      target: one.plan,
      owner: false,
      other: name,
      columns: other.columns,
      targetColumns: one.columns,
    })
  }
  return `${relationName(pivot)} has only keys: it is '${name}' of ${one.plan.entity}${
    back === undefined ? '' : ` and '${back}' of ${other.plan.entity}`
  }.`
}
