/**
 * The columns and relations of the entities in the non-interference tests. Their names do not change. The names that a
 * server uses for its properties may differ.
 */

/** The types of columns. `key` refers to another entity. */
export type ColumnType = 'tenant' | 'int' | 'text' | 'long' | 'json' | 'uuid' | 'date' | 'version' | 'key'

export interface Column {
  readonly type: ColumnType
  /** The property that the column belongs to, if it has another name. */
  readonly property?: string
  /** The entity that a key refers to. */
  readonly target?: string
  readonly nullable?: boolean
  /** Whether it refers to the owner of the row. It is set when the owner adds the row, which goes with its owner. */
  readonly owner?: boolean
}

type Columns = Readonly<Record<string, Column>>

/** A to-many relation: by a column of the target, or by the table of links. */
interface ToMany {
  readonly target: string
  /** The column of the target that refers to this entity; absent for links. */
  readonly by?: string
  /** Whether bodies write the rows of the target. */
  readonly owned?: boolean
}

interface EntityShape {
  readonly table: string
  readonly path: string
  /** The entity that this one extends. The rows of both are in one table, and its column `kind` tells them apart. */
  readonly base?: string
  /** The columns of a composite primary key. The other entities have the key `id`. */
  readonly key?: readonly string[]
  readonly columns: Columns
  readonly toMany: Readonly<Record<string, ToMany>>
}

const key = (target: string): Column => ({ type: 'key', target, nullable: true })
const tenant: Column = { type: 'tenant' }
const text: Column = { type: 'text' }
const int: Column = { type: 'int', nullable: true }

const TASK = {
  columns: {
    tenant, title: text, note: { type: 'long' }, effort: int, project: key('Project'), after: key('Task'),
    seat: key('Seat'), deleted_at: { type: 'date', nullable: true },
  },
  toMany: { followers: { target: 'Task', by: 'after' } },
} as const satisfies Pick<EntityShape, 'columns' | 'toMany'>

/** The entities, in an order in which their rows can be inserted. */
export const SHAPE: Readonly<Record<string, EntityShape>> = {
  User: {
    table: 'users',
    path: '/users',
    columns: {
      tenant, name: text, salary: int, manager: key('User'), address_city: { type: 'text', property: 'address' },
      address_zip: { type: 'int', property: 'address' },
    },
    toMany: {
      projects: { target: 'Project', by: 'owner' },
      reports: { target: 'User', by: 'manager' },
      fixes: { target: 'Bug', by: 'fixer' },
    },
  },
  Project: {
    table: 'projects',
    path: '/projects',
    columns: {
      tenant, name: text, budget: int, status: text, settings: { type: 'json', nullable: true }, owner: key('User'),
      parent: key('Project'), version: { type: 'version' },
    },
    toMany: {
      tasks: { target: 'Task', by: 'project' },
      bugs: { target: 'Bug', by: 'project' },
      children: { target: 'Project', by: 'parent' },
      labels: { target: 'Label' },
      notes: { target: 'Note', by: 'project', owned: true },
    },
  },
  Note: {
    table: 'notes', path: '/notes',
    columns: {
      tenant,
      text,
      rank: int,
      project: { type: 'key', target: 'Project', owner: true },
      author: key('User'),
      version: { type: 'version' },
    },
    toMany: {},
  },
  Seat: {
    table: 'seats', path: '/seats', key: ['area', 'no'],
    columns: { tenant, name: text, price: int, holder: key('User') }, toMany: { tasks: { target: 'Task', by: 'seat' } },
  },
  Task: { table: 'tasks', path: '/tasks', ...TASK },
  Bug: {
    table: 'tasks', path: '/bugs', base: 'Task', columns: { ...TASK.columns, severity: int, fixer: key('User') },
    toMany: { ...TASK.toMany, examples: { target: 'Label', by: 'example' } },
  },
  Label: {
    table: 'labels',
    path: '/labels',
    columns: { tenant, text, weight: { type: 'int' }, uuid: { type: 'uuid' }, example: key('Bug') },
    toMany: { projects: { target: 'Project' } },
  },
}

export const ENTITIES: readonly string[] = Object.keys(SHAPE)

/** The entities that have a table of their own. */
export const STORED: readonly string[] = ENTITIES.filter((entity) => SHAPE[entity]!.base === undefined)

/** The entity whose table has the rows of an entity. */
export const storedAs = (entity: string): string => SHAPE[entity]!.base ?? entity

/** An entity, and those that extend it. */
export const family = (entity: string): readonly string[] =>
  ENTITIES.filter((other) => other === entity || SHAPE[other]!.base === entity)

/** The columns of an entity's table, without those of the key and `kind`. */
export const tableColumns = (entity: string): Columns =>
  Object.assign({}, ...family(storedAs(entity)).map((entity) => SHAPE[entity]!.columns)) as Columns

/** The columns of a primary key, or of a foreign key that refers to it. */
export const keyColumns = (entity: string, prefix = ''): readonly string[] =>
  (SHAPE[storedAs(entity)]!.key ?? ['id']).map((name) => `${prefix}${name}`)

/** The values of a key's columns. Each composite key stands for a number, which is the row's in the tests. */
export const keyValues = (entity: string, id: number): readonly number[] =>
  SHAPE[storedAs(entity)]!.key === undefined ? [id] : [Math.ceil(id / 2), id % 2]

/** A key as bodies contain it. */
export function keyInBody (entity: string, id: number): unknown {
  const values = keyValues(entity, id)
  return values.length === 1 ? id : Object.fromEntries(keyColumns(entity).map((name, index) => [name, values[index]]))
}

export const propertyOf = (entity: string, column: string): string => tableColumns(entity)[column]!.property ?? column

/** The names of an entity's properties except its key. */
export function propertiesOf (entity: string): readonly string[] {
  const { columns, toMany } = SHAPE[entity]!
  return [...new Set([...Object.keys(columns).map((column) => propertyOf(entity, column)), ...Object.keys(toMany)])]
}

/** The names of the properties of an entity and of those that extend it. */
export const familyProperties = (entity: string): readonly string[] => [
  ...new Set(family(entity).flatMap(propertiesOf)),
]

/** The entity that a relation leads to; `undefined` for other properties. */
export function targetOf (entity: string, property: string): string | undefined {
  const { columns, toMany } = SHAPE[entity]!
  return columns[property]?.target ?? toMany[property]?.target
}

/** The name that a server uses for a property. */
export type Naming = (entity: string, property: string) => string

export const sameNames: Naming = (_, property) => property

/** A path of properties in the names of a server. */
export function named (naming: Naming, entity: string, path: string): string {
  const names: string[] = []
  let current: string | undefined = entity
  for (const part of path.split('.')) {
    const isKept = current === undefined || keyColumns(current).includes(part)
    names.push(isKept ? part : naming(current!, part))
    current = current && targetOf(current, part)
  }
  return names.join('.')
}
