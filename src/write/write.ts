/** A write in progress, and its first step. */
import { ConfigError, PreconditionFailedError } from '../errors.ts'
import type { EntityModel } from '../model/index.ts'
import type { BodyRules, RecordData } from '../plan/index.ts'
import {
  rulesOf,
  sharedEmOf,
  type CrudClass,
  type CrudSession,
  type FilterType,
  type ReadOptions,
  type RequestConditions,
  type Resource,
  type ScopeRules,
  type Session,
} from '../resource/index.ts'
import { enterStage, type QueryOperation } from '../run/index.ts'
import type { Row } from '../sql/index.ts'
import { closedBody } from './closed-body.ts'
import { readIfMatch } from './if-match.ts'

export interface WriteOptions extends ReadOptions {
  /** The header If-Match: the versions that the record may have. */
  readonly ifMatch?: string
  /** Values that the server sets, by property name. */
  readonly values?: object
  /** Whether a delete removes the row even if it could be marked as deleted. */
  readonly hard?: boolean
}

/** A write in progress: the argument of its steps. If a write begins a transaction, `session` is the transaction's. */
export interface Write<On extends CrudSession = Session> {
  readonly crud: CrudClass
  readonly resource: Resource
  readonly model: EntityModel
  readonly session: On
  readonly options: WriteOptions
  readonly conditions: RequestConditions
  readonly scope: ScopeRules | undefined
  readonly operation: QueryOperation
}

/**
 * Begins a write.
 *
 * @throws {ConfigError} for a read-only entity, or {ScopeError} for a scope that is not a valid condition
 */
export function beginWrite<On extends CrudSession> (
  crud: CrudClass,
  session: On,
  options: WriteOptions,
  operation: QueryOperation
): Write<On> {
  const resource = crud.bind(sharedEmOf(session))
  const { model } = resource
  if (model.readOnly !== undefined) throw new ConfigError(`${model.name} is read-only: ${model.readOnly}.`)
  enterStage('plan')
  const conditions = resource.conditionsOf(options)
  const scope = conditions.scope && rulesOf(conditions.scope, model)
  enterStage()
  return { crud, resource, model, session, options, conditions, scope, operation }
}

/** @throws {ConfigError} unless the resource's `writable` allows bodies of this operation to set properties */
export function bodyRules (
  { crud, resource: { model, writable } }: Write<CrudSession>,
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
export function versionsOf ({ options: { ifMatch } }: Write<CrudSession>): readonly string[] | undefined {
  const match = ifMatch === undefined ? 'any' : readIfMatch(ifMatch)
  return match === 'any' ? undefined : match
}

/** @throws {PreconditionFailedError} if the version is not in If-Match. Without a version, only `*` matches. */
export function checkVersion (write: Write<CrudSession>, row: Row): void {
  const versions = versionsOf(write)
  if (versions !== undefined && !versions.includes(row['version'] as string)) throw new PreconditionFailedError()
}

/** Whether only the database can check that a written row lies in the scope. */
export function checksScope ({ scope }: Pick<Write<CrudSession>, 'scope'>): boolean {
  return scope?.partial === true
}

/** The operation for which MikroORM's filters are asked in all writes. */
export const FILTERS_OF_WRITES: FilterType = 'update'

/** The entities whose filters a write needs: its own, those that rows refer to, and those that the scope leads to. */
export function entitiesOfWrite (
  { resource, model, conditions }: Write<CrudSession>,
  rows: readonly RecordData[]
): readonly EntityModel[] {
  const entities = new Set([model])
  for (const { references, links } of rows) {
    for (const { relation } of references) entities.add(relation.target)
    for (const { relation } of links) entities.add(relation.target)
  }
  return resource.entitiesWithScope([...entities], conditions)
}
