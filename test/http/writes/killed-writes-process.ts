/**
 * A server that dies when a request asks for it: `x-die: hook` while the write is being done, `x-die: sent` after it
 * was committed and before its answer is sent. It prints a line when it listens.
 *
 * Arguments: the URL of the database, the port.
 */
import Fastify, { type FastifyRequest } from 'fastify'
import { CrudBase, crudKit, type CrudContext, type CrudRecord } from '../../../src/index.ts'
import { entities, Entry } from './killed-writes-entities.ts'

const [, , databaseUrl, port] = process.argv as [string, string, string, string]

const die = ({ headers }: FastifyRequest, when: string): void => {
  if (headers['x-die'] === when) process.kill(process.pid, 'SIGKILL')
}

class DyingCrud extends CrudBase {
  override beforeCreate (data: CrudRecord, { request }: CrudContext): CrudRecord {
    die(request!, 'hook')
    return data
  }

  override beforeUpdate (_: unknown, data: CrudRecord, { request }: CrudContext): CrudRecord {
    die(request!, 'hook')
    return data
  }
}

const app = Fastify()
await app.register(crudKit, {
  database: { databaseUrl, entities, pool: { max: 8 } },
  indexAdvice: false,
  resources: {
    '/entries': {
      crud: new DyingCrud({ model: Entry, writable: ['name'] }),
      operations: ['create', 'createMany', 'update', 'delete'],
      idempotency: { required: true, principal: () => 'tester' },
      hooks: {
        all: {
          onSend: async (request, _, payload) => {
            die(request, 'sent')
            return payload
          },
        },
      },
    },
  },
})
await app.listen({ port: Number(port) })
console.log('listening')
