import { defineEntity, p, type InferEntity } from '@mikro-orm/postgresql'
import { distributedBy, timestamps } from '../../src/index.ts' // in an application: 'fastify-crud-kit'

export const Tenant = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: { id: p.integer().primary(), name: p.string() },
})
export type Tenant = InferEntity<typeof Tenant>

/** The tenant is a part of every key and of every foreign key. */
const { key, manyToOne, manyToMany } = distributedBy('tenant_id', {
  tenant: () => p.manyToOne(Tenant).primary().joinColumn('tenant_id').updateRule('no action').deleteRule('no action'),
})

export const Project = defineEntity({
  name: 'Project',
  tableName: 'projects',
  indexes: [{ properties: ['tenant', 'name'] }],
  properties: {
    ...key,
    ...timestamps,
    name: p.string(),
    tasks: () => p.oneToMany(Task).mappedBy('project').orderBy({ title: 'asc' }),
  },
})
export type Project = InferEntity<typeof Project>

/** A unique constraint contains the tenant: another node cannot be asked. */
export const Label = defineEntity({
  name: 'Label',
  tableName: 'labels',
  uniques: [{ properties: ['tenant', 'name'] }],
  properties: {
    ...key,
    name: p.string(),
    tasks: () => p.manyToMany(Task).mappedBy('labels'),
  },
})
export type Label = InferEntity<typeof Label>

export const Task = defineEntity({
  name: 'Task',
  tableName: 'tasks',
  indexes: [{ properties: ['tenant', 'due'] }, { properties: ['tenant', 'project'] }],
  properties: {
    ...key,
    title: p.string(),
    priority: p.integer().default(1),
    done: p.boolean().default(false),
    due: p.datetime(3).nullable(),
    version: p.integer().version(),
    project: () => manyToOne(Project, 'project_id').nullable(),
    labels: () => manyToMany(Label, 'task_labels', 'task_id', 'label_id').index(), // by label
  },
})
export type Task = InferEntity<typeof Task>

export const entities = [Tenant, Project, Label, Task]
