/** What the whitelists of the resources allow, by paths of the shape, and the resources of a server. */
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  type CrudKitOptions, type QueryBuilderOptions,
} from '../../../src/index.ts'
import { ENTITIES, keyColumns, named, SHAPE, storedAs, targetOf, type ColumnType, type Naming } from './shape.ts'

type Aggregate = 'count' | 'exists' | 'sum' | 'min' | 'max' | 'avg'

export interface Allowed {
  readonly filters: readonly string[]
  /** Those of the filters whose conditions the application's code adds. */
  readonly custom: readonly string[]
  /** The properties that the filter `q` searches, and those that `any` compares. */
  readonly search: readonly string[]
  readonly anyOf: readonly string[]
  readonly sorts: readonly string[]
  /** The properties of the sort `several`. */
  readonly several: readonly string[]
  readonly fields: readonly string[]
  readonly includes: readonly string[]
  /** The order of an included relation. */
  readonly includeSorts: Readonly<Record<string, readonly string[]>>
  readonly aggregates: ReadonlyArray<readonly [fn: Aggregate, path: string]>
  readonly defaultSort: readonly string[]
  /** Small limits, so that rows that a role may not see would exceed them. */
  readonly pagination: QueryBuilderOptions<any>['pagination']
}

const TASK: Allowed = {
  filters: [
    'tenant', 'title', 'note', 'effort', 'project', 'project.name', 'project.owner.name', 'project.labels.text',
    'after', 'after.effort', 'followers.title', 'seat.name', 'seat.area', 'deleted_at',
  ],
  custom: ['tenant'],
  search: ['title', 'note', 'project.name'],
  anyOf: ['title', 'effort'],
  sorts: [
    'id', 'title', 'effort', 'note', 'project.name', 'project.owner.salary', 'after.effort', 'seat.price', 'deleted_at',
  ],
  several: ['title', 'effort'],
  fields: ['id', 'title', 'note', 'effort', 'project', 'after', 'seat', 'project.name', 'project.budget', 'seat.price'],
  includes: ['project', 'project.owner', 'after', 'followers', 'project.labels', 'seat', 'seat.tasks'],
  includeSorts: { followers: ['project.name', '-effort'] },
  aggregates: [['count', 'followers'], ['exists', 'project'], ['max', 'followers.effort'], ['exists', 'seat']],
  defaultSort: ['effort'],
  pagination: { maxBytes: 2_500 },
}

