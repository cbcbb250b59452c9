/** Plans the properties on the columns of a table: values, and the relations whose keys are among them. */
import { isUnique, relationName, sameNames, type ColumnFacts, type ForeignKeyFacts } from './database-facts.ts'
import { countsChanges, type EntityPlan, type PlannedProperty, type PlannedReference } from './entity-plan.ts'
import { keyOfRelation } from './key-of-relation.ts'
import { looksSecret, propertyNameOf, relationNameOf, untakenName } from './generated-names.ts'

/** The plan of a table, if it has one. */
export type PlanOf = (relation: ForeignKeyFacts['target']) => EntityPlan | undefined

/** Plans the columns of a table, and the relations whose keys are among them. */
export function planColumns (plan: EntityPlan, planOf: PlanOf): void {
  const { relation } = plan
  const { columns: key, guessed } = keyOfRelation(relation)!
  const references = referencesOf(plan, key, planOf)
  const owned = new Map(
    references.filter(({ owns }) => owns).flatMap((reference) =>
      reference.columns.map((column) => [column.name, reference] as const)
    )
  )
  const taken = new Set<string>()
  const names = new Map<unknown, string>()
  // columns keep their names, and relations make room
  for (const column of relation.columns) {
    if (!owned.has(column.name)) names.set(column, untakenName([propertyNameOf(column.name)], taken))
  }
  const columnNames = new Set(relation.columns.map(({ name }) => propertyNameOf(name)))
  for (const reference of references) {
    names.set(reference, untakenName(wishesFor(reference, references, columnNames), taken))
  }
  const planned = new Set<unknown>()
  const properties: PlannedProperty[] = []
  const add = (column: ColumnFacts): void => {
    const source = owned.get(column.name) ?? column
    if (planned.has(source)) return
    planned.add(source)
    const primary = key.includes(column.name)
    if ('owns' in source) properties.push({ ...source, name: names.get(source)! })
    else {
      const hidden = looksSecret(column.name) && !primary
      const versioned = !primary && countsChanges(column, relation)
      properties.push({ kind: 'column', name: names.get(source)!, column, primary, hidden, versioned })
      if (hidden) plan.notes.push(`'${names.get(source)!}' is hidden, because its name looks like a secret.`)
      if (versioned) {
        plan.notes.push("'version' counts the changes of a row. Remove .version() if your application writes it.")
      }
    }
  }
  for (const name of key) add(relation.columns.find((column) => column.name === name)!)
  for (const column of relation.columns) add(column)
  for (const reference of references) {
    if (!reference.owns) properties.push({ ...reference, name: names.get(reference)! })
  }
  plan.properties.push(...properties)
  if (guessed) {
    plan.notes.push(
      `The database has no key for it, so that '${properties[0]!.name}' is a guess: it must tell rows apart. ` +
        'Correct it if it does not.'
    )
  }
  // the catalogue says of all other keys that they are not null
  const mayBeNull = properties.filter((one) => one.kind === 'column' && one.primary && one.column.nullable)
  if (!guessed && mayBeNull.length > 0) {
    const names = mayBeNull.map(({ name }) => `'${name}'`).join(' or ')
    plan.notes.push(
      `Its key is what the view groups by. A row in which ${names} is null would have no key: leave such rows out of ` +
        'the view.'
    )
  }
  for (const name of relation.unreadable) {
    plan.notes.push(`The column '${name}' is left out: this role may not read it.`)
  }
}

type Unnamed = Omit<PlannedReference, 'name'>

