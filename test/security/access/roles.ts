/** Random rules of a role: as the tests know them, and as an application writes them. */
import fc from 'fast-check'
import type { EntityRule } from '../../../src/index.ts'
import {
  ENTITIES, familyProperties, keyColumns, propertiesOf, propertyOf, SHAPE, STORED, storedAs, targetOf, type Naming,
} from './shape.ts'

/** A condition on rows: comparisons, conditions on related rows, and `$or`. */
export type Condition = Readonly<Record<string, any>>

export interface SecretRule {
  /** The properties that do not exist for the role. */
  readonly hidden: readonly string[]
  /** Whether the rule is written with `only`. */
  readonly only: boolean
  readonly rows: Condition | undefined
  /** The condition of the entity's MikroORM filter, which holds for all roles. */
  readonly filter?: Condition | undefined
  /** Whether `rows` is a function of the request. */
  readonly asked: boolean
  readonly readonly: readonly string[]
  /** The operations that the role may use. Default: all of the resource. */
  readonly operations?: readonly CrudOperation[] | undefined
  /** Whether the rule is written under the name `'*'`, which stands for all such entities. */
  readonly others?: boolean
}

/**
 * The rules of a role by entity. An entity without a rule is denied. An entity that extends another one has the rule of
 * that one, unless that one is denied.
 */
export type Secrets = Readonly<Record<string, SecretRule | undefined>>

type Operations = NonNullable<EntityRule['operations']>
export type CrudOperation = Operations[number]

export const OPERATIONS: Operations = [
  'list', 'get', 'aggregate', 'create', 'createMany', 'upsert', 'update', 'delete', 'restore', 'updateMany',
  'deleteMany',
]

/** Conditions that rules of an entity can have. */
const CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  User: [{ tenant: 1 }, { salary: { $lt: 3 } }, { $or: [{ tenant: 1 }, { name: 'ann' }] }, { manager: { tenant: 1 } }],
  Project: [
    { tenant: 1 }, { tenant: 1, status: 'open' }, { budget: { $gte: 2 } }, { name: { $ne: 'bob' } },
    { owner: { tenant: 1 } }, { tasks: { title: 'ann' } }, { notes: { text: 'ann' } },
    { bugs: { severity: { $gte: 2 } } }, { labels: { tenant: 1 } },
  ],
  Note: [{ tenant: 1 }, { rank: { $lt: 3 } }, { project: { tenant: 1 } }, { author: { tenant: 1 } }],
  Seat: [{ tenant: 1 }, { price: { $lt: 3 } }, { holder: { tenant: 1 } }, { tasks: { title: 'ann' } }],
  Task: [{ tenant: 1 }, { effort: { $lt: 3 } }, { tenant: { $in: [1, 3] } }, { project: { tenant: 1 } }, {
    project: { owner: { tenant: 1 } },
  }, { seat: { tenant: 1 } }],
  Label: [{ tenant: 1 }, { weight: { $gte: 1 } }],
}

/**
 * Conditions of MikroORM filters. Most compare properties that the conditions of rules compare, and hide other rows or
 * none.
 */
const FILTERS: Readonly<Record<string, readonly Condition[]>> = {
  User: [{ salary: { $lt: 4 } }, { salary: { $ne: 1 } }, { name: { $ne: 'zed' } }],
  Project: [{ status: { $ne: 'zed' } }, { budget: { $lt: 4 } }, { name: { $ne: 'zed' } }, { owner: { tenant: 1 } }],
  Note: [{ rank: { $ne: 1 } }, { rank: { $lt: 4 } }, { text: { $ne: 'zed' } }],
  Seat: [{ price: { $ne: 0 } }, { price: { $lt: 4 } }],
  Task: [{ effort: { $ne: 1 } }, { effort: { $gte: 1 } }],
  Label: [{ weight: { $lt: 4 } }, { weight: { $ne: 2 } }],
}
/** Those of all entities. */
const TENANT_FILTERS: readonly Condition[] = [
  { tenant: { $ne: 3 } }, { tenant: { $in: [1, 2] } }, { tenant: { $lt: 3, $gte: 1 } }, { tenant: 1 },
]

