/** Random rules of a role, and a model in JavaScript of the rows and properties that the role may see. */
import fc from 'fast-check'
import type { EntityRule } from '../../../src/index.ts'
import { propertiesOf, propertyOf, SHAPE, targetOf, ENTITIES, type Naming } from './shape.ts'
import type { Data, Row } from './data.ts'

/** A condition on rows: comparisons, conditions on related rows, and `$or`. */
export type Condition = Readonly<Record<string, any>>

export interface SecretRule {
  /** The properties that do not exist for the role. */
  readonly hidden: readonly string[]
  /** Whether the rule is written with `only`. */
  readonly only: boolean
  readonly rows: Condition | undefined
  /** Whether `rows` is a function of the request. */
  readonly asked: boolean
  readonly readonly: readonly string[]
}

/** The rules of a role by entity. An entity without a rule is denied. */
export type Secrets = Readonly<Record<string, SecretRule | undefined>>

/** Conditions that rules of an entity can have. */
const CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  User: [{ tenant: 1 }, { salary: { $lt: 3 } }, { $or: [{ tenant: 1 }, { name: 'ann' }] }, { manager: { tenant: 1 } }],
  Project: [
    { tenant: 1 },
    { tenant: 1, status: 'open' },
    { budget: { $gte: 2 } },
    { name: { $ne: 'bob' } },
    { owner: { tenant: 1 } },
    { tasks: { title: 'ann' } },
    { labels: { tenant: 1 } },
  ],
  Task: [{ tenant: 1 }, { effort: { $lt: 3 } }, { tenant: { $in: [1, 3] } }, { project: { tenant: 1 } }, {
    project: { owner: { tenant: 1 } },
  }],
  Label: [{ tenant: 1 }, { weight: { $gte: 1 } }],
}

function ruleOf (entity: string): fc.Arbitrary<SecretRule | undefined> {
  const rule = fc.record({
    hidden: fc.subarray([...propertiesOf(entity)], { maxLength: 4 }),
    only: fc.boolean(),
    rows: fc.option(fc.constantFrom(...CONDITIONS[entity]!), { nil: undefined, freq: 5 }),
    asked: fc.boolean(),
    readonly: fc.subarray([...propertiesOf(entity)], { maxLength: 2 }),
  })
  return fc.option(rule, { nil: undefined, freq: 9 })
}

export const secretsArbitrary: fc.Arbitrary<Secrets> = fc.noBias(
  fc.record(Object.fromEntries(ENTITIES.map((entity) => [entity, ruleOf(entity)])))
)

/** Whether a property does not exist for the role. */
export function isHidden (secrets: Secrets, entity: string, property: string): boolean {
  if (property === 'id') return false
  const rule = secrets[entity]
  const target = targetOf(entity, property)
  return rule === undefined || rule.hidden.includes(property) || (target !== undefined && secrets[target] === undefined)
}

/** The rule as an application writes it, in the names of a server. */
export function writtenRule (secrets: Secrets, entity: string, naming: Naming): EntityRule {
  const { hidden, only, rows, asked, readonly } = secrets[entity]!
  const names = (properties: readonly string[]): string[] => properties.map((property) => naming(entity, property))
  const condition = rows && writtenCondition(rows, entity, naming)
  const policy = policyColumns(secrets)
  const decisive = propertiesOf(entity).filter((property) => decides(policy, entity, property))
  const frozen = names([...new Set([...readonly, ...decisive])])
  const others = ['id', ...names(propertiesOf(entity).filter((property) => !hidden.includes(property)))]
  return {
    ...(only ? { only: others } : { hidden: names(hidden) }),
    ...(frozen.length > 0 && { readonly: frozen }),
    // a restored row could make other rows visible
    ...(policy.has(`${entity}.deleted_at`) && {
      operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'],
    }),
    ...(condition && { rows: asked ? () => condition : condition }),
  }
}

function writtenCondition (condition: Condition, entity: string, naming: Naming): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([name, value]) => {
      if (name === '$or') return [name, value.map((each: Condition) => writtenCondition(each, entity, naming))]
      const target = targetOf(entity, name)
      return [naming(entity, name), target === undefined ? value : writtenCondition(value, target, naming)]
    })
  )
}

/** Whether the role may see a row. */
export function isVisible (secrets: Secrets, data: Data, entity: string, row: Row): boolean {
  const rule = secrets[entity]
  return rule !== undefined && (rule.rows === undefined || holds(rule.rows, data, entity, row))
}

