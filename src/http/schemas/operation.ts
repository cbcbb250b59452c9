/** The schemas of a resource's routes: of paths, query strings, bodies and answers. headers.ts has those of headers. */
import * as Type from '@sinclair/typebox'
import { OptionalKind, type TSchema } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import { madeOnce } from '../../base/made-once.ts'
import type { Offer } from '../../catalogue/index.ts'
import { factsOf, formsOfBodies } from '../../config/index.ts'
import { uuidBesideKey, type EntityModel } from '../../model/index.ts'
import { rulesOfBody, type BodyRules } from '../../plan/index.ts'
import { MAX_CONDITIONS, MAX_GROUP_DEPTH } from '../../query/index.ts'
import { inputSchema } from '../../schema/index.ts'
import { parametersOf } from './parameters.ts'
import { ERROR_RESPONSES } from '../error-schema.ts'
import { errorResponses } from './error-responses.ts'
import { requestHeaders, withHeaders } from './headers.ts'
import type { NamedSchemas } from './named.ts'
import type { CrudOperation } from '../route-options.ts'
import { keySegments } from '../routes/path-key.ts'

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

const GROUPS_DESCRIPTION =
  'Filters can be combined: `filter[or][0][...]` and `filter[or][1][...]` keep the records for which at least one of ' +
  'them holds, `filter[not][...]` those for which it does not hold. `filter[and][0][...]` takes a filter that is ' +
  `needed twice. Groups nest, at most ${MAX_GROUP_DEPTH} deep, around at most ${MAX_CONDITIONS} conditions. ` +
  '`POST /query` takes the same as a body.'

/** Makes the schema of one operation of a resource. */
export function operationSchema (
  operation: CrudOperation,
  resource: Offer,
  named: NamedSchemas
): GeneratedSchema {
  const { model, operations, maxBatch } = resource
  const { byKey, body, streams } = factsOf(operation)
  const forms = formsOfBodies(operations, body)
  const { description, answers } = TEXTS[operation]
  const response = errorResponses(operation, resource)
  for (const [status, text] of Object.entries(answers(forms))) {
    const schema = withHeaders(
      answerSchema(operation, Number(status), forms, named),
      Number(status),
      operation,
      resource
    )
    response[Number(status)] = { ...schema, 'x-response-description': text }
  }
  const sentence = description?.(resource, forms)
  return {
    ...(sentence !== undefined && { description: sentence }),
    ...(streams && streamTypes(resource)),
    ...(byKey && { params: keyParams(model) }),
    querystring: querySchema(operation, () => parametersOf(operation, resource, true)),
    ...requestHeaders(operation, resource),
    ...(body !== undefined && { body: bodyOf(operation, resource, forms, named) }),
    ...(body === 'create' && forms.one && forms.list && { 'x-create-many': { maxItems: maxBatch } }),
    response: Object.assign(response, ERROR_RESPONSES),
  }
}

/** Whether a body may be one record, and whether it may be a list. */
type Forms = ReturnType<typeof formsOfBodies>

interface Texts {
  readonly description?: (resource: Offer, forms: Forms) => string | undefined
  /** What the answers are, by status. */
  readonly answers: (forms: Forms) => Readonly<Record<number, string>>
}

const manyLimit = ({ maxAffected }: Offer): string =>
  `At least one filter must leave out records. If more than ${maxAffected} match, nothing changes.`

/** The sentence about the streams of a resource, if it has them. */
function aboutStreams (streams: Offer['streams'], what: string): string {
  if (streams.length === 0) return ''
  const accepts = streams.map((type) => `Accept: ${type}`).join(' or ')
  return ` With ${accepts}, the answer has ${what}, without pages.`
}

const CREATE: Texts = {
  description: ({ maxBatch }, { one, list }) =>
    one && list
      ? `The body may also be a list of at most ${maxBatch} records, of which all or none are created. ` +
        'The answer is then the list of the new records.'
      : undefined,
  answers: ({ one, list }) => ({
    201: !list ? 'The new record.' : one ? 'The new record, or for a list, the new records.' : 'The new records.',
  }),
}