/** The relations of a table, those first that take the places of their columns. */
function referencesOf (plan: EntityPlan, key: readonly string[], planOf: PlanOf): readonly Unnamed[] {
  const { relation, notes } = plan
  const inKey = (part: string): boolean => key.includes(part)
  const leftOut = (foreignKey: ForeignKeyFacts, reason: string): [] => {
    const { columns, target } = foreignKey
    plan.leftOut.add(foreignKey)
    notes.push(`The reference ${columns.join(', ')} to ${relationName(target)} is left out: ${reason}.`)
    return []
  }
  const seen = new Set<string>()
  const usable = relation.foreignKeys.flatMap((foreignKey): Unnamed[] => {
    const target = planOf(foreignKey.target)
    const id = JSON.stringify([foreignKey.columns, foreignKey.target])
    if (seen.has(id)) {
      plan.leftOut.add(foreignKey)
      return []
    }
    seen.add(id)
    if (target === undefined) return leftOut(foreignKey, 'that table has no entity here')
    const targetKey = keyOfRelation(target.relation)!.columns
    const byKey = sameNames(targetKey, foreignKey.targetColumns)
    if (!byKey && foreignKey.columns.length > 1) {
      return leftOut(foreignKey, 'it refers to several columns that are not the key')
    }
    if (foreignKey.columns.every(inKey) && leadsBack(target, plan, planOf)) {
      return leftOut(foreignKey, 'its key would be a part of itself')
    }
    // MikroORM pairs columns with those of the target's key in the order of the key
    const targetColumns = byKey ? targetKey : foreignKey.targetColumns
    const columns = targetColumns.map((column) => {
      const name = foreignKey.columns[foreignKey.targetColumns.indexOf(column)]!
      return relation.columns.find((one) => one.name === name)!
    })
    const names = columns.map(({ name }) => name)
    return [{
      kind: 'reference',
      target,
      columns,
      targetColumn: byKey ? undefined : foreignKey.targetColumns[0]!,
      primary: names.every(inKey) && isRunOf(names, key),
      single: isUnique(relation, names) || sameNames(names, key),
      owns: false,
      foreignKey,
    }]
  })
  const taken = new Set<string>()
  const inOrder = usable.toSorted((one, other) =>
    Number(other.primary) - Number(one.primary) || one.columns.length - other.columns.length
  )
  return inOrder.flatMap((reference): Unnamed[] => {
    const names = reference.columns.map(({ name }) => name)
    // a column that several references share stays a property, so that each of them can be null without it
    const shares = names.length > 1 &&
      inOrder.some((other) => other !== reference && other.columns.some(({ name }) => names.includes(name)))
    const owns = (reference.primary || !names.some(inKey)) && !shares && !names.some((name) => taken.has(name))
    if (owns) { for (const name of names) taken.add(name) }
    // MikroORM refuses two properties over one column
    if (!owns && names.length === 1) return leftOut(reference.foreignKey, 'another relation has its column')
    return [{ ...reference, owns, primary: reference.primary && owns }]
  })
}

/** Whether a table is another one, or its key refers to the other one by way of references that are not left out. */
function leadsBack (from: EntityPlan, to: EntityPlan, planOf: PlanOf, passed = new Set<EntityPlan>()): boolean {
  if (from === to) return true
  if (passed.has(from)) return false
  passed.add(from)
  const key = keyOfRelation(from.relation)!.columns
  return from.relation.foreignKeys.some((foreignKey) => {
    const inKey = foreignKey.columns.every((column) => key.includes(column))
    const next = inKey && !from.leftOut.has(foreignKey) ? planOf(foreignKey.target) : undefined
    return next !== undefined && leadsBack(next, to, planOf, passed)
  })
}

/** Whether some columns follow each other in the key, in the same order. */
function isRunOf (names: readonly string[], key: readonly string[]): boolean {
  const start = key.indexOf(names[0]!)
  return names.every((name, index) => key[start + index] === name)
}

/** The names that a relation may have, the best first. */
function wishesFor (
  reference: Unnamed,
  references: readonly Unnamed[],
  columnNames: ReadonlySet<string>
): readonly string[] {
  const { columns, target } = reference
  // a tenant that several keys share says nothing about the relation
  const telling = columns.filter((column) =>
    !references.some((other) => other !== reference && other.columns.includes(column))
  )
  const [column] = telling.length === 1 ? telling : columns.length === 1 ? columns : []
  const byTable = propertyNameOf(target.relation.name)
  if (column === undefined) return columnNames.has(byTable) ? [`${byTable}_ref`] : [byTable, `${byTable}_ref`]
  const stem = relationNameOf(column.name)
  const own = propertyNameOf(column.name)
  // another column has the short name
  const short = stem === own ? reference.owns : !columnNames.has(stem)
  return [...short ? [stem] : [], own, `${own}_ref`]
}
