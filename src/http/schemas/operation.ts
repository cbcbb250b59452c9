/** The schemas of a resource's routes: of paths, query strings, headers, bodies and answers. */
import { OptionalKind, Type, type TSchema } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import type { Offer } from '../../catalogue/index.ts'
import { factsOf, isMany } from '../../config/index.ts'
import type { EntityModel } from '../../model/index.ts'
import { inputSchema } from '../../schema/index.ts'
import { parametersOf } from './parameters.ts'
import { ERROR_RESPONSES } from '../error-schema.ts'
import { errorResponses } from './error-responses.ts'
import type { NamedSchemas } from './named.ts'
import type { CrudOperation } from '../route-options.ts'
import { keySegments } from '../routes/key.ts'

/** The generated parts of Fastify's route schema. */
export interface GeneratedSchema extends FastifySchema {
  readonly description?: string
  readonly params?: TSchema
  readonly querystring: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  /** The responses by status, with those that every generated route declares. */
  readonly response: Readonly<Record<string, TSchema>>
  readonly 'x-create-many'?: { readonly maxItems: number }
}

const LIST_DESCRIPTION =
  'All given filters apply. Commas separate the items of a list. An item in double quotes may contain commas.'

/** Makes the schema of one operation of a resource. */
export function operationSchema (
  operation: CrudOperation,
  resource: Offer,
  named: NamedSchemas
): GeneratedSchema {
  const { model } = resource
  const response = (status: number, schema: TSchema, description: string) => {
    const responses = errorResponses(operation, resource)
    responses[status] = withHeaders(schema, status, operation, resource, description)
    return Object.assign(responses, ERROR_RESPONSES)
  }
  const querystring = querySchema(() => parametersOf(operation, resource, true))
  switch (operation) {
    case 'list':
      return {
        description: LIST_DESCRIPTION,
        ...streamParts(resource),
        querystring,
        response: response(200, named.page, 'A page of records.'),
      }
    case 'get':
      return { params: paramsOf(model), querystring, response: response(200, named.record, 'The record.') }
    case 'create':
    case 'createMany':
      return { querystring, ...requestHeaders(operation, resource), ...createParts(resource, named, response) }
    case 'upsert':
      return { querystring, ...requestHeaders(operation, resource), ...upsertParts(resource, named, response) }
    case 'update':
      return {
        description:
          'Changes the given properties. All others stay unchanged. The body may repeat the key of the path.',
        params: paramsOf(model),
        querystring,
        ...requestHeaders(operation, resource),
        body: named.update!,
        response: response(200, named.written, 'The record after the change.'),
      }
    case 'delete':
      return {
        params: paramsOf(model),
        querystring,
        ...requestHeaders(operation, resource),
        response: response(200, named.written, 'The deleted record.'),
      }
    case 'restore':
      return {
        params: paramsOf(model),
        querystring,
        ...requestHeaders(operation, resource),
        response: response(200, named.written, 'The restored record.'),
      }
    case 'updateMany':
      return {
        description: `Sets the same values in all records that match the filters, or in none. ${manyLimit(resource)}`,
        querystring,
        ...requestHeaders(operation, resource),
        body: changesOfMany(resource, named.update!),
        response: response(200, AFFECTED, 'The number of changed records.'),
      }
    case 'deleteMany':
      return {
        description: `Deletes all records that match the filters, or none. ${manyLimit(resource)}`,
        querystring,
        ...requestHeaders(operation, resource),
        response: response(200, AFFECTED, 'The number of deleted records.'),
      }
  }
}

/** The schema of the changes of many records, which cannot contain children. */
function changesOfMany ({ writable }: Offer, changes: TSchema): TSchema {
  const children = writable.update?.children
  if (children === undefined || children.size === 0) return changes
  const { $id, title, properties, ...rest } = changes as TSchema & { readonly properties: Record<string, TSchema> }
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !children.has(name))),
  } as unknown as TSchema
}

const AFFECTED = Type.Object({
  affected: Type.Integer({ minimum: 0, description: 'The number of records that the request has written.' }),
})

const manyLimit = ({ maxAffected }: Offer): string =>
  `At least one filter must leave out records. If more than ${maxAffected} match, nothing changes.`

function createParts (
  { operations, maxBatch }: Offer,
  named: NamedSchemas,
  response: (status: number, schema: TSchema, description: string) => Record<string, TSchema>
): Omit<GeneratedSchema, 'querystring'> & { readonly body: TSchema } {
  const [record, one] = [named.written, named.create!]
  if (!operations.includes('createMany')) return { body: one, response: response(201, record, 'The new record.') }
  const many = Type.Array(one, { maxItems: maxBatch })
  return operations.includes('create')
    ? {
        description: `The body may also be a list of at most ${maxBatch} records, of which all or none are created. ` +
        'The answer is then the list of the new records.',
        'x-create-many': { maxItems: maxBatch },
        body: Type.Union([one, many]),
        response: response(
          201,
          Type.Union([record, Type.Array(record)]),
          'The new record, or for a list, the new records.'
        ),
      }
    : { body: many, response: response(201, Type.Array(record), 'The new records.') }
}