export const ALLOWED: Readonly<Record<string, Allowed>> = {
  User: {
    filters: [
      'tenant', 'name', 'salary', 'manager', 'manager.name', 'projects.name', 'projects.tasks.title', 'address.city',
      'reports.salary', 'fixes.severity',
    ],
    custom: ['salary'],
    search: ['name', 'projects.name', 'address.city'],
    anyOf: ['name', 'salary'],
    sorts: ['id', 'name', 'salary', 'manager.salary', 'address.zip'],
    several: ['tenant', 'salary'],
    fields: ['id', 'name', 'salary', 'address', 'manager', 'projects.name', 'projects.budget', 'fixes.severity'],
    includes: ['manager', 'projects', 'projects.tasks', 'reports', 'manager.reports', 'fixes', 'fixes.seat'],
    includeSorts: { projects: ['-budget', 'name'] },
    aggregates: [['count', 'projects'], ['sum', 'projects.budget'], ['exists', 'manager'], ['max', 'reports.salary']],
    defaultSort: ['-salary', 'name'],
    pagination: { maxIncluded: 9 },
  },
  Project: {
    filters: [
      'id', 'tenant', 'name', 'budget', 'status', 'settings.theme', 'owner', 'owner.name', 'owner.salary',
      'owner.manager.name', 'parent', 'parent.budget', 'tasks.title', 'tasks.effort', 'tasks.note', 'labels.text',
      'labels.id', 'children.name', 'bugs.severity', 'bugs.seat.name', 'notes.text', 'notes.rank', 'version',
    ],
    custom: ['status'],
    search: ['name', 'status', 'owner.name', 'tasks.note', 'labels.text'],
    anyOf: ['name', 'budget'],
    sorts: ['id', 'name', 'budget', 'owner', 'owner.name', 'owner.salary', 'parent.budget', 'parent.owner.name'],
    several: ['status', 'budget'],
    fields: [
      'id', 'name', 'budget', 'status', 'settings', 'owner', 'version', 'tasks.title', 'tasks.effort', 'labels.text',
      'owner.name', 'notes.text', 'notes.rank',
    ],
    includes: [
      'owner', 'parent', 'tasks', 'tasks.after', 'tasks.seat', 'bugs', 'bugs.fixer', 'labels', 'children',
      'owner.manager', 'labels.projects', 'notes', 'notes.author',
    ],
    includeSorts: { tasks: ['-effort', 'title'], bugs: ['severity'] },
    aggregates: [
      ['count', 'tasks'], ['exists', 'labels'], ['sum', 'tasks.effort'], ['count', 'labels'], ['min', 'tasks.note'],
      ['avg', 'labels.weight'], ['exists', 'owner'], ['max', 'bugs.severity'], ['count', 'notes'],
    ],
    defaultSort: ['-budget', 'name'],
    pagination: { maxIncluded: 8, maxBytes: 4_000 },
  },
  Note: {
    filters: ['tenant', 'text', 'rank', 'project', 'project.name', 'author.name', 'version'], custom: ['rank'],
    search: ['text', 'project.name'], anyOf: ['text', 'rank'],
    sorts: ['id', 'text', 'rank', 'project.budget', 'author.salary'], several: ['text', 'rank'],
    fields: ['id', 'text', 'rank', 'project', 'author', 'version', 'project.name'],
    includes: ['project', 'project.owner', 'author'], includeSorts: {}, aggregates: [['exists', 'author']],
    defaultSort: ['-rank'], pagination: {},
  },
  Seat: {
    filters: ['area', 'no', 'tenant', 'name', 'price', 'holder', 'holder.name', 'tasks.title', 'tasks.effort'],
    custom: ['no'],
    search: ['name', 'tasks.title'],
    anyOf: ['name', 'price'],
    sorts: ['area', 'no', 'name', 'price', 'holder.salary'],
    several: ['name', 'price'],
    fields: ['area', 'no', 'name', 'price', 'holder', 'tasks.title', 'tasks.note'],
    includes: ['tasks', 'tasks.project', 'holder'],
    includeSorts: { tasks: ['effort'] },
    aggregates: [['count', 'tasks'], ['exists', 'holder'], ['max', 'tasks.effort']],
    defaultSort: ['-price'],
    pagination: { maxIncluded: 6 },
  },
  Task: { ...TASK },
  Bug: {
    ...TASK,
    filters: [...TASK.filters, 'severity', 'fixer', 'fixer.name', 'examples.text'],
    anyOf: ['title', 'severity'],
    sorts: [...TASK.sorts, 'severity', 'fixer.salary'],
    several: ['title', 'severity'],
    fields: [...TASK.fields, 'severity', 'fixer', 'fixer.name'],
    includes: [...TASK.includes, 'fixer', 'fixer.projects', 'examples'],
    aggregates: [...TASK.aggregates, ['exists', 'fixer'], ['sum', 'examples.weight']],
    defaultSort: ['-severity'],
  },
  Label: {
    filters: [
      'tenant', 'text', 'weight', 'uuid', 'projects.name', 'projects.budget', 'projects.tasks.title', 'example',
      'example.severity',
    ],
    custom: ['weight'],
    search: ['text', 'projects.name', 'projects.status'],
    anyOf: ['text', 'weight'],
    sorts: ['id', 'text', 'weight', 'uuid'],
    several: ['weight', 'tenant'],
    fields: ['id', 'text', 'uuid', 'weight', 'example', 'projects.name', 'example.severity'],
    includes: ['projects', 'projects.tasks', 'projects.owner', 'example', 'example.fixer'],
    includeSorts: {},
    aggregates: [['count', 'projects'], ['sum', 'projects.budget'], ['exists', 'projects']],
    defaultSort: ['weight'],
    pagination: { count: 'none' },
  },
}

/** The names of aggregates in URLs. */
export function aggregateName ([fn, path]: readonly [fn: string, path: string]): string {
  const [first, ...rest] = [...path.split('.'), fn]
  return [first, ...rest.map((part) => part.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()))]
    .join('')
}

