/** JSON Schemas for the input of hand-written routes. Fastify compiles and checks them with its own compiler, Ajv. */
const page = { type: 'integer', minimum: 1 }
const rows = { type: 'integer', minimum: 1, maximum: 100 }
const key = { type: 'integer', minimum: 1, maximum: 2_147_483_647 }

const object = <Properties extends object>(properties: Properties, required: ReadonlyArray<keyof Properties> = []) =>
  ({ type: 'object', additionalProperties: false, properties, required })

const filters = {
  'filter[status]': { type: 'string', enum: ['draft', 'active', 'archived'] },
  'filter[price][gte]': { type: 'number' },
  'filter[or][0][price][gte]': { type: 'number' },
  'filter[or][1][price][lte]': { type: 'number' },
  'filter[productsCount][gte]': { type: 'integer', minimum: 0 },
  'filter[name]': { type: 'string', maxLength: 256 },
}
const querystring = object({
  ...filters,
  facets: { type: 'string', enum: ['status,name,created_at'] },
  sort: { type: 'string', enum: ['-created_at', '-productsPriceMax'] },
  include: { type: 'string', enum: ['products', 'productsCount,productsPriceMax'] },
  page,
  per_page: rows,
  limit: rows,
  offset: { type: 'integer', minimum: 0, maximum: 100_000 },
  cursor: { type: 'string', maxLength: 256 },
})

const category = {
  name: { type: 'string', maxLength: 255 },
  description: { type: ['string', 'null'] },
  price: { type: 'number' },
  status: { type: 'string', enum: ['draft', 'active', 'archived'] },
}
const created = object(category, ['name'])

/** The schemas by route. */
export const SCHEMAS = {
  list: { querystring },
  groups: {
    querystring: object({
      ...filters,
      group: { type: 'string', enum: ['status'] },
      aggregate: { type: 'string', enum: ['count,price.sum,price.avg'] },
      page,
      per_page: rows,
    }),
  },
  words: {
    querystring: object({
      'filter[q]': { type: 'string', maxLength: 256 },
      sort: { type: 'string', enum: ['-q'] },
      page,
      per_page: rows,
    }, ['filter[q]']),
  },
  get: { params: object({ id: key }, ['id']) },
  create: { body: { if: { type: 'array' }, then: { type: 'array', maxItems: 1_000, items: created }, else: created } },
  update: { params: object({ id: key }, ['id']), body: object(category) },
}