function upsertParts (
  { maxBatch }: Offer,
  named: NamedSchemas,
  response: (status: number, schema: TSchema, description: string) => Record<string, TSchema>
): Omit<GeneratedSchema, 'querystring'> & { readonly body: TSchema } {
  const [record, one] = [named.written, named.upsert!]
  const results = Type.Array(Type.Object({ created: Type.Boolean(), record }))
  const sentence = 'The record after the change, or for a list, each record and whether it was created.'
  return {
    description:
      'Changes the record with the key, or creates it. A new record needs what a create needs. The body may ' +
      `also be a list of at most ${maxBatch} records, of which all or none are written. The answer is then a list of ` +
      'objects with `created` and `record`, in the same order.',
    body: Type.Union([one, Type.Array(one, { maxItems: maxBatch })]),
    response: {
      ...response(200, Type.Union([record, results]), sentence),
      201: response(201, record, 'The new record.')[201]!,
    },
  }
}

/**
 * How to ask for a stream, if the resource has them. It is no content of the answer, since clients that are generated
 * from the document could then not tell pages from texts.
 */
function streamParts ({ streams }: Offer): object {
  if (streams.length === 0) return {}
  const accepts = streams.map((type) => `Accept: ${type}`).join(' or ')
  return {
    description: `${LIST_DESCRIPTION} With ${accepts}, the answer has all records that match, without pages.`,
    'x-stream-types': streams,
  }
}

/**
 * The schema of a query string, with lists separated by commas. Its properties are made when they are first read, since
 * only documentation needs them: the planner checks query strings.
 */
export function querySchema (parameters: () => Record<string, TSchema>): TSchema {
  let properties: Record<string, TSchema> | undefined
  return Object.defineProperty(Type.Object({}, { style: 'form', explode: false }), 'properties', {
    configurable: true,
    enumerable: true,
    get () {
      properties ??= Object.fromEntries(
        Object.entries(parameters()).map(([name, schema]) => [name, { ...schema, [OptionalKind]: 'Optional' }])
      )
      return properties
    },
  })
}

const paramsByModel = new WeakMap<EntityModel, TSchema>()

/** The schema of a key in a path, which all operations by key share. */
function paramsOf (model: EntityModel): TSchema {
  let params = paramsByModel.get(model)
  if (params === undefined) paramsByModel.set(model, params = keySchema(model))
  return params
}

function keySchema (model: EntityModel): TSchema {
  const segments = keySegments(model)
  return Type.Object(Object.fromEntries(segments.map(({ name, part: { property }, column }) => {
    const schema = column.codec !== undefined ? Type.String() : inputSchema(column.type)
    const orUuid = segments.length === 1 && model.uuid !== undefined && column.type.kind !== 'uuid'
    return [
      name,
      orUuid
        ? {
            ...Type.Union([schema, Type.String({ format: 'uuid' })]),
            description: `The \`${property.publicName}\` or \`${model.uuid.publicName}\` of a record.`,
          }
        : { ...schema, description: `The \`${property.publicName}\` of a record.` },
    ]
  })))
}

const IfMatch = Type.String({
  description: 'The ETag of the expected version. If the record has changed since, the request is refused.',
})
/** The name of the header as documents show it. Fastify's validators of headers see it in the schema, too. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
const IdempotencyKey = Type.String({
  description: 'A new unique text for each write, such as a UUID. A request that is repeated with it gets the answer ' +
    'of the first one and changes nothing.',
})

/** The headers of a write. */
function requestHeaders (
  operation: CrudOperation,
  { model, requireIfMatch, idempotency }: Offer
): { readonly headers?: TSchema } {
  const headers: Record<string, TSchema> = {}
  const optional = (header: TSchema, required: boolean): TSchema => required ? header : Type.Optional(header)
  if (model.version !== undefined && (operation === 'update' || operation === 'delete' || operation === 'upsert')) {
    headers['If-Match'] = optional(IfMatch, requireIfMatch)
  }
  if (idempotency !== false) headers[IDEMPOTENCY_KEY] = optional(IdempotencyKey, idempotency === 'required')
  return Object.keys(headers).length > 0 ? { headers: Type.Object(headers) } : {}
}

const ETag = { type: 'string', description: 'The version of the record, for If-Match.' }
const Replayed = {
  type: 'string',
  enum: ['true'],
  description: 'The answer is that of an earlier request with the same Idempotency-Key.',
}
const Location = { type: 'string', format: 'uri-reference', description: 'The path of the new record.' }

function withHeaders (
  schema: TSchema,
  status: number,
  operation: CrudOperation,
  { model: { version }, idempotency }: Offer,
  description: string
): TSchema {
  const headers = {
    ...(status === 201 && operation !== 'createMany' && { Location }),
    ...(version?.hidden === false && operation !== 'list' && operation !== 'createMany' && !isMany(operation) &&
      { ETag }),
    ...(idempotency !== false && factsOf(operation).writes && { 'Idempotency-Replayed': Replayed }),
  }
  return { ...schema, 'x-response-description': description, ...(Object.keys(headers).length > 0 && { headers }) }
}