/** The aggregates of a record that filters and sorts may name. */
export const comparedAggregates = (entity: string): Allowed['aggregates'] =>
  ALLOWED[entity]!.aggregates.filter(([fn]) => fn !== 'exists')

/** The paths that facets and groups name. Times of deletions are not the same on both sides. */
export const groupPaths = (entity: string): readonly string[] => [
  ...ALLOWED[entity]!.sorts.filter((path) => path !== 'deleted_at'),
  ...GROUPED_RELATIONS[entity] ?? [],
]

const GROUPED_RELATIONS: Readonly<Record<string, readonly string[]>> = {
  User: ['manager'], Project: ['parent', 'status'], Note: ['project', 'author'], Seat: ['holder'],
  Task: ['project', 'after'], Bug: ['project', 'fixer'], Label: ['example'],
}

/** The functions of the numbers about groups, by the paths to the properties. */
export function groupFunctions (entity: string): ReadonlyMap<string, readonly string[]> {
  const functions = groupPaths(entity).map((path): [string, readonly string[]] => {
    switch (typeAt(entity, path)) {
      case 'int':
        return [path, ['sum', 'avg', 'min', 'max', 'countDistinct']]
      case 'text':
        return [path, ['min', 'countDistinct']]
      default:
        return [path, ['countDistinct']]
    }
  })
  return new Map(functions)
}

/** The type of the column at the end of a path; `undefined` for relations, keys and members of objects. */
export function typeAt (entity: string, path: string): ColumnType | undefined {
  const [first, ...rest] = path.split('.') as [string, ...string[]]
  const target = targetOf(entity, first)
  if (target !== undefined && rest.length > 0) return typeAt(target, rest.join('.'))
  return rest.length > 0 ? undefined : SHAPE[entity]!.columns[first]?.type
}

const COMMON = ['eq', 'ne', 'in', 'isnull'] as const
const OPERATORS = {
  tenant: [...COMMON, 'gte'], int: [...COMMON, 'gte', 'lt', 'between'], text: [...COMMON, 'gt', 'contains', 'like'],
  long: [...COMMON, 'gt', 'contains', 'like'], key: COMMON,
} as const

export function operatorsAt (entity: string, path: string): readonly string[] {
  return OPERATORS[typeAt(entity, path) as keyof typeof OPERATORS] ?? COMMON
}

const isMemberOfJson = (path: string): boolean => path.startsWith('settings.')

const firstKey = (entity: string): string => keyColumns(entity)[0]!

/** The callback of a custom filter for the values of a property. */
const comparing = (property: string) => (qb: any, value: unknown) =>
  qb.andWhere({ [property]: /^\d+$/.test(String(value)) ? Number(value) : { $ne: null } })

/** The texts of full text: those that a search looks into, except behind to-many relations. */
function wordsOf (entity: string): readonly string[] {
  const texts = ALLOWED[entity]!.search.filter((path) => !(path.split('.')[0]! in SHAPE[entity]!.toMany))
  return texts.length > 0 ? texts : ALLOWED[entity]!.search.slice(0, 1)
}

