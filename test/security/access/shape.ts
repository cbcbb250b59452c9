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
}

/** A to-many relation: by a column of the target, or by the table of links. */
export interface ToMany {
  readonly target: string
  /** The column of the target that refers to this entity; absent for links. */
  readonly by?: string
}

export interface EntityShape {
  readonly table: string
  readonly path: string
  readonly columns: Readonly<Record<string, Column>>
  readonly toMany: Readonly<Record<string, ToMany>>
}

const key = (target: string): Column => ({ type: 'key', target, nullable: true })

export const SHAPE: Readonly<Record<string, EntityShape>> = {
  User: {
    table: 'users',
    path: '/users',
    columns: {
      tenant: { type: 'tenant' },
      name: { type: 'text' },
      salary: { type: 'int', nullable: true },
      manager: key('User'),
      address_city: { type: 'text', property: 'address' },
      address_zip: { type: 'int', property: 'address' },
    },
    toMany: { projects: { target: 'Project', by: 'owner' }, reports: { target: 'User', by: 'manager' } },
  },
  Project: {
    table: 'projects',
    path: '/projects',
    columns: {
      tenant: { type: 'tenant' },
      name: { type: 'text' },
      budget: { type: 'int', nullable: true },
      status: { type: 'text' },
      settings: { type: 'json', nullable: true },
      owner: key('User'),
      parent: key('Project'),
      version: { type: 'version' },
    },
    toMany: {
      tasks: { target: 'Task', by: 'project' },
      children: { target: 'Project', by: 'parent' },
      labels: { target: 'Label' },
    },
  },
  Task: {
    table: 'tasks',
    path: '/tasks',
    columns: {
      tenant: { type: 'tenant' },
      title: { type: 'text' },
      note: { type: 'long' },
      effort: { type: 'int', nullable: true },
      project: key('Project'),
      after: key('Task'),
      deleted_at: { type: 'date', nullable: true },
    },
    toMany: { followers: { target: 'Task', by: 'after' } },
  },
  Label: {
    table: 'labels',
    path: '/labels',
    columns: {
      tenant: { type: 'tenant' },
      text: { type: 'text' },
      weight: { type: 'int' },
      uuid: { type: 'uuid' },
    },
    toMany: { projects: { target: 'Project' } },
  },
}

export const ENTITIES: readonly string[] = Object.keys(SHAPE)

export const propertyOf = (entity: string, column: string): string => SHAPE[entity]!.columns[column]!.property ?? column

/** The names of an entity's properties except its key. */
export function propertiesOf (entity: string): readonly string[] {
  const { columns, toMany } = SHAPE[entity]!
  return [...new Set([...Object.keys(columns).map((column) => propertyOf(entity, column)), ...Object.keys(toMany)])]
}

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
    names.push(current === undefined || part === 'id' ? part : naming(current, part))
    current = current && targetOf(current, part)
  }
  return names.join('.')
}
