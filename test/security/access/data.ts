/** Random rows of the shape, their twin that differs only in what a role may not see, and the SQL that inserts them. */
import fc from 'fast-check'
import { uuidOf } from './entities.ts'
import { policyColumns, type Secrets } from './roles.ts'
import { family, keyColumns, keyValues, SHAPE, STORED, storedAs, tableColumns, type Column } from './shape.ts'
import { viewOf } from './visible-data.ts'

export interface Row {
  id: number
  [column: string]: unknown
}

export interface Link {
  readonly project: number
  readonly label: number
}

/** Rows by the entity whose table has them, and the links of the many-to-many relation. */
export interface Data {
  readonly rows: Record<string, Row[]>
  links: Link[]
}

export const WORDS: readonly string[] = ['ann', 'bob', 'open', 'An%', 'zed', '']
/** Long enough to exceed the limit of an answer. */
const LONG = 'x'.repeat(1_500)
const DAYS: readonly string[] = ['2001-01-01T00:00:00.000Z', '2002-02-02T00:00:00.000Z']
const MOST_ROWS = 5
const TRIALS = 5

/** A value of a column, chosen by a number. */
function valueOf (column: Column, entity: string, id: number, n: number, data: Data): unknown {
  const { type, nullable, target, owner } = column
  if (nullable === true && n % 4 === 0) return null
  const m = Math.floor(n / 4)
  switch (type) {
    case 'tenant':
      return m % 3 === 0 ? 2 : 1
    case 'int':
      return m % 5
    case 'text':
      return WORDS[m % WORDS.length]
    case 'long':
      return [...WORDS.slice(0, 3), LONG][m % 4]
    case 'json':
      return JSON.stringify({ theme: WORDS[m % 3], size: m % 7 })
    case 'uuid':
      return uuidOf(10 * id + (n % 10))
    case 'date':
      return n % 3 === 0 ? DAYS[m % 2] : null
    case 'version':
      return 1 + m % 4
    case 'key': {
      const rows = rowsIn(data, target!)
      if (rows.length === 0) return null
      // few owners, which have several rows each
      return rows[m % Math.min(rows.length, owner === true ? 2 : Infinity)]!.id
    }
  }
}

/** The rows of an entity. */
export function rowsIn (data: Data, entity: string): readonly Row[] {
  const rows = data.rows[storedAs(entity)]!
  return SHAPE[entity]!.base === undefined ? rows : rows.filter(({ kind }) => kind === entity)
}

/** A row without values. Its kind is an entity of the table. */
function emptyRow (entity: string, id: number, random: () => number): Row {
  const kinds = family(entity)
  return { id, kind: kinds[random() % kinds.length] }
}

function fillRow (row: Row, entity: string, random: () => number, data: Data): void {
  const own = SHAPE[row['kind'] as string]!.columns
  for (const [column, shape] of Object.entries(tableColumns(entity))) {
    const n = random()
    row[column] = column in own ? valueOf(shape, entity, row.id, n, data) : null
  }
}

/** Adds a row, to which its own keys may refer. */
function addRow (entity: string, id: number, random: () => number, data: Data): void {
  const row = emptyRow(entity, id, random)
  data.rows[entity]!.push(row)
  fillRow(row, entity, random, data)
  if (!hasOwner(row, entity)) data.rows[entity]!.pop()
}

/** Whether a row has the owner that it needs. */
const hasOwner = (row: Row, entity: string): boolean =>
  Object.entries(tableColumns(entity)).every(([column, { owner }]) => owner !== true || row[column] !== null)

export function dataOf (seed: number): Data {
  const random = numbers(seed)
  const data: Data = { rows: Object.fromEntries(STORED.map((entity) => [entity, []])), links: [] }
  for (const entity of STORED) {
    for (let id = 1; id <= MOST_ROWS; id++) {
      if (random() % 5 !== 0) data.rows[entity]!.push(emptyRow(entity, id, random))
    }
  }
  for (const entity of STORED) {
    for (const row of data.rows[entity]!) fillRow(row, entity, random, data)
    data.rows[entity] = data.rows[entity]!.filter((row) => hasOwner(row, entity))
  }
  for (const { id: project } of data.rows['Project']!) {
    for (const { id: label } of data.rows['Label']!) if (random() % 3 === 0) data.links.push({ project, label })
  }
  return data
}

export const seedArbitrary: fc.Arbitrary<number> = fc.integer({ min: 0, max: 2 ** 31 - 1 })

/**
 * Data of which the role sees the same. Each value, row and link is changed if the role's view stays the same, and if
 * no rule of the role depends on it.
 */
