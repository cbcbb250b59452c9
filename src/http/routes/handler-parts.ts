/** The parts that the handlers of a resource share. All of them are made once, at start-up. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { FastifyReply } from 'fastify'
import type { CrudBase } from '../../crud/index.ts'
import type { Resource } from '../../resource/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { Streaming } from '../streams/index.ts'
import { answersOf, type Answers } from './answers.ts'
import { routeCalls } from './calls.ts'
import { keyReader } from './key.ts'
import type { QueryChecks } from './query-checks.ts'
import { readOptionsOf, type ReadOptions } from './read-options.ts'
import type { RouteRequest } from './request.ts'
import type { Within } from './transactions.ts'

export type Handler = (request: RouteRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The subject of a resource's routes: for all callers, or for a role. */
export interface RouteSubject {
  readonly orm: MikroORM
  readonly resource: Resource
  readonly options: CrudRoutesOptions
  readonly operations: readonly CrudOperation[]
  readonly within: Readonly<Record<CrudOperation, Within>>
  /** Sends streams, if the resource has them. */
  readonly streaming: Streaming | undefined
  readonly checks: QueryChecks
}

export interface HandlerParts
  extends Omit<RouteSubject, 'orm' | 'resource'>, Pick<Resource, 'model' | 'whitelist' | 'writable'> {
  readonly crud: CrudBase
  readonly calls: ReturnType<typeof routeCalls>
  readonly readKey: ReturnType<typeof keyReader>
  readonly readOptions: ReadOptions
  readonly answers: Answers
}

export function handlerParts (
  { orm, resource: { model, whitelist, writable }, ...subject }: RouteSubject
): HandlerParts {
  const { options } = subject
  const crud = options.crud as CrudBase
  return {
    ...subject,
    model,
    whitelist,
    writable,
    crud,
    calls: routeCalls(orm, crud, model),
    readKey: keyReader(model),
    readOptions: readOptionsOf(options),
    answers: answersOf(model, options),
  }
}
