/** The handlers of the routes that write: `POST` of a record or of a list, `PATCH`, `PUT`, `DELETE` and restore. */
import type { CrudWriteOptions } from '../../crud/index.ts'
import { PreconditionRequiredError } from '../../base/errors.ts'
import type { JsonAnswer } from '../../read/index.ts'
import { keyNames } from '../../write/index.ts'
import { isAccepted } from './accepted-body.ts'
import { LIST, ONE_RECORD, readBatch, readBody, bodyError } from './body.ts'
import type { Handler, HandlerParts } from './handler-parts.ts'
import { locationsOf } from './headers.ts'
import type { RouteRequest } from './request.ts'

/** @returns the handlers by the names of their operations. `create` is also that of `createMany` */
export function writeHandlers (
  { crud, model, writable, options, operations, calls, checks, within, readKey, readOptions, answers }: HandlerParts
): Readonly<Record<'create' | 'update' | 'delete' | 'restore', Handler>> {
  const { sendJson, sendRecord } = answers
  const [takesRecord, takesList] = [operations.includes('create'), operations.includes('createMany')]
  const ignored = (operation: 'create' | 'update') =>
    options.readonlyProperties === 'ignore' ? writable[operation]?.readonly : undefined
  const [ignoredOfNew, ignoredOfChanges] = [ignored('create'), ignored('update')]
  const locationOf = locationsOf(model, crud.afterRead !== undefined)

  const checkIfMatch = ({ headers }: RouteRequest): void => {
    if (options.requireIfMatch && headers['if-match'] === undefined) throw new PreconditionRequiredError()
  }

  /** Calls a write to an existing record with its options. */
  const changing = (request: RouteRequest, write: (options: CrudWriteOptions) => Promise<JsonAnswer>) =>
    readOptions.calling(request, (options) => write({ ...options, ifMatch: request.headers['if-match'] }))

  return {
    create: async (request, reply) => {
      const isChecked = isAccepted(request)
      checks.write(request)
      const { body } = request
      if (Array.isArray(body)) {
        if (!takesList) throw bodyError(ONE_RECORD)
        const batch = readBatch(body, options.maxBatch, ignoredOfNew)
        const { json } = await within.createMany(
          request,
          () => readOptions.calling(request, (options) => calls.createMany(request, batch, options, isChecked))
        )
        return sendJson(request, reply.code(201), json)
      }
      if (!takesRecord) throw bodyError(LIST)
      const record = await within.create(
        request,
        () =>
          readOptions.calling(
            request,
            (options) => calls.create(request, readBody(body, ignoredOfNew), options, isChecked)
          )
      )
      const location = locationOf(request.url, record)
      if (location !== undefined) reply.header('location', location)
      return sendRecord(request, reply.code(201), record)
    },

    update: async (request, reply) => {
      const isChecked = isAccepted(request)
      const id = readKey(request.params)
      checks.write(request)
      checkIfMatch(request)
      const changes = readBody(request.body, ignoredOfChanges, () => keyNames(id, model))
      const record = await within.update(
        request,
        () => changing(request, (options) => calls.update(request, id, changes, options, isChecked))
      )
      return sendRecord(request, reply, record)
    },

    delete: async (request, reply) => {
      const id = readKey(request.params)
      const hard = checks.remove(request)
      checkIfMatch(request)
      const record = await within.delete(
        request,
        () => changing(request, (options) => calls.delete(request, id, { ...options, hard }))
      )
      return sendRecord(request, reply, record)
    },

    restore: async (request, reply) => {
      const id = readKey(request.params)
      checks.write(request)
      const record = await within.restore(
        request,
        () => changing(request, (options) => calls.restore(request, id, options))
      )
      return sendRecord(request, reply, record)
    },
  }
}