const filterOf = (entity: string): fc.Arbitrary<Condition | undefined> =>
  fc.option(fc.oneof(fc.constantFrom(...TENANT_FILTERS), fc.constantFrom(...FILTERS[entity]!)), { nil: undefined })

/** The rules for entities that are not named. */
const OTHERS_CONDITIONS: readonly Condition[] = [{ tenant: 1 }, { $or: [{ tenant: 1 }, { tenant: 3 }] }]

function ruleOf (
  properties: readonly string[],
  conditions: readonly Condition[],
  isOnly: fc.Arbitrary<boolean>,
  filter: fc.Arbitrary<Condition | undefined> = fc.constant(undefined)
): fc.Arbitrary<SecretRule> {
  return fc.record({
    hidden: fc.subarray([...properties], { maxLength: 4 }),
    only: isOnly,
    rows: fc.option(fc.constantFrom(...conditions), { nil: undefined, freq: 5 }),
    filter,
    asked: fc.boolean(),
    readonly: fc.subarray([...properties], { maxLength: 2 }),
    operations: fc.option(fc.subarray([...OPERATIONS], { minLength: 3 }), { nil: undefined, freq: 1 }),
  })
}

/** What a role has for an entity: a rule of its own, that of `'*'`, or none. */
const kindOfRule = fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'others', 'others', 'none')

export const secretsArbitrary: fc.Arbitrary<Secrets> = fc.noBias(
  fc.tuple(
    ruleOf([...new Set(STORED.flatMap(familyProperties))], OTHERS_CONDITIONS, fc.constant(false)),
    fc.record(Object.fromEntries(STORED.map((entity) => [
      entity,
      fc.tuple(kindOfRule, ruleOf(familyProperties(entity), CONDITIONS[entity]!, fc.boolean(), filterOf(entity))),
    ]))),
    // whether the role may use only those that extend an entity
    fc.integer({ min: 0, max: 5 }).map((n) => n === 0)
  ).map(([others, rules, onlyExtending]) =>
    Object.fromEntries(ENTITIES.map((entity) => {
      const [kind, own] = rules[storedAs(entity)]!
      const isExtended = ENTITIES.some((other) => SHAPE[other]!.base === entity)
      if (kind === 'none' || (kind === 'own' && onlyExtending && isExtended)) return [entity, undefined]
      return [entity, kind === 'own' ? own : { ...others, others: true, filter: own.filter }]
    }))
  )
)

/** Whether a property does not exist for the role. */
export function isHidden (secrets: Secrets, entity: string, property: string): boolean {
  if (keyColumns(entity).includes(property)) return false
  const rule = secrets[entity]
  const target = targetOf(entity, property)
  return rule === undefined || rule.hidden.includes(property) || (target !== undefined && secrets[target] === undefined)
}

/** Whether the role may use some operations of an entity, and set some properties of it. */
export function mayWrite (
  secrets: Secrets,
  entity: string,
  operations: readonly CrudOperation[],
  properties: readonly string[] = []
): boolean {
  const rule = secrets[entity]
  const offered = rule?.operations ?? OPERATIONS
  return rule !== undefined && operations.every((operation) => offered.includes(operation)) &&
    properties.every((name) => !isHidden(secrets, entity, name) && !rule.readonly.includes(name))
}

/** The rules as an application writes them, in the names of a server. */
export function writtenRules (secrets: Secrets, naming: Naming): Readonly<Record<string, false | EntityRule>> {
  const rules: Record<string, false | EntityRule> = {}
  const others = ENTITIES.filter((entity) => secrets[entity]?.others === true)
  if (others.length > 0) rules['*'] = writtenRule(secrets, others, naming)
  for (const entity of ENTITIES) {
    const rule = secrets[entity]
    // those that extend an entity have its rule, and may repeat it
    if (rule !== undefined && rule === secrets[SHAPE[entity]!.base ?? ''] && !rule.asked) continue
    if (rule === undefined) rules[entity] = false
    else if (rule.others !== true) {
      rules[entity] = rules[SHAPE[entity]!.base ?? ''] || writtenRule(secrets, [entity], naming)
    }
  }
  return rules
}

