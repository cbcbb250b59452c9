/** Documents one route: its parameters, body and answers. The schemas are not used for validation or serialization. */
import { Type, type TSchema } from '@sinclair/typebox'
import type { EntityModel } from '../../model/index.ts'
import {
  createSchema,
  includeTree,
  inputSchema,
  listSchema,
  NOTHING_INCLUDED,
  recordSchema,
  updateSchema,
} from '../../schema/index.ts'
import { listParameters, recordParameters } from './read-parameters.ts'
import type { DocumentedResource } from './documented-resource.ts'
import { errorResponses } from './error-responses.ts'
import { DEFAULT_MAX_BATCH, STREAM_TYPES, type CrudOperation } from '../options.ts'
import { keySegments } from '../routes/key.ts'

/** The documented parts of Fastify's route schema. */
export interface DocumentedSchema {
  readonly description?: string
  readonly params?: TSchema
  readonly querystring?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly response: Readonly<Record<string, TSchema>>
}

/**
 * Documents one operation of a resource.
 *
 * @param examples whether the document's schemas support `examples`
 */
export function documentOperation (
  operation: CrudOperation,
  resource: DocumentedResource,
  examples: boolean
): DocumentedSchema {
  const { model, whitelist } = resource
  const response = (status: number, schema: TSchema, description: string) => ({
    [status]: withHeaders(schema, operation, model, description),
    ...errorResponses(operation, resource),
  })
  switch (operation) {
    case 'list':
      return {
        description:
          'All given filters apply. Commas separate the items of a list. An item in double quotes may contain commas.',
        querystring: queryOf(listParameters(whitelist, { defaultSort: resource.queryConfig.defaultSort, examples })),
        response: response(200, listAnswer(resource), 'A page of records.'),
      }
    case 'get':
      return {
        params: paramsOf(model),
        querystring: queryOf(recordParameters(whitelist)),
        response: response(200, readSchema(resource), 'The record.'),
      }
    case 'create':
    case 'createMany':
      return documentCreate(resource, response)
    case 'update':
      return {
        description: 'Changes the given properties. All others stay unchanged.',
        params: paramsOf(model),
        headers: ifMatchHeader(resource),
        body: updateSchema(model, {
          rules: resource.writable.update,
          readonly: resource.readonlyProperties === 'ignore',
        }),
        response: response(200, writtenSchema(resource), 'The record after the change.'),
      }
    case 'delete':
      return {
        params: paramsOf(model),
        querystring: resource.allowHardDelete === true
          ? queryOf({
            hard: Type.Boolean({ description: 'Remove the record for good, instead of marking it as deleted.' }),
          })
          : undefined,
        headers: ifMatchHeader(resource),
        response: response(200, writtenSchema(resource), 'The deleted record.'),
      }
    case 'restore':
      return {
        params: paramsOf(model),
        response: response(200, writtenSchema(resource), 'The restored record.'),
      }
  }
}

function documentCreate (
  resource: DocumentedResource,
  response: (status: number, schema: TSchema, description: string) => Record<string, TSchema>
): DocumentedSchema {
  const { model, operations, maxBatch = DEFAULT_MAX_BATCH } = resource
  const body = createSchema(model, {
    rules: resource.writable.create,
    readonly: resource.readonlyProperties === 'ignore',
  })
  const record = writtenSchema(resource)
  if (!operations.includes('createMany')) return { body, response: response(201, record, 'The new record.') }
  const { examples, ...item } = body
  const bodies = Type.Array(item as TSchema, { maxItems: maxBatch })
  if (!operations.includes('create')) {
    return {
      body: { ...bodies, examples: [examples] },
      response: response(201, Type.Array(record), 'The new records.'),
    }
  }
  return {
    body: { ...Type.Union([item as TSchema, bodies]), examples },
    response: response(
      201,
      Type.Union([record, Type.Array(record)]),
      'The new record, or for a list, the new records.'
    ),
  }
}

/** A page of records, and if streams are enabled, all records as text. */
function listAnswer (resource: DocumentedResource): TSchema {
  const schema = listSchema(readSchema(resource), { totals: resource.whitelist.pagination.count !== 'none' })
  if (resource.stream === undefined || resource.stream === false) return schema
  const text = { schema: { type: 'string', description: 'All records that match the filters, without pages.' } }
  return {
    content: { 'application/json': { schema }, ...Object.fromEntries(STREAM_TYPES.map((type) => [type, text])) },
  } as unknown as TSchema
}

/** The schema of a record that was read. */
function readSchema ({ model, whitelist, changesRecords }: DocumentedResource): TSchema {
  return recordSchema(model, {
    includes: includeTree(whitelist),
    complete: !changesRecords && whitelist.fields.size === 0,
  })
}

/** The schema of a record that was written: complete, without includes. */
function writtenSchema ({ model, changesRecords }: DocumentedResource): TSchema {
  return recordSchema(model, { includes: NOTHING_INCLUDED, complete: !changesRecords })
}

/** The schema of a query string, with lists separated by commas. */
function queryOf (parameters: Record<string, TSchema>): TSchema | undefined {
  if (Object.keys(parameters).length === 0) return undefined
  const optional = Object.fromEntries(Object.entries(parameters).map(([name, schema]) => [name, Type.Optional(schema)]))
  return Type.Object(optional, { style: 'form', explode: false })
}

function paramsOf (model: EntityModel): TSchema {
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

function ifMatchHeader ({ model, requireIfMatch = false }: DocumentedResource): TSchema | undefined {
  if (model.version === undefined && !requireIfMatch) return undefined
  const header = Type.String({
    description: 'The ETag of the expected version. If the record has changed since, the request is refused.',
  })
  return Type.Object({ 'If-Match': requireIfMatch ? header : Type.Optional(header) })
}

const ETag = { type: 'string', description: 'The version of the record, for If-Match.' }
const Location = { type: 'string', format: 'uri-reference', description: 'The path of the new record.' }

function withHeaders (
  schema: TSchema,
  operation: CrudOperation,
  { version }: EntityModel,
  description: string
): TSchema {
  const headers = {
    ...(operation === 'create' && { Location }),
    ...(version !== undefined && operation !== 'list' && operation !== 'createMany' && { ETag }),
  }
  return { ...schema, 'x-response-description': description, ...(Object.keys(headers).length > 0 && { headers }) }
}
