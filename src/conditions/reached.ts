/** The entities and the SQL that conditions use besides the row itself. */
import type { EntityModel, RelationProperty, ScalarProperty } from '../model/index.ts'
import { isPlainObject, isSql } from './plain-object.ts'
import { insideOf, type Where, type WherePart } from './where-tree.ts'

/** The entities of the related rows that a condition refers to. */
export function entitiesBehind (where: Where): ReadonlySet<EntityModel> {
  const entities = new Set<EntityModel>()
  visit(where, (part) => {
    if (part.kind === 'related') entities.add(part.relation.target)
  })
  return entities
}

/** Whether a condition contains SQL of the application, which may depend on the session or the time. */
export function hasSql (where: Where): boolean {
  let found = false
  visit(where, (part) => {
    switch (part.kind) {
      case 'sql':
        found = true
        break
      case 'compare':
        found ||= part.comparisons.some(({ value }) => holdsSql(value))
        break
      case 'verbatim':
        found ||= holdsSql(part.value)
    }
  })
  return found
}

/**
 * The entities whose rows decide whether a condition holds for a row, besides the row itself; `undefined` if the tree
 * does not tell them. SQL of the application and formulas of properties may read any rows.
 */
export function rowsBehind (where: Where): ReadonlySet<EntityModel> | undefined {
  const entities = new Set<EntityModel>()
  let certain = !hasSql(where)
  visit(where, (part) => {
    if (part.kind === 'related') {
      entities.add(part.relation.target)
      certain &&= part.relation.where === undefined
    } else if (part.kind === 'compare') certain &&= isColumn(part.property)
  })
  return certain ? entities : undefined
}

/**
 * The tables whose rows decide whether a condition holds for a row, those of many-to-many relations included;
 * `undefined` if the tree does not tell them.
 */
export function tablesBehind (where: Where): ReadonlySet<string> | undefined {
  if (rowsBehind(where) === undefined) return undefined
  const tables = new Set<string>()
  visit(where, (part) => {
    if (part.kind !== 'related') return
    const { target, join } = part.relation
    tables.add(target.table)
    if (join.kind === 'pivot') tables.add(join.table)
  })
  return tables
}

const isColumn = (property: ScalarProperty | RelationProperty): boolean =>
  property.kind === 'scalar' ? property.formula === undefined : property.join.kind === 'owner' && !property.many

function holdsSql (value: unknown): boolean {
  if (isSql(value)) return true
  return Array.isArray(value) ? value.some(holdsSql) : isPlainObject(value) && Object.values(value).some(holdsSql)
}

function visit (where: Where, look: (part: WherePart) => void): void {
  for (const part of where) {
    look(part)
    for (const inside of insideOf(part)) visit(inside, look)
  }
}