function holds (condition: Condition, data: Data, entity: string, row: Row): boolean {
  return Object.entries(condition).every(([name, wanted]) => {
    if (name === '$or') return wanted.some((each: Condition) => holds(each, data, entity, row))
    const target = targetOf(entity, name)
    if (target === undefined) return compares(wanted, row[name])
    return relatedRows(data, entity, row, name)
      .some((related) => related['deleted_at'] == null && holds(wanted, data, target, related))
  })
}

function compares (wanted: any, value: any): boolean {
  if (typeof wanted !== 'object') return value === wanted
  if (value === null) return false
  const [operator, operand] = Object.entries<any>(wanted)[0]!
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
}

function relatedRows (data: Data, entity: string, row: Row, relation: string): readonly Row[] {
  const { columns, toMany } = SHAPE[entity]!
  const target = targetOf(entity, relation)!
  const rows = data.rows[target]!
  if (columns[relation] !== undefined) return rows.filter(({ id }) => id === row[relation])
  const by = toMany[relation]!.by
  if (by !== undefined) return rows.filter((related) => related[by] === row.id)
  const [own, other] = entity === 'Project' ? ['project', 'label'] as const : ['label', 'project'] as const
  return rows.filter(({ id }) => data.links.some((link) => link[own] === row.id && link[other] === id))
}

/**
 * The columns that conditions of rules read beyond the row that they are for, or as one of several ways to be visible.
 * They decide whether rows that the role writes become visible, so the role learns their values by design.
 */
export function policyColumns (secrets: Secrets): ReadonlySet<string> {
  const columns = new Set<string>()
  const read = (condition: Condition, entity: string, all: boolean): void => {
    for (const [name, wanted] of Object.entries(condition)) {
      const target = targetOf(entity, name)
      if (name === '$or') wanted.forEach((each: Condition) => read(each, entity, true))
      else if (target === undefined) {
        if (all) columns.add(`${entity}.${name}`)
      } else {
        const by = SHAPE[entity]!.toMany[name]
        columns.add(by === undefined ? `${entity}.${name}` : by.by === undefined ? 'links' : `${target}.${by.by}`)
        if (by !== undefined) columns.add(`${target}.id`)
        columns.add(`${target}.deleted_at`)
        read(wanted, target, true)
      }
    }
  }
  for (const entity of ENTITIES) {
    const rows = secrets[entity]?.rows
    if (rows !== undefined) read(rows, entity, false)
  }
  return columns
}

/** Whether a property decides which rows of other entities are visible. A role that could set it could show them. */
function decides (policy: ReadonlySet<string>, entity: string, property: string): boolean {
  const { columns, toMany } = SHAPE[entity]!
  const many = toMany[property]
  if (many !== undefined) return policy.has(many.by === undefined ? 'links' : `${many.target}.${many.by}`)
  return Object.keys(columns).some((column) =>
    propertyOf(entity, column) === property && policy.has(`${entity}.${column}`)
  )
}

/** What the role may see of the data: the values of visible properties in visible rows, and links between them. */
export function viewOf (secrets: Secrets, data: Data): unknown {
  const visible = Object.fromEntries(
    ENTITIES.map((entity) => [entity, data.rows[entity]!.filter((row) => isVisible(secrets, data, entity, row))])
  )
  const sees = (entity: string, id: unknown): boolean => visible[entity]!.some((row) => row.id === id)
  const shown = (entity: string, row: Row): unknown[] =>
    Object.entries(SHAPE[entity]!.columns).map(([column, { type, target }]) => {
      const value = row[column]
      if (!isHidden(secrets, entity, propertyOf(entity, column))) return value
      // a deletion can be seen, even if its time cannot
      if (type === 'date') return value !== null
      if (target === undefined) return undefined
      // a to-many relation shows the keys that refer to its rows
      const inverse = Object.entries(SHAPE[target]!.toMany).find(([, many]) =>
        many.target === entity && many.by === column
      )
      return inverse !== undefined && !isHidden(secrets, target, inverse[0]) && sees(target, value) ? value : undefined
    })
  const linked = !isHidden(secrets, 'Project', 'labels') || !isHidden(secrets, 'Label', 'projects')
  return {
    rows: ENTITIES.map((entity) => visible[entity]!.map((row) => [row.id, ...shown(entity, row)])),
    links: linked && data.links.filter(({ project, label }) => sees('Project', project) && sees('Label', label)),
  }
}
