/** A write in progress, and its first step. */
import { isDeepStrictEqual } from 'node:util'
import { ConfigError, PreconditionFailedError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { BodyRules, RecordData } from '../plan/index.ts'
import {
  filtersBehind,
  rulesOf,
  type ActiveFilters,
  type Call,
  type CrudSession,
  type FilterType,
  type RequestConditions,
  type ScopeRules,
} from '../resource/index.ts'
import { enterStage } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { closedBody } from './closed-body.ts'
import { readIfMatch } from './if-match.ts'

/** A write in progress: the argument of its steps. If a write begins a transaction, `session` is the transaction's. */
export interface Write<On extends CrudSession = CrudSession>
  extends Pick<Call<On>, 'crud' | 'resource' | 'session' | 'options' | 'operation'> {
  readonly model: EntityModel
  readonly conditions: RequestConditions
  /** The rules of the request's scope and of the rows that its role may use. */
  readonly scope: ScopeRules | undefined
}

/** @throws {ConfigError} for a read-only entity, or {ScopeError} for a scope that is not a valid condition */
export function beginWrite (call: Call): Write {
  const { crud, resource, session, options, operation, actor, rows } = call
  const { model } = resource
  if (model.readOnly !== undefined) throw new ConfigError(`${model.name} is read-only: ${model.readOnly}.`)
  enterStage('plan')
  const conditions = resource.readConditions(options, actor)
  const limits = rows === undefined ? conditions.scope : [...conditions.scope ?? [], ...rows]
  const scope = limits && rulesOf(limits, model)
  enterStage()
  return { crud, resource, model, session, options, conditions, scope, operation }
}

/** @throws {ConfigError} unless the resource's `writable` allows bodies of this operation to set properties */
export function bodyRules (
  { crud, resource: { model, writable } }: Write,
  operation: 'create' | 'update'
): BodyRules {
  const rules = writable[operation]
  if (rules === undefined) {
    throw new ConfigError(`${crud.constructor.name}: ${closedBody(operation, model.name, writable)}.`)
  }
  return rules
}

/** A written record as the database returned it. */
export interface Written {
  readonly json: string
  readonly version: string | undefined
  /** The columns of a new row's key as texts. */
  readonly key: readonly string[] | undefined
}

/** @param parts the number of key columns in the row */
export function writtenOf (row: Row, parts = 0): Written {
  const key: string[] = []
  for (let index = 0; index < parts; index++) key.push(row[`key${index}`] as string)
  return {
    json: row['item'] as string,
    version: row['version'] as string | undefined,
    key: parts === 0 ? undefined : key,
  }
}

/** The versions in If-Match, or `undefined` if any version is allowed. */
export function versionsOf ({ options: { ifMatch } }: Write): readonly string[] | undefined {
  const match = ifMatch === undefined ? 'any' : readIfMatch(ifMatch)
  return match === 'any' ? undefined : match
}

/** @throws {PreconditionFailedError} if the version is not in If-Match. Without a version, only `*` matches. */
export function checkVersion (write: Write, row: Row): void {
  const versions = versionsOf(write)
  if (versions === undefined || versions.includes(row['version'] as string)) return
  throw new PreconditionFailedError(mismatch(write, versions))
}

/** The reason why no version matches, or `undefined` if it is that the record has another one. */
function mismatch ({ model }: Write, versions: readonly string[]): string | undefined {
  if (model.version === undefined) return 'These records have no version, so that only * matches in If-Match.'
  return versions.length === 0
    ? 'If-Match takes entity tags in double quotes, without W/ before them, such as "1".'
    : undefined
}

/** Whether only the database can check that a written row lies in the scope. */
export function checksScope ({ scope }: Pick<Write, 'scope'>): boolean {
  return scope?.partial === true
}

/** The operation that MikroORM's filters get for the row that a write changes or removes. */
export function filterTypeOf ({ operation }: Write): FilterType {
  return operation === 'delete' ? 'delete' : 'update'
}

/**
 * A write whose row must also pass the filters for its operation. PostgreSQL's policies have the same rule: a client
 * changes and removes only rows that it can read, since the answer contains the row.
 *
 * @param readable the filters for reads
 * @param writable the filters for the operation of the write
 */
export function withTarget (write: Write, readable: ActiveFilters, writable: ActiveFilters): Write {
  const target = writable.get(write.model)
  if (target === undefined || isDeepStrictEqual(target, filtersBehind(readable).get(write.model))) return write
  return { ...write, conditions: { ...write.conditions, target } }
}

/** The entities whose rows a write uses: its own, and those that rows refer to. */
export function entitiesOfWrite ({ model }: Write, rows: readonly RecordData[]): readonly EntityModel[] {
  const entities = [model]
  for (const { references, links } of rows) {
    for (const { relation } of references) if (!entities.includes(relation.target)) entities.push(relation.target)
    for (const { relation } of links) if (!entities.includes(relation.target)) entities.push(relation.target)
  }
  return entities
}
