/**
 * A server process with the worst requests' resources, `node bench/worst/server-process.ts`. bench/worst/run.ts starts
 * it.
 */
import Fastify from 'fastify'
import {
  AllowedAggregate, AllowedFacet, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase, crudKit,
} from '../library.ts'
import type { QueryBuilderOptions } from '../../src/index.ts'
import { entities, Label, Note, Paper, Project, Task } from './entities.ts'

type Json = any // any: the resources have different entities

const resource = (
  model: Json,
  config: QueryBuilderOptions<Json>,
  { writable, upsertKeys, ...more }: Json = {}
) => ({
  crud: new CrudBase({ model, writable, upsertKeys, queryConfig: config }),
  operations: ['list', 'get'],
  ...more,
})
const includes = (...paths: string[]) => paths.map((path) => new AllowedInclude(path))
const sorts = (...names: string[]) => names.map((name) => new AllowedSort(name))
const fastify = Fastify()
await fastify.register(crudKit, {
  database: {
    databaseUrl: process.env['DATABASE_URL']!,
    entities,
    applicationName: 'worst',
    pool: { max: 1, idleTimeoutMillis: 0 },
  },
  indexAdvice: false,
  resources: {
    '/projects': resource(Project, {
      allowedFilters: [
        AllowedFilters.search('q', ['name', 'notes', 'tasks.title', 'tasks.body', 'labels.name']),
        new AllowedFilters('tasks.title', 'contains'),
        new AllowedFilters('labels.name', 'eq'),
        new AllowedFilters('tasksCount', 'gte', ['gte']),
        new AllowedFilters('name', 'like'),
      ],
      allowedSorts: sorts('name', 'notes', 'budget', 'tasksCount'),
      allowedIncludes: [
        ...includes('tasks', 'labels', 'labels.projects', 'labels.projects.tasks', 'labels.projects.labels'),
        AllowedInclude.count('tasks'),
        AllowedInclude.min('tasks.title'),
        AllowedInclude.max('tasks.title'),
        AllowedInclude.max('tasks.body'),
        AllowedInclude.exists('tasks'),
        AllowedInclude.count('labels'),
        AllowedInclude.exists('labels'),
        AllowedInclude.min('labels.name'),
      ],
    }, { query: true, writable: ['notes'], operations: ['list', 'get', 'updateMany'] }),
    '/tasks': resource(Task, {
      allowedFilters: [
        new AllowedFilters('title', 'like', ['like', 'ilike', 'contains', 'in']),
        new AllowedFilters('body', 'like', ['like', 'contains']),
        new AllowedFilters('done', 'eq'),
        new AllowedFilters('project.name', 'eq'),
        AllowedFilters.search('q', ['title', 'body', 'project.name']),
      ],
      allowedFacets: ['done', 'title', 'body', 'project.name'].map((name) => new AllowedFacet(name)),
      allowedGroups: ['done', 'title', 'body', 'project.name'].map((name) => new AllowedGroup(name)),
      allowedAggregates: [
        AllowedAggregate.count(),
        new AllowedAggregate('title', ['min', 'max', 'countDistinct']),
        new AllowedAggregate('body', ['min', 'max', 'countDistinct']),
      ],
      allowedSorts: sorts('title', 'body', 'project.name'),
      allowedIncludes: includes('project', 'project.labels', 'project.tasks'),
    }, { query: true, writable: ['done'], operations: ['list', 'get', 'aggregate', 'updateMany', 'deleteMany'] }),
    '/labels': resource(Label, { allowedIncludes: includes('projects', 'projects.tasks', 'projects.labels') }),
    '/papers': resource(Paper, {
      allowedFilters: [new AllowedFilters('content', 'contains')],
      allowedSorts: sorts('content'),
    }, {
      writable: ['title', 'content', 'project'],
      upsertKeys: ['title'],
      operations: ['list', 'createMany', 'upsert', 'deleteMany'],
    }),
    '/notes': resource(Note, {
      allowedFilters: [
        AllowedFilters.fullText('q', ['title', 'text'], { config: 'english' }),
        AllowedFilters.fullText('unstored', ['text'], { config: 'english' }),
      ],
    }),
  },
})
await fastify.listen({ host: '127.0.0.1', port: 0 })
process.on('message', async (command: 'rest' | 'stop') => {
  if (command === 'rest') {
    globalThis.gc?.()
    return process.send!({ rss: process.memoryUsage().rss })
  }
  await fastify.close()
  process.disconnect()
})
process.send!({ port: (fastify.server.address() as { port: number }).port })