export function twinOf (data: Data, secrets: Secrets, seed: number): Data {
  const random = numbers(seed)
  const policy = policyColumns(secrets)
  const view = JSON.stringify(viewOf(secrets, data))
  let twin = data
  const attempt = (change: (copy: Data) => void): boolean => {
    const copy = structuredClone(twin)
    change(copy)
    if (JSON.stringify(viewOf(secrets, copy)) !== view) return false
    twin = copy
    return true
  }
  for (const entity of STORED) {
    if (policy.has(`${entity}.id`)) continue
    const freeIds = Array.from({ length: MOST_ROWS + 1 }, (_, index) => index + 1)
      .filter((id) => !data.rows[entity]!.some((row) => row.id === id))
    for (const id of freeIds) {
      // most random rows would be visible
      let added = false
      for (let trial = 0; trial < TRIALS && !added; trial++) {
        added = attempt((copy) => addRow(entity, id, random, copy))
      }
    }
    for (const { id } of data.rows[entity]!) {
      if (random() % 2 === 0) attempt((copy) => removeRow(copy, entity, id, policy))
    }
  }
  for (const entity of STORED) {
    for (const { id } of [...twin.rows[entity]!]) {
      const { kind } = twin.rows[entity]!.find((row) => row.id === id)!
      for (const [column, shape] of Object.entries(SHAPE[kind as string]!.columns)) {
        if (policy.has(`${entity}.${column}`)) continue
        const n = random()
        attempt((copy) => {
          const row = copy.rows[entity]!.find((row) => row.id === id)!
          row[column] = valueOf(shape, entity, id, n, copy)
        })
      }
    }
  }
  if (!policy.has('links')) {
    for (const { id: project } of twin.rows['Project']!) {
      for (const { id: label } of twin.rows['Label']!) {
        if (random() % 2 === 0) attempt((copy) => toggleLink(copy, { project, label }))
      }
    }
  }
  return twin
}

function removeRow (data: Data, entity: string, id: number, policy: ReadonlySet<string>): void {
  const rows = data.rows[entity]!
  for (const other of STORED) {
    for (const [column, { target, owner }] of Object.entries(tableColumns(other))) {
      if (target === undefined || storedAs(target) !== entity) continue
      const referring = data.rows[other]!.filter((row) => row[column] === id)
      if (referring.length > 0 && policy.has(`${other}.${column}`)) return
      if (owner === true) data.rows[other] = data.rows[other]!.filter((row) => row[column] !== id)
      else for (const row of referring) row[column] = null
    }
  }
  const name = entity === 'Project' ? 'project' : entity === 'Label' ? 'label' : undefined
  if (name !== undefined && data.links.some((link) => link[name] === id)) {
    if (policy.has('links')) return
    data.links = data.links.filter((link) => link[name] !== id)
  }
  rows.splice(rows.findIndex((row) => row.id === id), 1)
}

function toggleLink (data: Data, { project, label }: Link): void {
  const others = data.links.filter((link) => link.project !== project || link.label !== label)
  data.links = others.length === data.links.length
    ? [...others, { project, label }].sort((one, other) => one.project - other.project || one.label - other.label)
    : others
}

/** The SQL that replaces the rows of all tables. */
export function insertSql (data: Data): string {
  const tables = STORED.map((entity) => SHAPE[entity]!.table)
  const statements = [`truncate links, ${tables.join()}`]
  for (const entity of STORED) {
    const { table } = SHAPE[entity]!
    const columns = Object.entries(tableColumns(entity))
    const hasKinds = family(entity).length > 1
    const names = [
      ...keyColumns(entity),
      ...hasKinds ? ['kind'] : [],
      ...columns.flatMap(([name, { target }]) => target === undefined ? name : keyColumns(target, `${name}_`)),
    ]
    const values = data.rows[entity]!.map((row) => [
      ...keyValues(entity, row.id),
      ...hasKinds ? [row['kind']] : [],
      ...columns.flatMap(([name, { target }]) => target === undefined ? row[name] : foreignKey(target, row[name])),
    ])
    const rows = values.map((row) => `(${row.map(literal).join()})`)
    if (rows.length > 0) statements.push(`insert into ${table} (${names.join()}) values ${rows.join()}`)
    if (keyColumns(entity).length === 1) statements.push(`select setval('${table}_id_seq', 100)`)
  }
  const links = data.links.map(({ project, label }) => `(${project}, ${label})`)
  if (links.length > 0) statements.push(`insert into links (project_id, label_id) values ${links.join()}`)
  return [...statements, ''].join(';\n')
}

const foreignKey = (target: string, id: unknown): readonly unknown[] =>
  id === null ? keyColumns(target).map(() => null) : keyValues(target, id as number)

const literal = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`

/** A series of natural numbers that depends on the seed only. */
export function numbers (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
