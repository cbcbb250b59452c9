/** The functions that the routes of a resource call: its operations, or methods that the application overrides. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import {
  CrudBase,
  type CrudDeleteOptions,
  type CrudReadOptions,
  type CrudRecord,
  type CrudWriteOptions,
} from '../../crud/index.ts'
import { ConfigError } from '../../base/errors.ts'
import { isObject, type EntityModel } from '../../model/index.ts'
import { shown } from '../../base/option-checks.ts'
import type { Steps } from '../../base/steps.ts'
import type { Id } from '../../plan/index.ts'
import { readList, readRecord, type JsonAnswer } from '../../read/index.ts'
import { perform, readScope, type Call, type OperationOptions } from '../../resource/index.ts'
import { createMany, createOne, deleteOne, restoreOne, updateOne } from '../../write/index.ts'
import type { CrudOperation } from '../route-options.ts'
import { sessionsOf } from '../sessions.ts'

/**
 * The operations of a resource, with the arguments that its routes pass. `isChecked` tells that the schema of the
 * operation has accepted the data.
 */
export interface RouteCalls {
  list(request: FastifyRequest, options: CrudReadOptions): Promise<JsonAnswer>
  get(request: FastifyRequest, id: Id, options: CrudReadOptions): Promise<JsonAnswer | null>
  create(
    request: FastifyRequest,
    data: CrudRecord,
    options: CrudReadOptions,
    isChecked: boolean
  ): Promise<JsonAnswer>
  createMany(
    request: FastifyRequest,
    data: readonly CrudRecord[],
    options: CrudReadOptions,
    isChecked: boolean
  ): Promise<JsonAnswer>
  update(
    request: FastifyRequest,
    id: Id,
    data: CrudRecord,
    options: CrudWriteOptions,
    isChecked: boolean
  ): Promise<JsonAnswer>
  delete(request: FastifyRequest, id: Id, options: CrudDeleteOptions): Promise<JsonAnswer>
  restore(request: FastifyRequest, id: Id, options: CrudWriteOptions): Promise<JsonAnswer>
}

/**
 * The calls of a resource's routes. They bypass the methods of `CrudBase`, which would convert the same answers to
 * objects. If the application overrides a method, the method is called with the request's EntityManager, and its
 * records are sent. Operations check the scope themselves. For the application's methods, it is checked before the
 * call.
 */
export function routeCalls (orm: MikroORM, crud: CrudBase, model: EntityModel): RouteCalls {
  const isOwn = (method: keyof CrudBase): boolean => crud[method] !== CrudBase.prototype[method]
  const sessionOf = sessionsOf(orm)
  const sent = (method: keyof RouteCalls, record: unknown): JsonAnswer => {
    if (!isObject(record)) throw wrongResult(method, 'the record as an object', record)
    const version: unknown = model.version && record[model.version.publicName]
    return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
  }
  const checked = <Options extends CrudReadOptions>(options: Options): Options => {
    readScope(options, model)
    return options
  }
  const calling = <Answer>(
    operation: CrudOperation,
    request: FastifyRequest,
    options: OperationOptions,
    steps: (call: Call) => Steps<Answer>
  ): Promise<Answer> => perform(crud, sessionOf(request), operation, options, steps)
  return {
    list: (request, options) => calling('list', request, options, (call) => readList(call, request.queryParams)),
    get: (request, id, options) =>
      calling('get', request, options, (call) => readRecord(call, id, request.queryParams)),
    create: (request, data, options, isChecked) =>
      calling('create', request, options, (call) => createOne(call, data, isChecked)),
    createMany: (request, data, options, isChecked) =>
      calling('createMany', request, options, (call) => createMany(call, data, isChecked)),
    update: (request, id, data, options, isChecked) =>
      calling('update', request, options, (call) => updateOne(call, id, data, isChecked)),
    delete: (request, id, options) => calling('delete', request, options, (call) => deleteOne(call, id)),
    restore: (request, id, options) => calling('restore', request, options, (call) => restoreOne(call, id)),
    ...(isOwn('listJson') && {
      list: async (request, options) => ({
        json: jsonOf('listJson', await crud.listJson(request.em, request.queryParams, checked(options))),
      }),
    }),
    ...(isOwn('list') && {
      list: async (request, options) => {
        const page: unknown = await crud.list(request.em, request.queryParams, checked(options))
        if (!isObject(page)) throw wrongResult('list', 'the page as an object', page)
        return { json: JSON.stringify(page) }
      },
    }),
    ...(isOwn('getJson') && {
      get: async (request, id, options) => {
        const json = await crud.getJson(request.em, id, request.queryParams, checked(options))
        return json === null ? null : sent('get', JSON.parse(jsonOf('getJson', json)))
      },
    }),
    ...(isOwn('get') && {
      get: async (request, id, options) => {
        const record = await crud.get(request.em, id, request.queryParams, checked(options))
        return record === null ? null : sent('get', record)
      },
    }),
    ...(isOwn('create') && {
      create: async (request, data, options) => sent('create', await crud.create(request.em, data, checked(options))),
    }),
    ...(isOwn('createMany') && {
      createMany: async (request, data, options) => {
        const records: unknown = await crud.createMany(request.em, data, checked(options))
        if (!Array.isArray(records)) throw wrongResult('createMany', 'the records as an array', records)
        return { json: JSON.stringify(records) }
      },
    }),
    ...(isOwn('update') && {
      update: async (request, id, data, options) =>
        sent('update', await crud.update(request.em, id, data, checked(options))),
    }),
    ...(isOwn('delete') && {
      delete: async (request, id, options) => sent('delete', await crud.delete(request.em, id, checked(options))),
    }),
    ...(isOwn('restore') && {
      restore: async (request, id, options) => sent('restore', await crud.restore(request.em, id, checked(options))),
    }),
  }
}

/** The JSON text that a method of the application has returned. */
function jsonOf (method: string, json: unknown): string {
  if (typeof json !== 'string') throw wrongResult(method, 'the JSON text', json)
  return json
}

/** The error of a method of the application that has returned something else than it must. */
const wrongResult = (method: string, expected: string, got: unknown): ConfigError =>
  new ConfigError(
    `The overridden method '${method}' must return ${expected}, as super.${method}() does; it returned ${shown(got)}.`
  )
