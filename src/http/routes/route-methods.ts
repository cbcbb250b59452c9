/** The operations that routes run, or the methods of the application that override them. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '../../base/errors.ts'
import { shown } from '../../base/option-checks.ts'
import type { Steps } from '../../base/steps.ts'
import { isMany } from '../../config/index.ts'
import {
  isOwnMethod, type CrudBase, type CrudDeleteOptions, type CrudRecord, type CrudUpdateManyOptions,
  type CrudUpdateOptions, type UpsertResult,
} from '../../crud/index.ts'
import { isObject } from '../../base/is-object.ts'
import { readGroups, readList, readRecord, type JsonAnswer } from '../../read/index.ts'
import { perform, readScope, type Call } from '../../resource/index.ts'
import {
  createMany, createOne, deleteMany, deleteOne, refuseVersions, restoreOne, updateMany, updateOne, upsertMany,
  upsertOne, type Affected, type UpsertData,
} from '../../write/index.ts'
import type { CrudOperation } from '../route-options.ts'
import { sessionsOf } from '../sessions.ts'
import type { RouteInput } from './route-input.ts'

export type MethodOptions = CrudUpdateOptions & CrudDeleteOptions & CrudUpdateManyOptions

type Method<Answer> = (input: RouteInput, options: MethodOptions) => Promise<Answer>

/** The result of a write as JSON. Of an upsert of one record, also whether it has created it. */
export interface WriteResult extends JsonAnswer {
  readonly created?: boolean
}

export type WriteMethod<Body> = (input: RouteInput, options: MethodOptions, data: Body) => Promise<WriteResult>

interface RouteMethods {
  readonly list: Method<JsonAnswer>
  readonly aggregate: Method<JsonAnswer>
  readonly get: Method<JsonAnswer | null>
  readonly create: WriteMethod<CrudRecord>
  readonly createMany: WriteMethod<readonly CrudRecord[]>
  readonly upsert: WriteMethod<CrudRecord | readonly CrudRecord[]>
  readonly update: WriteMethod<CrudRecord>
  readonly delete: Method<WriteResult>
  readonly restore: Method<WriteResult>
  readonly updateMany: WriteMethod<CrudRecord>
  readonly deleteMany: Method<WriteResult>
}

/** A call of a method of the application. `any`: each method takes other data. */
type OwnCall = (em: EntityManager, options: MethodOptions, input: RouteInput, data: any) => Promise<unknown>

/**
 * The methods of a resource's routes. They bypass those of `CrudBase`, which would convert the same answers to objects.
 * If the application overrides a method, it is called with the request's EntityManager, and its records are sent.
 * Operations check the scope themselves. For the application's methods, it is checked before the call.
 */
