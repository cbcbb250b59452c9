/** Resources of the nursery with filters, sorts, fields and includes of every kind, and a server with the explorer. */
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Test } from 'tap'
import { crudExplorer, type ExplorerDescription, type ExplorerOptions } from '../../plugins/explorer.ts'
import {
  AllowedAggregate, AllowedFacet, AllowedField, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, crudKit,
  type CrudKitOptions,
} from '../../src/index.ts'
import { operatorsFor } from '../../src/operators/index.ts'
import { Group, Label, Offer, Order, OrderItem, Plant, Specimen, Supplier, Tag } from '../fixtures/entities.ts'
import { modelsOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../http/helper.ts'

const specimen = modelsOf().of(Specimen as never)

/** A filter with all operators that work on a property, for each property. */
const filtersOfSpecimens = [...specimen.properties.values()].flatMap((property) => {
  const type = property.kind === 'scalar'
    ? property.type
    : property.kind === 'relation'
      ? property.key[0]?.type
      : undefined
  if (type === undefined) return []
  const custom = property.kind === 'scalar' && property.codec?.toDatabase !== undefined
  const operators = operatorsFor(type, custom)
  return property.kind === 'scalar' && property.embedded !== undefined
    ? []
    : [new AllowedFilters(property.name, operators[0]!, [...operators])]
})

const fields = (...names: readonly string[]) => names.map((name) => new AllowedField(name))
const includes = (...paths: readonly string[]) => paths.map((path) => new AllowedInclude(path))

export const resources = {
  '/specimens': {
    crud: resource(Specimen, {
      allowedFilters: [
        ...filtersOfSpecimens,
        new AllowedFilters('readings.sensor', 'contains', ['contains', 'eq'], { type: 'string' }),
        { 'size.height': ['gte', 'lte', 'between'] },
      ],
      allowedSorts: ['id', 'code', 'leaves', 'measuredAt', 'health'],
      allowedIncludes: includes('plant', 'plant.supplier', 'plant.supplier.plants'),
    }),
    stream: true,
  },
  '/plants': {
    crud: resource(Plant, {
      allowedFilters: [
        { id: ['eq', 'in'] },
        AllowedFilters.partial('name'),
        { articleNumber: ['eq', 'starts'] },
        new AllowedFilters('price', 'gte', ['gte', 'lte'], { alias: 'cost' }),
        {
          supplier: ['eq', 'in', 'isnull'],
          'supplier.address.city': ['eq', 'in'],
          'supplier.country': ['eq', 'in'],
          group: ['eq', 'isnull'],
          'tags.name': ['eq', 'contains'],
        },
        'tags.id',
        AllowedFilters.exact('status').default('active').ignore('all'),
        AllowedFilters.search('q', ['name', 'latinName', 'tags.name']),
        AllowedFilters.anyOf('any', [AllowedFilters.exact('name'), AllowedFilters.exact('position')]),
        AllowedFilters.custom('cheap', (qb, value) => qb.andWhere({ price: { $lt: Number(value) || 5 } })),
        AllowedFilters.trashed(),
      ],
      allowedSorts: [
        'name',
        'price',
        'supplier.name',
        new AllowedSort('created_at', { direction: 'desc' }),
        new AllowedSort('position', { alias: 'place' }),
        new AllowedSort('status', 'name', { alias: 'state' }),
        AllowedSort.custom('length', (qb, direction) => qb.orderBy({ name: direction })),
      ],
      allowedFields: fields(
        'id',
        'name',
        'articleNumber',
        'price',
        'supplier',
        'nameLength',
        'supplier.name',
        'supplier.address',
        'tags.name',
        'offers.title'
      ),
      allowedIncludes: [
        new AllowedInclude('supplier', { alias: 'seller' }),
        ...includes('tags', 'offers', 'specimens', 'label', 'group', 'group.parent', 'group.parent.children'),
        AllowedInclude.count('offers'),
        AllowedInclude.exists('label'),
        AllowedInclude.sum('offers.price'),
        AllowedInclude.max('specimens.measuredAt'),
        AllowedInclude.count('group.children'),
      ],
      allowedFacets: [
        new AllowedFacet('supplier', { limit: 3 }),
        new AllowedFacet('supplier.address.city', { alias: 'town' }),
        'status',
      ],
      allowedGroups: [
        'supplier',
        'supplier.country',
        AllowedGroup.date('created_at', ['week', 'month'], { timeZone: 'Europe/Paris' }),
      ],
      allowedAggregates: [
        AllowedAggregate.count(),
        new AllowedAggregate('price', ['sum', 'avg', 'max', 'countDistinct']),
      ],
      defaultSort: ['-created_at', 'name', 'id'],
      pagination: { defaultPerPage: 5, maxPerPage: 50, maxOffset: 1000 },
    }),
    operations: ['list', 'get', 'aggregate', 'create', 'createMany', 'update', 'delete', 'restore'], query: true,
    maxBatch: 7, allowHardDelete: true,
  },
  '/offers': {
    crud: resource(Offer, {
      allowedFilters: [
        'plant',
        AllowedFilters.scope('sale'),
        AllowedFilters.scope('branch', { params: { name: 'branch' } }),
        AllowedFilters.scope('priced', { params: { min: 'price', max: 'price' } }),
      ],
    }),
    operations: ['list', 'get'],
  },
  '/orders': {
    crud: resource(Order, { allowedIncludes: includes('items', 'items.plant'), pagination: { count: 'planned' } }),
    requireIfMatch: true,
  },
  '/order-items': { crud: resource(OrderItem, { allowedFilters: ['order', 'plant'] }), name: 'order_items' },
  '/suppliers': resource(Supplier, {
    allowedFilters: [{ name: ['eq', 'contains'] }], allowedSorts: ['name'], allowedIncludes: includes('plants'),
  }),
  '/groups': resource(Group, { allowedIncludes: includes('children', 'plants') }),
  '/labels': { crud: resource(Label), operations: ['get'] },
  '/tags': resource(Tag, { allowedFilters: ['plants.id'], allowedIncludes: includes('plants') }),
} satisfies CrudKitOptions['resources']

/** A server with the explorer at `/explorer`, ready for requests, closed when the test ends. */
export async function explored (
  t: Pick<Test, 'teardown'>,
  orm: MikroORM,
  options: Partial<CrudKitOptions> = { resources },
  { explorer = {}, server = {}, prepare = () => {} }: {
    readonly explorer?: ExplorerOptions,
    readonly server?: FastifyServerOptions,
    readonly prepare?: (app: FastifyInstance) => unknown,
  } = {}
): Promise<FastifyInstance> {
  // a browser keeps connections on which it has sent nothing, and a server that closes would wait for them
  const app = newServer(t, { forceCloseConnections: true, ...server })
  await prepare(app)
  await app.register(crudExplorer, { prefix: '/explorer', enabled: true, ...explorer })
  await app.register(crudKit, { orm, indexAdvice: false, ...options } as CrudKitOptions)
  await app.ready()
  return app
}

/** The document that the sender of these headers gets. */
export async function describedBy (
  app: FastifyInstance,
  headers: Readonly<Record<string, string>> = {},
  url = '/explorer/resources.json'
): Promise<ExplorerDescription> {
  const response = await app.inject({ url, headers })
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${response.body}`)
  return response.json()
}
