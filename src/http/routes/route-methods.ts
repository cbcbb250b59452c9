/** The operations that routes run, or the methods of the application that override them. */
import type { MikroORM } from '@mikro-orm/postgresql'
import { ConfigError } from '../../base/errors.ts'
import { shown } from '../../base/option-checks.ts'
import type { Steps } from '../../base/steps.ts'
import {
  isOwnMethod, type CrudBase, type CrudDeleteOptions, type CrudReadOptions, type CrudRecord, type CrudUpdateManyOptions,
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
import type { RouteCall } from './route-call.ts'

export type MethodOptions = CrudUpdateOptions & CrudDeleteOptions & CrudUpdateManyOptions

type Method<Answer> = (call: RouteCall, options: MethodOptions) => Promise<Answer>

/** The result of a write as JSON. Of an upsert of one record, also whether it has created it. */
export interface WriteResult extends JsonAnswer {
  readonly created?: boolean
}

export type WriteMethod<Body> = (call: RouteCall, options: MethodOptions, data: Body) => Promise<WriteResult>

export interface RouteMethods {
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

/**
 * The methods of a resource's routes. They bypass those of `CrudBase`, which would convert the same answers to objects.
 * If the application overrides a method, it is called with the request's EntityManager, and its records are sent.
 * Operations check the scope themselves. For the application's methods, it is checked before the call.
 */
export function routeMethods (orm: MikroORM, crud: CrudBase): RouteMethods {
  const isOwn = (method: keyof CrudBase): boolean => isOwnMethod(crud, method)
  const sessionOf = sessionsOf(orm)
  const operating = <Answer, Args extends unknown[]>(
    operation: CrudOperation,
    steps: (made: Call, call: RouteCall, ...args: Args) => Steps<Answer>
  ) =>
      (call: RouteCall, options: MethodOptions, ...args: Args): Promise<Answer> =>
        perform(crud, sessionOf(call.request), operation, options, (made) => steps(made, call, ...args))
  const sent = (method: keyof RouteMethods, { seen }: RouteCall, record: unknown): JsonAnswer => {
    if (!isObject(record)) throw wrongResult(method, 'the record as an object', record)
    const { version: property } = seen.resource.model
    const version: unknown = property && record[property.publicName]
    return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
  }
  /** Methods of the application get no versions, which are refused before. */
  const forMany = (call: RouteCall, { ifMatch, ...options }: MethodOptions): Omit<MethodOptions, 'ifMatch'> => {
    refuseVersions({ options: { ifMatch } })
    return checked(call, options)
  }
  const checked = <Options extends CrudReadOptions>({ seen }: RouteCall, options: Options): Options => {
    readScope(options, seen.resource.model)
    return options
  }
  return {
    list: operating('list', (made, { request }) => readList(made, request.queryParams)),
    aggregate: operating('aggregate', (made, call) => readGroups(made, call.queryAs<'groups'>().plan)),
    get: operating('get', (made, call) => readRecord(made, call.key(), call.request.queryParams)),
    create: operating('create', (made, call, data: CrudRecord) => createOne(made, data, call.rows)),
    createMany: operating(
      'createMany',
      (made, call, data: readonly CrudRecord[]) => createMany(made, data, call.rows)
    ),
    upsert: operating(
      'upsert',
      (made, call, data: CrudRecord | readonly CrudRecord[]): Steps<WriteResult> => {
        const { key } = call.queryAs<'key'>()
        const decided = call.rows as readonly UpsertData[] | undefined
        return Array.isArray(data)
          ? upsertMany(made, key, data as readonly CrudRecord[], decided)
          : upsertOne(made, key, data as CrudRecord, decided)
      }
    ),
    update: operating('update', (made, call, data: CrudRecord) => updateOne(made, call.key(), data, call.rows?.[0])),
    delete: operating('delete', (made, call) => deleteOne(made, call.key())),
    restore: operating('restore', (made, call) => restoreOne(made, call.key())),
    updateMany: operating(
      'updateMany',
      (made, call, data: CrudRecord) =>
        numberOf(updateMany(made, call.queryAs<'filters'>().target, data, call.rows?.[0]))
    ),
    deleteMany: operating(
      'deleteMany',
      (made, call) => numberOf(deleteMany(made, call.queryAs<'filters'>().target))
    ),
    ...(isOwn('listJson') && {
      list: async (call, options) => {
        const { em, queryParams } = call.request
        return { json: jsonOf('listJson', await crud.listJson(em, queryParams, checked(call, options))) }
      },
    }),
    ...(isOwn('list') && {
      list: async (call, options) => {
        const { em, queryParams } = call.request
        return pageOf('list', await crud.list(em, queryParams, checked(call, options)))
      },
    }),
    ...(isOwn('aggregate') && {
      aggregate: async (call, options) => {
        const { em, queryParams } = call.request
        return pageOf('aggregate', await crud.aggregate(em, queryParams, checked(call, options)))
      },
    }),
    ...(isOwn('getJson') && {
      get: async (call, options) => {
        const { em, queryParams } = call.request
        const json = await crud.getJson(em, call.key(), queryParams, checked(call, options))
        return json === null ? null : sent('get', call, JSON.parse(jsonOf('getJson', json)))
      },
    }),
    ...(isOwn('get') && {
      get: async (call, options) => {
        const { em, queryParams } = call.request
        const record = await crud.get(em, call.key(), queryParams, checked(call, options))
        return record === null ? null : sent('get', call, record)
      },
    }),
    ...(isOwn('create') && {
      create: async (call, options, data) =>
        sent('create', call, await crud.create(call.request.em, data, checked(call, options))),
    }),
    ...(isOwn('createMany') && {
      createMany: async (call, options, data) => {
        const records: unknown = await crud.createMany(call.request.em, data, checked(call, options))
        if (!Array.isArray(records)) throw wrongResult('createMany', 'the records as an array', records)
        return { json: JSON.stringify(records) }
      },
    }),
    ...(isOwn('upsert') && {
      upsert: async (call, options, data) => {
        const on = call.queryAs<'key'>().key.properties.map(({ name }) => name)
        const result: unknown = await crud.upsert(call.request.em, data as CrudRecord, {
          ...checked(call, options),
          on,
        })
        if (Array.isArray(data)) {
          if (Array.isArray(result) && result.every(isUpserted)) return { json: JSON.stringify(result) }
          throw wrongResult('upsert', 'an array of objects with created and record', result)
        }
        if (!isUpserted(result)) throw wrongResult('upsert', 'an object with created and record', result)
        return { ...sent('upsert', call, result.record), created: result.created }
      },
    }),
    ...(isOwn('update') && {
      update: async (call, options, data) =>
        sent('update', call, await crud.update(call.request.em, call.key(), data, checked(call, options))),
    }),
    ...(isOwn('delete') && {
      delete: async (call, options) =>
        sent('delete', call, await crud.delete(call.request.em, call.key(), checked(call, options))),
    }),
    ...(isOwn('restore') && {
      restore: async (call, options) =>
        sent('restore', call, await crud.restore(call.request.em, call.key(), checked(call, options))),
    }),
    ...(isOwn('updateMany') && {
      updateMany: async (call, options, data) => {
        const { em, queryParams } = call.request
        return countedBy('updateMany', await crud.updateMany(em, queryParams, data, forMany(call, options)))
      },
    }),
    ...(isOwn('deleteMany') && {
      deleteMany: async (call, options) => {
        const { em, queryParams } = call.request
        return countedBy('deleteMany', await crud.deleteMany(em, queryParams, forMany(call, options)))
      },
    }),
  }
}

const isUpserted = (value: unknown): value is UpsertResult<unknown> =>
  isObject(value) && typeof value['created'] === 'boolean' && isObject(value['record'])

/** The page that a method of the application has returned. */
function pageOf (method: string, page: unknown): JsonAnswer {
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

/** The answer of a method of the application. */
function countedBy (method: string, answer: unknown): WriteResult {
  if (isObject(answer) && Number.isSafeInteger(answer['affected'])) return counted(answer as unknown as Affected)
  throw wrongResult(method, 'the number of records as { affected: number }', answer)
}

/** The error of a method of the application that has returned something else than it must. */
const wrongResult = (method: string, expected: string, got: unknown): ConfigError =>
  new ConfigError(
    `The overridden method '${method}' must return ${expected}, as super.${method}() does; it returned ${shown(got)}.`
  )
