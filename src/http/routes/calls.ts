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
import type { EntityModel } from '../../model/index.ts'
import type { Id } from '../../plan/index.ts'
import { readList, readRecord, type JsonAnswer } from '../../read/index.ts'
import { readScope } from '../../resource/index.ts'
import { createMany, createOne, deleteOne, restoreOne, updateOne } from '../../write/index.ts'
import { sessionsOf } from '../sessions.ts'

/** The operations of a resource, with the arguments that its routes pass. */
export interface RouteCalls {
  list(request: FastifyRequest, options: CrudReadOptions): Promise<JsonAnswer>
  get(request: FastifyRequest, id: Id, options: CrudReadOptions): Promise<JsonAnswer | null>
  create(request: FastifyRequest, data: CrudRecord, options: CrudReadOptions): Promise<JsonAnswer>
  createMany(request: FastifyRequest, data: readonly CrudRecord[], options: CrudReadOptions): Promise<JsonAnswer>
  update(request: FastifyRequest, id: Id, data: CrudRecord, options: CrudWriteOptions): Promise<JsonAnswer>
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
  const sent = (record: CrudRecord): JsonAnswer => {
    const version: unknown = model.version && record[model.version.publicName]
    return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
  }
  const checked = <Options extends CrudReadOptions>(options: Options): Options => {
    readScope(options, model)
    return options
  }
  const text = (records: unknown): JsonAnswer => ({ json: JSON.stringify(records) })
  return {
    list: (request, options) => readList(crud, sessionOf(request), request.queryParams, options),
    get: (request, id, options) => readRecord(crud, sessionOf(request), id, request.queryParams, options),
    create: (request, data, options) => createOne(crud, sessionOf(request), data, options),
    createMany: (request, data, options) => createMany(crud, sessionOf(request), data, options),
    update: (request, id, data, options) => updateOne(crud, sessionOf(request), id, data, options),
    delete: (request, id, options) => deleteOne(crud, sessionOf(request), id, options),
    restore: (request, id, options) => restoreOne(crud, sessionOf(request), id, options),
    ...(isOwn('listJson') && {
      list: async (request, options) => ({
        json: await crud.listJson(request.em, request.queryParams, checked(options)),
      }),
    }),
    ...(isOwn('list') && {
      list: async (request, options) => text(await crud.list(request.em, request.queryParams, checked(options))),
    }),
    ...(isOwn('getJson') && {
      get: async (request, id, options) => {
        const json = await crud.getJson(request.em, id, request.queryParams, checked(options))
        return json === null ? null : sent(JSON.parse(json) as CrudRecord)
      },
    }),
    ...(isOwn('get') && {
      get: async (request, id, options) => {
        const record = await crud.get(request.em, id, request.queryParams, checked(options))
        return record && sent(record)
      },
    }),
    ...(isOwn('create') && {
      create: async (request, data, options) => sent(await crud.create(request.em, data, checked(options))),
    }),
    ...(isOwn('createMany') && {
      createMany: async (request, data, options) => text(await crud.createMany(request.em, data, checked(options))),
    }),
    ...(isOwn('update') && {
      update: async (request, id, data, options) => sent(await crud.update(request.em, id, data, checked(options))),
    }),
    ...(isOwn('delete') && {
      delete: async (request, id, options) => sent(await crud.delete(request.em, id, checked(options))),
    }),
    ...(isOwn('restore') && {
      restore: async (request, id, options) => sent(await crud.restore(request.em, id, checked(options))),
    }),
  }
}
