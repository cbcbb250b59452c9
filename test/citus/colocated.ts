/**
 * Entities of the co-located layout: the tenant is a part of every key and of every foreign key, and the column by
 * which the tables are distributed. Countries are the same for all tenants: their table is a reference table.
 */
import { defineEntity, p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'
import {
  AllowedAggregate, AllowedFacet, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts'

const tenant = { tenant_id: p.integer().primary() }
const key = { ...tenant, id: p.uuid().primary().onCreate(() => randomUUID()) }

export const Country = defineEntity({
  name: 'Country',
  properties: { code: p.string().length(2).primary(), name: p.string() },
})

export const Project = defineEntity({
  name: 'Project',
  properties: {
    ...key,
    name: p.string(),
    stage: p.enum(['draft', 'running', 'done'] as const).nativeEnumName('stage').default('draft'),
    budget: p.decimal('string').precision(12).scale(2).nullable(),
    deleted_at: p.datetime().nullable(),
    country: () =>
      p.manyToOne(Country).joinColumn('country').nullable().updateRule('no action').deleteRule('no action'),
    tasks: () => p.oneToMany(Task).mappedBy('project').orderBy({ title: 'asc' }),
  },
})

export const Label = defineEntity({
  name: 'Label',
  properties: { ...key, name: p.string(), tasks: () => p.manyToMany(Task).mappedBy('labels') },
  uniques: [{ properties: ['tenant_id', 'name'] }],
})

export const Task = defineEntity({
  name: 'Task',
  properties: {
    ...key, title: p.string(), priority: p.integer().default(1), weight: p.double().nullable(),
    done: p.boolean().default(false), due: p.datetime().nullable(), data: p.json().nullable(),
    changed: p.datetime().version(),
    project: () =>
      p.manyToOne(Project).joinColumns('tenant_id', 'project_id').nullable()
        .updateRule('no action').deleteRule('no action'),
    labels: () =>
      p.manyToMany(Label).owner().pivotTable('task_labels').joinColumns('tenant_id', 'task_id')
        .inverseJoinColumns('tenant_id', 'label_id').updateRule('no action').deleteRule('no action'),
    comments: () => p.oneToMany(Comment).mappedBy('task'),
  },
})

/** The database makes its keys. */
export const Comment = defineEntity({
  name: 'Comment',
  properties: {
    ...tenant,
    id: p.bigint('string').primary().autoincrement(),
    body: p.text(),
    at: p.datetime().defaultRaw("'2026-01-02T03:04:05Z'"),
    task: () => p.manyToOne(Task).joinColumns('tenant_id', 'task_id').updateRule('no action').deleteRule('no action'),
  },
})

export const entities = [Country, Project, Label, Task, Comment]

export const distribute = [
  "select create_reference_table('country')",
  ...['project', 'label', 'task', 'comment', 'task_labels'].map((table) =>
    `select create_distributed_table('${table}', 'tenant_id', colocate_with => 'default')`
  ),
]

export const projects = new CrudBase({
  model: Project,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [
      new AllowedFilters('name', 'eq', ['eq', 'contains', 'in']),
      AllowedFilters.exact('stage'),
      AllowedFilters.exact('country.name'),
      AllowedFilters.exact('tasks.title'),
      AllowedFilters.exact('tasks.labels.name'),
      AllowedFilters.search('q', ['name', 'tasks.title']),
      AllowedFilters.trashed(),
      new AllowedFilters('tasksCount', 'gte', ['eq', 'gte', 'lt']),
      new AllowedFilters('tasksPriorityMax', 'eq', ['eq', 'lt', 'isnull']),
    ],
    allowedSorts: [
      new AllowedSort('name'), new AllowedSort('country.name'), new AllowedSort('stage'),
      new AllowedSort('tasksCount', 'tasksPriorityMax'),
    ],
    allowedGroups: [new AllowedGroup('stage'), new AllowedGroup('country.name'), new AllowedGroup('country')],
    allowedAggregates: [
      AllowedAggregate.count(),
      new AllowedAggregate('budget', ['sum', 'avg', 'min', 'max', 'countDistinct']),
      new AllowedAggregate('country.name', ['max', 'countDistinct']),
    ],
    allowedFacets: [new AllowedFacet('stage'), new AllowedFacet('country.name'), new AllowedFacet('country')],
    pagination: { countParameter: true },
    allowedIncludes: [
      new AllowedInclude('country'), new AllowedInclude('tasks.labels'), new AllowedInclude('tasks.comments'),
      AllowedInclude.count('tasks'), AllowedInclude.max('tasks.priority'), AllowedInclude.exists('tasks'),
    ],
  }),
})

export const tasks = new CrudBase({
  model: Task,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [
      new AllowedFilters('title', 'eq', ['eq', 'contains', 'in']),
      new AllowedFilters('priority', 'eq', ['eq', 'gte', 'lt']),
      AllowedFilters.exact('done'),
      new AllowedFilters('project.name', 'eq', ['eq', 'contains']),
      AllowedFilters.exact('labels.name'),
      AllowedFilters.search('q', ['title', 'project.name', 'labels.name']),
      new AllowedFilters('labelsCount', 'gte', ['eq', 'gte', 'lt']),
      new AllowedFilters('commentsAtMin', 'gte', ['gte', 'isnull']),
    ],
    allowedSorts: [
      new AllowedSort('title'), new AllowedSort('priority'), new AllowedSort('due'), new AllowedSort('project.name'),
      new AllowedSort('labelsCount', 'commentsCount', 'commentsAtMin'),
    ],
    allowedGroups: [
      new AllowedGroup('priority'),
      new AllowedGroup('done'),
      new AllowedGroup('project.stage'),
      AllowedGroup.date('due', ['day', 'week', 'month', 'year'], { timeZone: 'Europe/Berlin' }),
    ],
    allowedAggregates: [
      AllowedAggregate.count(),
      new AllowedAggregate('priority', ['sum', 'avg']),
      new AllowedAggregate('weight', ['min', 'max']),
      new AllowedAggregate('project.name', ['countDistinct', 'min']),
    ],
    allowedFacets: [new AllowedFacet('priority'), new AllowedFacet('done'), new AllowedFacet('project.stage')],
    pagination: { countParameter: true },
    allowedIncludes: [
      new AllowedInclude('project.country'), new AllowedInclude('labels'), new AllowedInclude('comments'),
      AllowedInclude.count('labels'), AllowedInclude.count('comments'), AllowedInclude.min('comments.at'),
    ],
  }),
})

export const labels = new CrudBase({
  model: Label, writable: 'all', upsertKeys: [['tenant_id', 'name']],
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [AllowedFilters.exact('name'), AllowedFilters.exact('tasks.title')],
    allowedSorts: [new AllowedSort('name')],
    allowedIncludes: [new AllowedInclude('tasks'), AllowedInclude.count('tasks')],
  }),
})

export const comments = new CrudBase({
  model: Comment,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [AllowedFilters.exact('body'), AllowedFilters.exact('task.title')],
    allowedSorts: [new AllowedSort('id'), new AllowedSort('body')],
    allowedIncludes: [new AllowedInclude('task.project')],
  }),
})