export function routeMethods (orm: MikroORM, crud: CrudBase): RouteMethods {
  const sessionOf = sessionsOf(orm)
  const operating = <Answer, Args extends unknown[]>(
    operation: CrudOperation,
    steps: (call: Call, input: RouteInput, ...args: Args) => Steps<Answer>
  ) =>
      (input: RouteInput, options: MethodOptions, ...args: Args): Promise<Answer> =>
        perform(crud, sessionOf(input.request), operation, options, (call) => steps(call, input, ...args))
  /** The options of a method of the application. One for many records gets no versions, which are refused before. */
  const checked = (operation: CrudOperation, { seen }: RouteInput, options: MethodOptions): MethodOptions => {
    const { ifMatch, ...others } = options
    if (isMany(operation)) refuseVersions({ options: { ifMatch } })
    readScope(options, seen.resource.model)
    return isMany(operation) ? others : options
  }
  /** The method of the application in place of an operation, if it overrides that. Its result becomes an answer. */
  const own = (
    operation: keyof RouteMethods,
    call: OwnCall,
    answerOf: (result: unknown, input: RouteInput, data: unknown) => WriteResult | null,
    method: keyof CrudBase = operation
  ): Partial<RouteMethods> =>
    isOwnMethod(crud, method)
      ? {
          [operation]: async (input: RouteInput, options: MethodOptions, data?: unknown) =>
            answerOf(await call(input.request.em, checked(operation, input, options), input, data), input, data),
        }
      : {}
  return {
    list: operating('list', (call, { request }) => readList(call, request.queryParams)),
    aggregate: operating('aggregate', (call, input) => readGroups(call, input.queryAs<'groups'>().plan)),
    get: operating('get', (call, input) => readRecord(call, input.key(), input.request.queryParams)),
    create: operating('create', (call, input, data: CrudRecord) => createOne(call, data, input.rows)),
    createMany: operating(
      'createMany',
      (call, input, data: readonly CrudRecord[]) => createMany(call, data, input.rows)
    ),
    upsert: operating(
      'upsert',
      (call, input, data: CrudRecord | readonly CrudRecord[]): Steps<WriteResult> => {
        const { key } = input.queryAs<'key'>()
        const decided = input.rows as readonly UpsertData[] | undefined
        return Array.isArray(data)
          ? upsertMany(call, key, data as readonly CrudRecord[], decided)
          : upsertOne(call, key, data as CrudRecord, decided)
      }
    ),
    update: operating('update', (call, input, data: CrudRecord) => updateOne(call, input.key(), data, input.rows?.[0])),
    delete: operating('delete', (call, input) => deleteOne(call, input.key())),
    restore: operating('restore', (call, input) => restoreOne(call, input.key())),
    updateMany: operating(
      'updateMany',
      (call, input, data: CrudRecord) =>
        numberOf(updateMany(call, input.queryAs<'filters'>().target, data, input.rows?.[0]))
    ),
    deleteMany: operating(
      'deleteMany',
      (call, input) => numberOf(deleteMany(call, input.queryAs<'filters'>().target))
    ),
    ...own(
      'list',
      (em, options, { request }) => crud.listJson(em, request.queryParams, options),
      (json) => ({ json: jsonOf('listJson', json) }),
      'listJson'
    ),
    ...own('list', (em, options, { request }) => crud.list(em, request.queryParams, options), pageOf('list')),
    ...own(
      'aggregate',
      (em, options, { request }) => crud.aggregate(em, request.queryParams, options),
      pageOf('aggregate')
    ),
    ...own(
      'get',
      (em, options, input) => crud.getJson(em, input.key(), input.request.queryParams, options),
      (json, input) => json === null ? null : recordOf('get')(JSON.parse(jsonOf('getJson', json)), input),
      'getJson'
    ),
    ...own(
      'get',
      (em, options, input) => crud.get(em, input.key(), input.request.queryParams, options),
      (record, input) => record === null ? null : recordOf('get')(record, input)
    ),
    ...own('create', (em, options, _, data) => crud.create(em, data, options), recordOf('create')),
    ...own('createMany', (em, options, _, data) => crud.createMany(em, data, options), (records) => {
      if (!Array.isArray(records)) throw wrongResult('createMany', 'the records as an array', records)
      return { json: JSON.stringify(records) }
    }),
    ...own('upsert', (em, options, input, data) => {
      const on = input.queryAs<'key'>().key.properties.map(({ name }) => name)
      return crud.upsert(em, data, { ...options, on })
    }, (result, input, data) => {
      if (Array.isArray(data)) {
        if (Array.isArray(result) && result.every(isUpserted)) return { json: JSON.stringify(result) }
        throw wrongResult('upsert', 'an array of objects with created and record', result)
      }
      if (!isUpserted(result)) throw wrongResult('upsert', 'an object with created and record', result)
      return { ...recordOf('upsert')(result.record, input), created: result.created }
    }),
    ...own('update', (em, options, input, data) => crud.update(em, input.key(), data, options), recordOf('update')),
    ...own('delete', (em, options, input) => crud.delete(em, input.key(), options), recordOf('delete')),
    ...own('restore', (em, options, input) => crud.restore(em, input.key(), options), recordOf('restore')),
    ...own(
      'updateMany',
      (em, options, { request }, data) => crud.updateMany(em, request.queryParams, data, options),
      countedBy('updateMany')
    ),
    ...own(
      'deleteMany',
      (em, options, { request }) => crud.deleteMany(em, request.queryParams, options),
      countedBy('deleteMany')
    ),
  }
}

const isUpserted = (value: unknown): value is UpsertResult<unknown> =>
  isObject(value) && typeof value['created'] === 'boolean' && isObject(value['record'])

/** The answer of a record that a method of the application has returned. */
const recordOf = (method: string) => (record: unknown, { seen }: RouteInput): JsonAnswer => {
  if (!isObject(record)) throw wrongResult(method, 'the record as an object', record)
  const { version: property } = seen.resource.model
  const version: unknown = property && record[property.publicName]
  return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
}

/** The answer of a page that a method of the application has returned. */
const pageOf = (method: string) => (page: unknown): JsonAnswer => {
  if (!isObject(page)) throw wrongResult(method, 'the page as an object', page)
  return { json: JSON.stringify(page) }
}

/** The JSON text that a method of the application has returned. */
function jsonOf (method: string, json: unknown): string {
  if (typeof json !== 'string') throw wrongResult(method, 'the JSON text', json)
  return json
}

const counted = ({ affected }: Affected): WriteResult => ({ json: `{"affected":${affected}}` })

function * numberOf (steps: Steps<Affected>): Steps<WriteResult> {
  return counted(yield * steps)
}

/** The answer of a method of the application that has written many records. */
const countedBy = (method: string) => (answer: unknown): WriteResult => {
  if (isObject(answer) && Number.isSafeInteger(answer['affected'])) return counted(answer as unknown as Affected)
  throw wrongResult(method, 'the number of records as { affected: number }', answer)
}

/** The error of a method of the application that has returned something else than it must. */
const wrongResult = (method: string, expected: string, got: unknown): ConfigError =>
  new ConfigError(
    `The overridden method '${method}' must return ${expected}, as super.${method}() does; it returned ${shown(got)}.`
  )
