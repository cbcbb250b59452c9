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
    steps: (call: Call, input: RouteInput, ...args: Args) => Steps<Answer>
  ) =>
      (input: RouteInput, options: MethodOptions, ...args: Args): Promise<Answer> =>
        perform(crud, sessionOf(input.request), operation, options, (call) => steps(call, input, ...args))
  const sent = (method: keyof RouteMethods, { seen }: RouteInput, record: unknown): JsonAnswer => {
    if (!isObject(record)) throw wrongResult(method, 'the record as an object', record)
    const { version: property } = seen.resource.model
    const version: unknown = property && record[property.publicName]
    return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
  }
  /** Methods of the application get no versions, which are refused before. */
  const forMany = (input: RouteInput, { ifMatch, ...options }: MethodOptions): Omit<MethodOptions, 'ifMatch'> => {
    refuseVersions({ options: { ifMatch } })
    return checked(input, options)
  }
  const checked = <Options extends CrudReadOptions>({ seen }: RouteInput, options: Options): Options => {
    readScope(options, seen.resource.model)
    return options
  }
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
    ...(isOwn('listJson') && {
      list: async (input, options) => {
        const { em, queryParams } = input.request
        return { json: jsonOf('listJson', await crud.listJson(em, queryParams, checked(input, options))) }
      },
    }),
    ...(isOwn('list') && {
      list: async (input, options) => {
        const { em, queryParams } = input.request
        return pageOf('list', await crud.list(em, queryParams, checked(input, options)))
      },
    }),
    ...(isOwn('aggregate') && {
      aggregate: async (input, options) => {
        const { em, queryParams } = input.request
        return pageOf('aggregate', await crud.aggregate(em, queryParams, checked(input, options)))
      },
    }),
    ...(isOwn('getJson') && {
      get: async (input, options) => {
        const { em, queryParams } = input.request
        const json = await crud.getJson(em, input.key(), queryParams, checked(input, options))
        return json === null ? null : sent('get', input, JSON.parse(jsonOf('getJson', json)))
      },
    }),
    ...(isOwn('get') && {
      get: async (input, options) => {
        const { em, queryParams } = input.request
        const record = await crud.get(em, input.key(), queryParams, checked(input, options))
        return record === null ? null : sent('get', input, record)
      },
    }),
    ...(isOwn('create') && {
      create: async (input, options, data) =>
        sent('create', input, await crud.create(input.request.em, data, checked(input, options))),
    }),
    ...(isOwn('createMany') && {
      createMany: async (input, options, data) => {
        const records: unknown = await crud.createMany(input.request.em, data, checked(input, options))
        if (!Array.isArray(records)) throw wrongResult('createMany', 'the records as an array', records)
        return { json: JSON.stringify(records) }
      },
    }),
    ...(isOwn('upsert') && {
      upsert: async (input, options, data) => {
        const on = input.queryAs<'key'>().key.properties.map(({ name }) => name)
        const result: unknown = await crud.upsert(input.request.em, data as CrudRecord, {
          ...checked(input, options),
          on,
        })
        if (Array.isArray(data)) {
          if (Array.isArray(result) && result.every(isUpserted)) return { json: JSON.stringify(result) }
          throw wrongResult('upsert', 'an array of objects with created and record', result)
        }
        if (!isUpserted(result)) throw wrongResult('upsert', 'an object with created and record', result)
        return { ...sent('upsert', input, result.record), created: result.created }
      },
    }),
    ...(isOwn('update') && {
      update: async (input, options, data) =>
        sent('update', input, await crud.update(input.request.em, input.key(), data, checked(input, options))),
    }),
    ...(isOwn('delete') && {
      delete: async (input, options) =>
        sent('delete', input, await crud.delete(input.request.em, input.key(), checked(input, options))),
    }),
    ...(isOwn('restore') && {
      restore: async (input, options) =>
        sent('restore', input, await crud.restore(input.request.em, input.key(), checked(input, options))),
    }),
    ...(isOwn('updateMany') && {
      updateMany: async (input, options, data) => {
        const { em, queryParams } = input.request
        return countedBy('updateMany', await crud.updateMany(em, queryParams, data, forMany(input, options)))
      },
    }),
    ...(isOwn('deleteMany') && {
      deleteMany: async (input, options) => {
        const { em, queryParams } = input.request
        return countedBy('deleteMany', await crud.deleteMany(em, queryParams, forMany(input, options)))
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
