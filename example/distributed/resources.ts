// in an application: 'fastify-crud-kit'
import { AllowedFilters, AllowedInclude, AllowedSort, CrudBase, QueryBuilderConfig } from '../../src/index.ts'
import { Label, Project, Task, Tenant } from './entities.ts'

const tenants = new CrudBase({
  model: Tenant,
  writable: ['name'],
  queryConfig: new QueryBuilderConfig<Tenant>({
    allowedFilters: [new AllowedFilters('name', 'eq', ['eq', 'contains'])],
    allowedSorts: [new AllowedSort('name')],
  }),
})

const projects = new CrudBase({
  model: Project,
  writable: ['name'],
  queryConfig: new QueryBuilderConfig<Project>({
    allowedFilters: [
      new AllowedFilters('name', 'eq', ['eq', 'contains', 'in']),
      AllowedFilters.exact('tasks.done'),
      AllowedFilters.exact('tasks.labels.name'),
    ],
    allowedSorts: [new AllowedSort('name', 'created_at')],
    allowedIncludes: [new AllowedInclude('tasks.labels'), AllowedInclude.count('tasks')],
    defaultSort: ['name'],
  }),
})

const labels = new CrudBase({
  model: Label,
  writable: ['name'],
  queryConfig: new QueryBuilderConfig<Label>({
    allowedFilters: [new AllowedFilters('name', 'eq', ['eq', 'in'])],
    allowedSorts: [new AllowedSort('name')],
    allowedIncludes: [AllowedInclude.count('tasks')],
    defaultSort: ['name'],
  }),
})

const tasks = new CrudBase({
  model: Task,
  writable: ['title', 'priority', 'done', 'due', 'project', 'labels'],
  queryConfig: new QueryBuilderConfig<Task>({
    allowedFilters: [
      new AllowedFilters('title', 'contains', ['eq', 'contains']),
      new AllowedFilters('priority', 'eq', ['eq', 'gte', 'lte']),
      AllowedFilters.exact('done'),
      new AllowedFilters('due', 'lt', ['lt', 'gte', 'between', 'isnull']),
      new AllowedFilters('project.name', 'eq', ['eq', 'contains']),
      new AllowedFilters('labels.name', 'eq', ['eq', 'in']),
      AllowedFilters.search('q', ['title', 'project.name']),
    ],
    allowedSorts: [new AllowedSort('title', 'priority', 'due', 'project.name')],
    allowedIncludes: [new AllowedInclude('project'), new AllowedInclude('labels')],
    defaultSort: ['due'],
  }),
})

export const resources = {
  '/tenants': tenants,
  '/projects': projects,
  '/labels': labels,
  '/tasks': { crud: tasks, operations: ['list', 'get', 'create', 'createMany', 'update', 'delete'] },
} as const