/** The options of a CRUD class for an entity, in the names of a server. */
function queryConfigFor (entity: string, naming: Naming): QueryBuilderOptions<any> {
  const allowed = ALLOWED[entity]!
  const path = (path: string): string => named(naming, entity, path)
  const signed = (item: string): string => item.startsWith('-') ? `-${path(item.slice(1))}` : path(item)
  const numbers = comparedAggregates(entity).map(([fn, field]) => aggregateName([fn, path(field)]))
  return {
    allowedFilters: [
      ...allowed.custom.map((field) => AllowedFilters.custom(path(field), comparing(path(field)))),
      AllowedFilters.custom('upTo', (qb: any, value) => qb.andWhere({ [firstKey(entity)]: { $lte: Number(value) } })),
      ...allowed.filters.filter((field) => !allowed.custom.includes(field)).map((field) =>
        new AllowedFilters(path(field), 'eq', operatorsAt(entity, field) as never,
          isMemberOfJson(field) ? { type: 'string' } : {})
      ),
      ...numbers.map((name) => new AllowedFilters(name, 'gte', ['gte', 'isnull'])),
      AllowedFilters.search('q', allowed.search.map(path)),
      AllowedFilters.fullText('words', wordsOf(entity).map(path)),
      AllowedFilters.anyOf('any', allowed.anyOf.map((field) => AllowedFilters.exact(path(field)))),
      ...storedAs(entity) === 'Task' ? [AllowedFilters.trashed()] : [],
    ],
    allowedSorts: [
      ...[...allowed.sorts.map(path), ...numbers].map((field) => new AllowedSort(field)),
      new AllowedSort(path(allowed.several[0]!), path(allowed.several[1]!), { alias: 'several' }),
      AllowedSort.custom('backwards',
        (qb, direction) => qb.orderBy({ [firstKey(entity)]: direction === 'asc' ? 'desc' : 'asc' } as never)),
    ],
    allowedFields: allowed.fields.map((field) => new AllowedField(path(field))),
    allowedIncludes: [
      ...allowed.includes.map((include) => {
        const sort = allowed.includeSorts[include]
        const target = targetOf(entity, include)!
        return new AllowedInclude(
          path(include),
          sort === undefined
            ? {}
            : {
                sort: sort.map((item) => {
                  const name = named(naming, target, item.replace('-', ''))
                  return item.startsWith('-') ? `-${name}` : name
                }) as never,
              }
        )
      }),
      ...allowed.aggregates.map(([fn, field]) => AllowedInclude[fn](path(field))),
    ],
    allowedFacets: groupPaths(entity).map((field) => new AllowedFacet(path(field))),
    allowedGroups: [
      ...groupPaths(entity).map((field) => new AllowedGroup(path(field))),
      ...storedAs(entity) === 'Task' ? [AllowedGroup.date(path('deleted_at'), ['year'])] : [],
    ],
    allowedAggregates: [
      AllowedAggregate.count(),
      ...[...groupFunctions(entity)].map(([field, functions]) => new AllowedAggregate(path(field), functions as never)),
    ],
    defaultSort: allowed.defaultSort.map(signed),
    pagination: {
      maxPerPage: 10, defaultPerPage: 4, countParameter: allowed.pagination?.count !== 'none', ...allowed.pagination,
    },
  } as QueryBuilderOptions<any>
}

/** Makes the CRUD class of an entity. */
export type MakeCrud = (entity: string, options: ConstructorParameters<typeof CrudBase<any>>[0]) => CrudBase<any>

export const usualCrud: MakeCrud = (_, options) => new CrudBase<any>(options as never)

/** What bodies may set. Projects own their notes. */
function writableOf (entity: string, naming: Naming): unknown {
  const notes = ['tenant', 'text', 'rank', 'author'].map((property) => naming('Note', property))
  if (entity === 'Note') return notes
  if (entity !== 'Project') return 'all'
  const own = ['tenant', 'name', 'budget', 'status', 'settings', 'owner', 'parent', 'labels']
  return [...own.map((property) => naming('Project', property)), { [naming('Project', 'notes')]: notes }]
}

export function resourcesFor (
  models: Readonly<Record<string, any>>,
  naming: Naming,
  makeCrud: MakeCrud
): NonNullable<CrudKitOptions['resources']> {
  const operations = ['list', 'get', 'aggregate', 'update', 'delete', 'updateMany', 'deleteMany'] as const
  return Object.fromEntries(ENTITIES.map((entity) => [SHAPE[entity]!.path, {
    crud: makeCrud(entity, {
      model: models[entity],
      writable: writableOf(entity, naming),
      queryConfig: queryConfigFor(entity, naming),
      ...SHAPE[entity]!.key !== undefined && { upsertKeys: [SHAPE[entity]!.key] },
    } as never),
    operations: [
      ...operations,
      // only projects add notes
      ...entity !== 'Note' ? ['create', 'createMany'] as const : [],
      ...storedAs(entity) === 'Task' ? ['restore'] as const : [],
      ...SHAPE[entity]!.key !== undefined ? ['upsert'] as const : [],
    ],
    allowHardDelete: true, maxAffected: 3, stream: true, query: true, links: true, conditional: true,
  }]))
}
