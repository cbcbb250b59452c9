/** Plans an entity for each table and view: its names, its key, and which columns become relations. */
import { isUnique, relationName, type ColumnFacts, type ForeignKeyFacts, type RelationFacts } from './database-facts.ts'
import type { EntityPlan, PlannedProperty, PlannedReference } from './entity-plan.ts'
import {
  constantOf, entityNameOf, fileNameOf, untakenName, looksSecret, pathNameOf, propertyNameOf, relationNameOf,
} from './names.ts'

/** The plans of all tables and views, and sentences about those that have no plan. */
export interface PlannedDatabase {
  readonly entities: readonly EntityPlan[]
  readonly notes: readonly string[]
}

export function planEntities (relations: readonly RelationFacts[]): PlannedDatabase {
  const taken = namesInUse()
  const repeated = repeatedNames(relations)
  const pivots = new Set(relations.filter((relation) => isPivot(relation, relations)))
  const notes: string[] = []
  const entities = relations.filter((relation) => !pivots.has(relation)).flatMap((relation): EntityPlan[] => {
    const key = keyOf(relation)
    if (key === undefined) {
      notes.push(`${relationName(relation)} is left out: none of its columns could be a key.`)
      return []
    }
    return [emptyPlan(relation, key.guessed, repeated, taken)]
  })
  const planOf = (relation: { readonly schema: string, readonly name: string }): EntityPlan | undefined =>
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
    guessed,
    // a table without a key may well have equal rows
    readonly: (guessed && relation.kind === 'table') || relation.accepts.length === 0,
    notes: [],
  }
}

/** The columns of the key: of the constraint, of a unique index, or a guess, a column that looks like a key. */
function keyOf (
  relation: RelationFacts
): { readonly columns: readonly string[], readonly guessed: boolean } | undefined {
  const { primaryKey, columns, indexes, name } = relation
  if (primaryKey.length > 0) return { columns: primaryKey, guessed: false }
  const column = (wanted: string | null) => columns.find(({ name }) => name === wanted)
  const unique = indexes.find(({ unique, partial, columns: parts }) =>
    unique && !partial && parts.every((part) => column(part)?.nullable === false)
  )
  if (unique !== undefined) return { columns: unique.columns as readonly string[], guessed: false }
  const usable = columns.filter(canBeKey)
  const guess = usable.find(({ name }) => /^(?:id|uuid)$/i.test(name)) ??
    usable.find((one) => one.name === `${name}_id`) ??
    usable.find(({ name }) => /(?:_id|Id|ID|_key|_no)$/.test(name)) ??
    usable[0]
  return guess && { columns: [guess.name], guessed: true }
}

/** Types whose values can be compared and written into a path. */
const KEY_TYPES = /^(?:smallint|integer|bigint|numeric|text|uuid|date|character|timestamp|citext|(?:\w+\.)?citext)\b/

const canBeKey = ({ type, isArray, labels, name }: ColumnFacts): boolean =>
  !isArray && !looksSecret(name) && (labels !== null || KEY_TYPES.test(type))

/**
 * A table that has nothing but two references, which are its key, connects the tables that it refers to.
 */
function isPivot (relation: RelationFacts, relations: readonly RelationFacts[]): boolean {
  const { kind, columns, foreignKeys, accepts } = relation
  if (kind !== 'table' || foreignKeys.length !== 2 || !accepts.includes('insert') || !accepts.includes('delete')) {
    return false
  }
  const parts = foreignKeys.flatMap((key) => key.columns)
  return new Set(parts).size === columns.length && parts.length === columns.length &&
    isUnique(relation, parts) && columns.every(({ nullable }) => !nullable) &&
    foreignKeys.every(({ target, targetColumns }) => {
      const found = relations.find((other) => other.schema === target.schema && other.name === target.name)
      return found !== undefined && found !== relation && sameSet(found.primaryKey, targetColumns)
    })
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item))

type PlanOf = (relation: ForeignKeyFacts['target']) => EntityPlan | undefined

/** Plans the columns of a table, and the relations whose keys are among them. */
function planColumns (plan: EntityPlan, planOf: PlanOf): void {
  const { relation } = plan
  const { columns: key, guessed } = keyOf(relation)!
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
      properties.push({ kind: 'column', name: names.get(source)!, column, primary, hidden })
      if (hidden) plan.notes.push(`'${names.get(source)!}' is hidden, because its name looks like a secret.`)
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
  for (const name of relation.unreadable) {
    plan.notes.push(`The column '${name}' is left out: this role may not read it.`)
  }
}

type Unnamed = Omit<PlannedReference, 'name'>

/** The relations of a table, those first that take the places of their columns. */
function referencesOf (plan: EntityPlan, key: readonly string[], planOf: PlanOf): readonly Unnamed[] {
  const { relation, notes } = plan
  const inKey = (part: string): boolean => key.includes(part)
  const seen = new Set<string>()
  const usable = relation.foreignKeys.flatMap((foreignKey): Unnamed[] => {
    const target = planOf(foreignKey.target)
    const id = JSON.stringify([foreignKey.columns, foreignKey.target])
    if (seen.has(id)) return []
    seen.add(id)
    const unresolved = (reason: string): [] => {
      notes.push(
        `The reference ${foreignKey.columns.join(', ')} to ${relationName(foreignKey.target)} is left out: ${reason}.`
      )
      return []
    }
    if (target === undefined) return unresolved('that table has no entity here')
    const targetKey = keyOf(target.relation)!.columns
    const byKey = sameSet(targetKey, foreignKey.targetColumns)
    if (!byKey && foreignKey.columns.length > 1) return unresolved('it refers to several columns that are not the key')
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
      single: isUnique(relation, names) || sameSet(names, key),
      owns: false,
      foreignKey,
    }]
  })
  const taken = new Set<string>()
  const inOrder = usable.toSorted((one, other) =>
    Number(other.primary) - Number(one.primary) || one.columns.length - other.columns.length
  )
  return inOrder.map((reference) => {
    const names = reference.columns.map(({ name }) => name)
    // a column that several references share stays a property, so that each of them can be null without it
    const shares = names.length > 1 &&
      inOrder.some((other) => other !== reference && other.columns.some(({ name }) => names.includes(name)))
    const owns = (reference.primary || !names.some(inKey)) && !shares && !names.some((name) => taken.has(name))
    if (owns) { for (const name of names) taken.add(name) }
    return { ...reference, owns, primary: reference.primary && owns }
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

/** Plans the other sides of the relations that lead to other tables, on these. */
function planInverses (plan: EntityPlan): void {
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
function planPivot (pivot: RelationFacts, planOf: PlanOf): string {
  const [one, other] = pivot.foreignKeys.map((key) => {
    const plan = planOf(key.target)!
    const order = keyOf(plan.relation)!.columns
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
