/** What the routes call of a CrudBase: its methods, as the application has them. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyRequest } from 'fastify'
import {
  CrudBase,
  type CrudDeleteOptions,
  type CrudReadOptions,
  type CrudRecord,
  type CrudWriteOptions,
} from '../src/crud/index.ts'
import type { EntityModel } from '../src/model/index.ts'
import type { Id } from '../src/plan/index.ts'
import { sessionsOf } from './request-em.ts'
import type { SentRecord } from './route-headers.ts'

/** Answers as JSON text, and what their headers say of them. */
export interface RouteCalls {
  list(request: FastifyRequest, options: CrudReadOptions): Promise<string>
  get(request: FastifyRequest, id: Id, options: CrudReadOptions): Promise<SentRecord | null>
  create(request: FastifyRequest, data: CrudRecord, options: CrudReadOptions): Promise<SentRecord>
  createMany(request: FastifyRequest, data: readonly CrudRecord[], options: CrudReadOptions): Promise<string>
  update(request: FastifyRequest, id: Id, data: CrudRecord, options: CrudWriteOptions): Promise<SentRecord>
  delete(request: FastifyRequest, id: Id, options: CrudDeleteOptions): Promise<SentRecord>
  restore(request: FastifyRequest, id: Id, options: CrudWriteOptions): Promise<SentRecord>
}

/**
 * The calls of a resource's routes. They go to the methods that give text. A method that the application has put in
 * place of one of ours is called instead, with the request's EntityManager, and its records are sent.
 */
export function routeCalls (orm: MikroORM, crud: CrudBase, model: EntityModel): RouteCalls {
  const isOwn = (method: keyof CrudBase): boolean => crud[method] !== CrudBase.prototype[method]
  const sessionOf = sessionsOf(orm)
  const sent = (record: CrudRecord): SentRecord => {
    const version: unknown = model.version && record[model.version.publicName]
    return { json: JSON.stringify(record), version: version === undefined ? undefined : String(version) }
  }
  const ours: RouteCalls = {
    list: (request, options) => crud.listJson(sessionOf(request), request.queryParams, options),
    get: (request, id, options) => crud.getVersioned(sessionOf(request), id, request.queryParams, options),
    create: (request, data, options) => crud.createVersioned(sessionOf(request), data, options),
    createMany: (request, data, options) => crud.createManyJson(sessionOf(request), data, options),
    update: (request, id, data, options) => crud.updateVersioned(sessionOf(request), id, data, options),
    delete: (request, id, options) => crud.deleteVersioned(sessionOf(request), id, options),
    restore: (request, id, options) => crud.restoreVersioned(sessionOf(request), id, options),
  }
  return {
    ...ours,
    ...(isOwn('listJson') && { list: (request, options) => crud.listJson(request.em, request.queryParams, options) }),
    ...(isOwn('list') &&
      { list: async (request, options) => JSON.stringify(await crud.list(request.em, request.queryParams, options)) }),
    ...(isOwn('getJson') && {
      get: async (request, id, options) => {
        const json = await crud.getJson(request.em, id, request.queryParams, options)
        return json === null ? null : sent(JSON.parse(json) as CrudRecord)
      },
    }),
    ...(isOwn('get') && {
      get: async (request, id, options) => {
        const record = await crud.get(request.em, id, request.queryParams, options)
        return record && sent(record)
      },
    }),
    ...(isOwn('create') &&
      { create: async (request, data, options) => sent(await crud.create(request.em, data, options)) }),
    ...(isOwn('createMany') &&
      {
        createMany: async (request, data, options) => JSON.stringify(await crud.createMany(request.em, data, options)),
      }),
    ...(isOwn('update') &&
      { update: async (request, id, data, options) => sent(await crud.update(request.em, id, data, options)) }),
    ...(isOwn('delete') &&
      { delete: async (request, id, options) => sent(await crud.delete(request.em, id, options)) }),
    ...(isOwn('restore') &&
      { restore: async (request, id, options) => sent(await crud.restore(request.em, id, options)) }),
  }
}
