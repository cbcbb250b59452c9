/** The entities of the shape for MikroORM. Properties have the names of a server, and columns always the same names. */
import { defineEntity, p } from '@mikro-orm/core'
import type { Condition } from './roles.ts'
import type { Naming } from './shape.ts'

/** Counts the records of a series of requests, so that their generated UUIDs are the same for all servers. */
export const serial = { next: 1 }

const nextUuid = (): string => uuidOf(1_000 + serial.next++)

export const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/**
 * The entities by name, with the names of a server. They are distinct for each server.
 *
 * @param filters the conditions of MikroORM filters, by entity and in the names of the server
 */
export function entitiesFor (
  naming: Naming,
  filters: Readonly<Record<string, Condition>> = {}
): Readonly<Record<string, any>> {
  const filtersOf = (entity: string) => ({
    ...(filters[entity] && { filters: { shown: { name: 'shown', cond: filters[entity], default: true } } }),
  })
  const id = { id: p.integer().primary().autoincrement() }
  const renamed = (entity: string, properties: Readonly<Record<string, unknown>>): any =>
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [naming(entity, name), value]))
  const names = (entity: string, properties: Readonly<Record<string, unknown>>): any => ({
    ...id,
    ...renamed(entity, properties),
  })
  const column = (name: string) => ({
    int: () => p.integer().default(0).fieldName(name),
    optionalInt: () => p.integer().nullable().fieldName(name),
    text: () => p.string().default('').fieldName(name),
  })
  const Address = defineEntity({
    name: 'Address', embeddable: true, properties: { city: p.string().default(''), zip: p.integer().default(0) },
  })
  const User: any = defineEntity({
    name: 'User', tableName: 'users', ...filtersOf('User'),
    properties: names('User', {
      tenant: column('tenant').int(),
      name: column('name').text(),
      salary: column('salary').optionalInt(),
      address: p.embedded(Address).prefix('address_').onCreate(() => ({ city: '', zip: 0 })),
      manager: () => p.manyToOne(User).nullable().joinColumn('manager_id'),
      projects: () => p.oneToMany(Project).mappedBy(naming('Project', 'owner')),
      reports: () => p.oneToMany(User).mappedBy(naming('User', 'manager')),
      fixes: () => p.oneToMany(Bug).mappedBy(naming('Bug', 'fixer')),
    }),
  })
  const Project: any = defineEntity({
    name: 'Project', tableName: 'projects', ...filtersOf('Project'),
    properties: names('Project', {
      tenant: column('tenant').int(),
      name: column('name').text(),
      budget: column('budget').optionalInt(),
      status: column('status').text(),
      settings: p.json<any>().nullable().fieldName('settings'),
      owner: () => p.manyToOne(User).nullable().joinColumn('owner_id'),
      parent: () => p.manyToOne(Project).nullable().joinColumn('parent_id'),
      tasks: () =>
        p.oneToMany(Task).mappedBy(naming('Task', 'project')).orderBy({ [naming('Task', 'effort')]: 'desc' } as never),
      bugs: () => p.oneToMany(Bug).mappedBy(naming('Bug', 'project')),
      children: () => p.oneToMany(Project).mappedBy(naming('Project', 'parent')),
      labels: () =>
        p.manyToMany(Label).owner().pivotTable('links').joinColumn('project_id').inverseJoinColumn('label_id'),
      notes: () => p.oneToMany(Note).mappedBy(naming('Note', 'project')),
      version: p.integer().version().fieldName('version'),
    }),
  })
  const Note: any = defineEntity({
    name: 'Note', tableName: 'notes', ...filtersOf('Note'),
    properties: names('Note', {
      tenant: column('tenant').int(),
      text: column('text').text(),
      rank: column('rank').optionalInt(),
      // a note that a role may not see does not prevent it from deleting the project
      project: () => p.manyToOne(Project).joinColumn('project_id').deleteRule('cascade'),
      author: () => p.manyToOne(User).nullable().joinColumn('author_id'),
      version: p.integer().version().fieldName('version'),
    }),
  })
  const Seat: any = defineEntity({
    name: 'Seat', tableName: 'seats', ...filtersOf('Seat'),
    properties: {
      area: p.integer().primary(),
      no: p.integer().primary(),
      ...renamed('Seat', {
        tenant: column('tenant').int(),
        name: column('name').text(),
        price: column('price').optionalInt(),
        holder: () => p.manyToOne(User).nullable().joinColumn('holder_id'),
        tasks: () => p.oneToMany(Task).mappedBy(naming('Task', 'seat')),
      }),
    },
  })
  const Task: any = defineEntity({
    name: 'Task', tableName: 'tasks', ...filtersOf('Task'), discriminatorColumn: 'kind', discriminatorValue: 'Task',
    properties: names('Task', {
      tenant: column('tenant').int(),
      title: column('title').text(),
      note: p.text().default('').fieldName('note'),
      effort: column('effort').optionalInt(),
      project: () => p.manyToOne(Project).nullable().joinColumn('project_id'),
      after: () => p.manyToOne(Task).nullable().joinColumn('after_id'),
      seat: () => p.manyToOne(Seat).nullable().joinColumns('seat_area', 'seat_no'),
      followers: () => p.oneToMany(Task).mappedBy(naming('Task', 'after')),
      deleted_at: p.datetime(3).nullable().fieldName('deleted_at'),
    }),
  })
  const Bug: any = defineEntity({
    name: 'Bug', extends: Task, discriminatorValue: 'Bug',
    properties: renamed('Bug', {
      severity: column('severity').optionalInt(),
      fixer: () => p.manyToOne(User).nullable().joinColumn('fixer_id'),
      examples: () => p.oneToMany(Label).mappedBy(naming('Label', 'example')),
    }),
  })
  const Label: any = defineEntity({
    name: 'Label', tableName: 'labels', ...filtersOf('Label'),
    properties: names('Label', {
      tenant: column('tenant').int(),
      text: column('text').text(),
      weight: column('weight').int(),
      uuid: p.uuid().unique().onCreate(nextUuid).fieldName('uuid'),
      example: () => p.manyToOne(Bug).nullable().joinColumn('example_id'),
      projects: () => p.manyToMany(Project).mappedBy(naming('Project', 'labels')),
    }),
  })
  return { User, Project, Note, Seat, Task, Bug, Label }
}