/** @param entities those that the rule is for */
function writtenRule (secrets: Secrets, entities: readonly string[], naming: Naming): EntityRule {
  const [entity] = entities as readonly [string]
  const { hidden, only, rows, asked, readonly, operations } = secrets[entity]!
  const all = [...new Set(entities.flatMap(familyProperties))]
  const covered = ENTITIES.filter((one) => entities.includes(one) || entities.includes(storedAs(one)))
  const having = (property: string) => covered.filter((one) => propertiesOf(one).includes(property))
  const names = (properties: readonly string[]): string[] => [
    ...new Set(properties.flatMap((property) => having(property).map((one) => naming(one, property)))),
  ]
  const condition = rows && writtenCondition(rows, entity, naming)
  const policy = policyColumns(secrets)
  const decisive = all.filter((property) => having(property).some((one) => decides(policy, one, property)))
  const frozen = names([...new Set([...readonly, ...decisive])])
  const shown = [...keyColumns(entity), ...names(all.filter((property) => !hidden.includes(property)))]
  // a restored row could make other rows visible
  const restores = !entities.some((one) => policy.has(`${storedAs(one)}.deleted_at`))
  const offered = (operations ?? OPERATIONS).filter((operation) => restores || operation !== 'restore')
  return {
    ...(only ? { only: shown } : { hidden: names(hidden) }),
    ...(frozen.length > 0 && { readonly: frozen }),
    ...((operations !== undefined || !restores) && { operations: offered }),
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

/** The conditions of MikroORM's filters by entity, in the names of a server. */
export function writtenFilters (secrets: Secrets, naming: Naming): Readonly<Record<string, Condition>> {
  const filters: Record<string, Condition> = {}
  for (const entity of ENTITIES) {
    const filter = filterOfFamily(secrets, entity)
    if (filter !== undefined) filters[storedAs(entity)] = writtenCondition(filter, storedAs(entity), naming)
  }
  return filters
}

/** The condition of the MikroORM filter of an entity and of those that are stored with it. */
export const filterOfFamily = (secrets: Secrets, entity: string): Condition | undefined =>
  ENTITIES.map((one) => storedAs(one) === storedAs(entity) ? secrets[one]?.filter : undefined)
    .find((filter) => filter !== undefined)

/**
 * The columns that conditions of rules read beyond the row that they are for, or as one of several ways to be visible.
 * They decide whether rows that the role writes become visible, so the role learns their values by design.
 */
export function policyColumns (secrets: Secrets): ReadonlySet<string> {
  const columns = new Set<string>()
  const read = (condition: Condition, entity: string, all: boolean, filtered: boolean): void => {
    for (const [name, wanted] of Object.entries(condition)) {
      const target = targetOf(entity, name)
      if (name === '$or') wanted.forEach((each: Condition) => read(each, entity, true, filtered))
      else if (target === undefined) {
        if (all) columns.add(`${storedAs(entity)}.${name}`)
      } else {
        const by = SHAPE[entity]!.toMany[name]
        const [own, other] = [storedAs(entity), storedAs(target)]
        columns.add(by === undefined ? `${own}.${name}` : by.by === undefined ? 'links' : `${other}.${by.by}`)
        if (by !== undefined) columns.add(`${other}.id`)
        columns.add(`${other}.deleted_at`)
        read(wanted, target, true, filtered)
        const filter = filtered ? filterOfFamily(secrets, target) : undefined
        if (filter !== undefined) read(filter, target, true, false)
      }
    }
  }
  for (const entity of ENTITIES) {
    const { rows, filter } = secrets[entity] ?? {}
    if (rows !== undefined) read(rows, entity, false, true)
    if (filter !== undefined) read(filter, entity, false, false)
  }
  return columns
}

/**
 * Whether a property decides which rows of other entities are visible. A role that could set it could show them. Owned
 * children stay with their parent, which the role must see when it adds them, so they show it no other rows.
 */
function decides (policy: ReadonlySet<string>, entity: string, property: string): boolean {
  const { columns, toMany } = SHAPE[entity]!
  const many = toMany[property]
  if (many?.owned === true || columns[property]?.owner === true) return false
  if (many !== undefined) return policy.has(many.by === undefined ? 'links' : `${storedAs(many.target)}.${many.by}`)
  return Object.keys(columns).some((column) =>
    propertyOf(entity, column) === property && policy.has(`${storedAs(entity)}.${column}`)
  )
}