const TEXTS: Readonly<Record<CrudOperation, Texts>> = {
  list: {
    description: ({ streams, combinesFilters }) => {
      const description = combinesFilters ? `${LIST_DESCRIPTION} ${GROUPS_DESCRIPTION}` : LIST_DESCRIPTION
      return `${description}${aboutStreams(streams, 'all records that match')}`
    },
    answers: () => ({ 200: 'A page of records.' }),
  },
  get: { answers: () => ({ 200: 'The record.' }) },
  aggregate: {
    description: ({ streams }) =>
      'Groups the records that the filters keep, and answers with numbers about each group. Without `group`, all of ' +
      `them are one group.${aboutStreams(streams, 'all groups')}`,
    answers: () => ({ 200: 'A page of groups.' }),
  },
  create: CREATE,
  createMany: CREATE,
  upsert: {
    description: ({ maxBatch }) =>
      'Changes the record with the key, or creates it. A new record needs what a create needs. The body may ' +
      `also be a list of at most ${maxBatch} records, of which all or none are written. The answer is then a list of ` +
      'objects with `created` and `record`, in the same order.',
    answers: () => ({
      200: 'The record after the change, or for a list, each record and whether it was created.',
      201: 'The new record.',
    }),
  },
  update: {
    description: () =>
      'Changes the given properties. All others stay unchanged. The body may repeat the key of the path.',
    answers: () => ({ 200: 'The record after the change.' }),
  },
  delete: { answers: () => ({ 200: 'The deleted record.' }) },
  restore: { answers: () => ({ 200: 'The restored record.' }) },
  updateMany: {
    description: (resource) =>
      `Sets the same values in all records that match the filters, or in none. ${manyLimit(resource)}`,
    answers: () => ({ 200: 'The number of changed records.' }),
  },
  deleteMany: {
    description: (resource) => `Deletes all records that match the filters, or none. ${manyLimit(resource)}`,
    answers: () => ({ 200: 'The number of deleted records.' }),
  },
}

/**
 * The schema of the bodies of an operation. A write of many records takes the properties that a write of one takes,
 * without its children.
 */
function bodyOf (
  operation: CrudOperation,
  { writable, maxBatch }: Offer,
  { one, list }: Forms,
  named: NamedSchemas
): TSchema {
  const name = factsOf(operation).body!
  const rules = rulesOfBody(writable, operation)!
  const record = rules === writable[name] ? named[name]! : withoutChildren(named[name]!, writable[name]!.children)
  if (!list) return record
  const records = Type.Array(record, { maxItems: maxBatch })
  return one ? Type.Union([record, records]) : records
}

function withoutChildren (
  { $id, title, properties, ...schema }: TSchema,
  children: BodyRules['children']
): TSchema {
  const own = Object.entries(properties as object).filter(([name]) => !children.has(name))
  return { ...schema, properties: Object.fromEntries(own) } as unknown as TSchema
}

/** The schema of an answer with a status. */
function answerSchema (
  operation: CrudOperation,
  status: number,
  { one, list }: Forms,
  { page, groups, record, written }: NamedSchemas
): TSchema {
  const { writes, records, body } = factsOf(operation)
  if (records === 'page') return page
  if (records === 'groups') return groups!
  if (records === 'selected') return AFFECTED
  if (!writes) return record
  if (!list) return written
  if (body === 'create') return one ? Type.Union([written, Type.Array(written)]) : Type.Array(written)
  return status === 201
    ? written
    : Type.Union([written, Type.Array(Type.Object({ created: Type.Boolean(), record: written }))])
}

const AFFECTED = Type.Object({
  affected: Type.Integer({ minimum: 0, description: 'The number of records that the request has written.' }),
})

/**
 * The types of streams, if the resource has them. They are no content of the answer, since clients that are generated
 * from the document could then not tell pages from texts.
 */
const streamTypes = ({ streams }: Offer): object => streams.length === 0 ? {} : { 'x-stream-types': streams }

/**
 * The schema of a query string, with lists separated by commas. Its properties are made when they are first read, since
 * only documentation needs them: the planner checks query strings.
 */
export function querySchema (operation: CrudOperation, parameters: () => Record<string, TSchema>): TSchema {
  let properties: Record<string, TSchema> | undefined
  const required = factsOf(operation).query === 'key' && { required: ['on'] }
  return Object.defineProperty(Type.Object({}, { style: 'form', explode: false, ...required }), 'properties', {
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

/** The schema of a key in a path, which all operations by key share. */
export const keyParams = madeOnce((model: EntityModel): TSchema => {
  const segments = keySegments(model)
  return Type.Object(Object.fromEntries(segments.map(({ name, part: { property }, column }) => {
    const schema = column.codec !== undefined ? Type.String() : inputSchema(column.type)
    const uuid = segments.length === 1 ? uuidBesideKey(model) : undefined
    return [
      name,
      uuid !== undefined
        ? {
            ...Type.Union([schema, Type.String({ format: 'uuid' })]),
            description: `The \`${property.publicName}\` or \`${uuid.publicName}\` of a record.`,
          }
        : { ...schema, description: `The \`${property.publicName}\` of a record.` },
    ]
  })))
})
