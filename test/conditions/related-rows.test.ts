/** Conditions of an application on related rows find the rows that they describe, however they are nested. */
import { p } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { CrudBase, parseQueryParams, primaryKey } from '../../src/index.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { entity } from '../helpers/entity.ts'
import { assertProperty } from '../helpers/property.ts'
import { resource } from '../helpers/resource.ts'

const Owner = entity('Owner', { ...primaryKey, rank: p.integer(), tasks: () => p.oneToMany(Task).mappedBy('owner') })
const Task = entity('Task', {
  ...primaryKey,
  deleted_at: p.datetime().nullable(),
  effort: p.integer(),
  owner: () => p.manyToOne(Owner),
  labels: () => p.manyToMany(Label),
})
const Label = entity('Label', { ...primaryKey, heat: p.integer(), tasks: () => p.manyToMany(Task).mappedBy('labels') })

/** The entities: their numbers, and what their relations lead to. */
const ENTITIES = {
  Owner: { numbers: ['id', 'rank'], relations: { tasks: 'Task' } },
  Task: { numbers: ['id', 'effort'], relations: { owner: 'Owner', labels: 'Label' } },
  Label: { numbers: ['id', 'heat'], relations: { tasks: 'Task' } },
} as const
type Name = keyof typeof ENTITIES

/** No value is null, so that a condition is true or false. */
const OWNERS = [1, 2, 3, 4].map((id) => ({ id, rank: id % 3, tasks: [] as Row[] }))
const LABELS = [1, 2, 3, 4].map((id) => ({ id, heat: id % 2, tasks: [] as Row[] }))
// one owner and one label have no tasks
const TASKS = Array.from({ length: 9 }, (_, index) => ({
  id: index + 1, effort: index % 4, deleted: index % 5 === 2, owner: [OWNERS[index % 3]!],
  labels: LABELS.slice(0, 3).filter((_, label) => (index * 5) >> label & 1),
}))
type Row = Readonly<Record<string, unknown>>

for (const task of TASKS.filter(({ deleted }) => !deleted)) {
  for (const row of [...task.owner, ...task.labels]) row.tasks.push(task)
}
const ROWS: Readonly<Record<Name, readonly Row[]>> = {
  Owner: OWNERS, Task: TASKS.filter(({ deleted }) => !deleted), Label: LABELS,
}

async function seed (em: EntityManager): Promise<void> {
  for (const { id, rank } of OWNERS) em.create(Owner, { id, rank })
  for (const { id, heat } of LABELS) em.create(Label, { id, heat })
  await em.flush()
  for (const { id, effort, deleted, owner: [owner], labels } of TASKS) {
    em.create(Task, {
      id, effort, deleted_at: deleted ? new Date() : null, owner: owner!.id, labels: labels.map(({ id }) => id),
    } as never)
  }
  await em.flush()
}

type Where = { readonly [Key: string]: any }

const number = fc.integer({ min: 0, max: 5 })
const comparison = fc.oneof(
  number,
  fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$lt'), number).map(([operator, value]) => ({ [operator]: value })),
  fc.array(number, { minLength: 1, maxLength: 3 })
)

/**
 * Conditions on an entity, which lead over at most `depth` relations and groups. To-many relations have a quantifier:
 * without one, MikroORM joins their rows, so that a negation is about each joined row.
 */
function whereOf (name: Name, depth: number): fc.Arbitrary<Where> {
  const { numbers, relations } = ENTITIES[name]
  const onNumber = fc.tuple(fc.constantFrom(...numbers), comparison).map(([key, value]) => ({ [key]: value }))
  if (depth === 0) return onNumber
  const inner = whereOf(name, depth - 1)
  const behind = (Object.entries(relations) as Array<[string, Name]>).map(([relation, target]) => {
    const condition = whereOf(target, depth - 1)
    const said = relation === 'owner'
      ? condition
      : fc.tuple(fc.constantFrom('$some', '$none', '$every'), condition).map((quantified) =>
        Object.fromEntries([quantified])
      )
    return said.map((said) => ({ [relation]: said }))
  })
  return fc.oneof(
    onNumber,
    { weight: 4, arbitrary: fc.oneof(...behind) },
    { weight: 2, arbitrary: inner.map((condition) => ({ $not: condition })) },
    fc.tuple(fc.constantFrom('$and', '$or'), inner, inner).map(([group, a, b]) => ({ [group]: [a, b] })),
    fc.tuple(inner, onNumber).map(([condition, own]) => ({ ...condition, ...own }))
  )
}

/** Whether a row fulfils a condition, read as MikroORM's documentation says. */
function fulfils (row: Row, where: Where): boolean {
  return Object.entries(where).every(([key, said]) => {
    if (key === '$not') return !fulfils(row, said)
    if (key === '$and') return said.every((member: Where) => fulfils(row, member))
    if (key === '$or') return said.some((member: Where) => fulfils(row, member))
    const value = row[key]
    return Array.isArray(value) ? fulfilRelated(value, said) : compare(Number(value), said)
  })
}

function fulfilRelated (rows: readonly Row[], said: Where): boolean {
  if ('$none' in said) return !rows.some((row) => fulfils(row, said['$none']))
  if ('$every' in said) return rows.every((row) => fulfils(row, said['$every']))
  // a to-one relation has no quantifier
  return rows.some((row) => fulfils(row, '$some' in said ? said['$some'] : said))
}

function compare (value: number, said: number | readonly number[] | Readonly<Record<string, number>>): boolean {
  if (typeof said === 'number') return value === said
  if (Array.isArray(said)) return said.includes(value)
  return Object.entries(said).every(([operator, other]) => {
    switch (operator) {
      case '$eq':
        return value === other
      case '$ne':
        return value !== other
      case '$gt':
        return value > other
      default:
        return value < other
    }
  })
}

await forOneDatabase(t, { entities: [Owner, Task, Label], seed }, async (t, { orm }) => {
  const cruds: Readonly<Record<Name, CrudBase<any>>> = {
    Owner: resource(Owner, {}), Task: resource(Task, {}), Label: resource(Label, {}),
  }
  const found = async (name: Name, scope: Where): Promise<number[]> => {
    const { items } = await cruds[name].list(orm.em.fork(), parseQueryParams('per_page=100'), { scope })
    return items.map(({ id }) => id as number).sort((a, b) => a - b)
  }
  const condition = fc.constantFrom<Name[]>('Owner', 'Task', 'Label')
    .chain((name) => fc.tuple(fc.constant(name), whereOf(name, 3)))

  t.test('a scope over relations finds the rows that it describes', async (t) => {
    const seen = { all: 0, some: 0, none: 0 }
    await assertProperty(
      fc.asyncProperty(condition, async ([name, where]) => {
        const expected = ROWS[name].filter((row) => fulfils(row, where)).map(({ id }) => id as number)
        assert.deepStrictEqual(await found(name, structuredClone(where)), expected, JSON.stringify([name, where]))
        seen[expected.length === 0 ? 'none' : expected.length === ROWS[name].length ? 'all' : 'some']++
      }),
      { numRuns: 300 }
    )
    t.ok(Object.values(seen).every((count) => count > 30), JSON.stringify(seen))
  })
})
