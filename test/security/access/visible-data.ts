/** A model in JavaScript of the rows and properties that a role may see. */
import { rowsIn, type Data, type Row } from './data.ts'
import { filterOfFamily, isHidden, type Condition, type Secrets } from './roles.ts'
import { propertyOf, SHAPE, STORED, storedAs, targetOf } from './shape.ts'

/** The part of the data that the role may see: visible properties of visible rows, and the links between these rows. */
export function viewOf (secrets: Secrets, data: Data): unknown {
  const visible = Object.fromEntries(
    STORED.map((stored) => [
      stored,
      data.rows[stored]!.filter((row) => isVisible(secrets, data, row['kind'] as string, row)),
    ])
  )
  const sees = (entity: string, id: unknown): boolean => visible[storedAs(entity)]!.some((row) => row.id === id)
  const shown = (row: Row): unknown[] => {
    const entity = row['kind'] as string
    return Object.entries(SHAPE[entity]!.columns).map(([column, { type, target }]) => {
      const value = row[column]
      if (!isHidden(secrets, entity, propertyOf(entity, column))) return value
      // a deletion can be seen, even if its time cannot
      if (type === 'date') return value !== null
      if (target === undefined) return undefined
      // a to-many relation shows the keys that refer to its rows
      const isShown = Object.entries(SHAPE[target]!.toMany).some(([name, many]) =>
        storedAs(many.target) === storedAs(entity) && many.by === column && !isHidden(secrets, target, name)
      )
      return isShown && sees(target, value) ? value : undefined
    })
  }
  const linked = !isHidden(secrets, 'Project', 'labels') || !isHidden(secrets, 'Label', 'projects')
  return {
    rows: STORED.map((stored) => visible[stored]!.map((row) => [row.id, row['kind'], ...shown(row)])),
    links: linked && data.links.filter(({ project, label }) => sees('Project', project) && sees('Label', label)),
  }
}

/** Whether the role may see a row. */
function isVisible (secrets: Secrets, data: Data, entity: string, row: Row): boolean {
  const rule = secrets[entity]
  return rule !== undefined &&
    (rule.rows === undefined || holds(rule.rows, data, entity, row, secrets)) &&
    (rule.filter === undefined || holds(rule.filter, data, entity, row))
}

/** @param secrets for conditions that find nothing through related rows which MikroORM's filters hide */
function holds (condition: Condition, data: Data, entity: string, row: Row, secrets: Secrets = {}): boolean {
  return Object.entries(condition).every(([name, wanted]) => {
    if (name === '$or') return wanted.some((each: Condition) => holds(each, data, entity, row, secrets))
    const target = targetOf(entity, name)
    if (target === undefined) return compares(wanted, row[name])
    const filter = filterOfFamily(secrets, target)
    return relatedRows(data, entity, row, name).some((related) =>
      related['deleted_at'] == null && holds(wanted, data, target, related, secrets) &&
      (filter === undefined || holds(filter, data, target, related))
    )
  })
}

function compares (wanted: any, value: any): boolean {
  if (typeof wanted !== 'object') return value === wanted
  if (value === null) return false
  return Object.entries<any>(wanted).every(([operator, operand]) => {
    switch (operator) {
      case '$lt':
        return value < operand
      case '$gte':
        return value >= operand
      case '$ne':
        return value !== operand
      case '$in':
        return operand.includes(value)
      default:
        throw new Error(`no operator ${operator}`)
    }
  })
}

function relatedRows (data: Data, entity: string, row: Row, relation: string): readonly Row[] {
  const { columns, toMany } = SHAPE[entity]!
  const target = targetOf(entity, relation)!
  const rows = rowsIn(data, target)
  if (columns[relation] !== undefined) return rows.filter(({ id }) => id === row[relation])
  const by = toMany[relation]!.by
  if (by !== undefined) return rows.filter((related) => related[by] === row.id)
  const [own, other] = entity === 'Project' ? ['project', 'label'] as const : ['label', 'project'] as const
  return rows.filter(({ id }) => data.links.some((link) => link[own] === row.id && link[other] === id))
}
