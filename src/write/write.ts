/** A write in progress: its first step, and its answer. */
import { isDeepStrictEqual } from 'node:util'
import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '../base/errors.ts'
import type { FilterType } from '../borrowed/mikro-orm-filters.ts'
import { neededFor, removes, type BodyKind, type CrudOperation } from '../config/index.ts'
import { entitiesBehind, readConstant } from '../conditions/index.ts'
import type { SyncSession } from '../database/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { rulesOfBody, type BodyRules, type RecordData, type RowForHooks, type Writable } from '../plan/index.ts'
import {
  filtersBehind, scopeRulesOf, sharedEmOf, type ActiveFilters, type Call, type CrudSession, type RequestConditions,
  type ScopeRules, type SwitchedFilters,
} from '../resource/index.ts'
import { dialectOf, enterStage } from '../run/index.ts'
import { returnedKey, type Dialect, type Row } from '../sql/index.ts'
import { listJson } from '../answer/index.ts'
import { convertList, convertRecord, type JsonAnswer } from '../read/index.ts'
import type { Steps } from '../base/steps.ts'

/** A write in progress: the argument of its steps. If a write begins a transaction, `session` is the transaction's. */
export interface Write<On extends CrudSession = CrudSession>
  extends Pick<Call<On>, 'crud' | 'resource' | 'session' | 'options'> {
  readonly operation: CrudOperation
  readonly model: EntityModel
  readonly conditions: RequestConditions
  /** The rules of the request's scope and of the rows that its role may use. */
  readonly scope: ScopeRules | undefined
  /** What an after hook gets of each row, beside the record of the answer. */
  readonly forHooks?: RowForHooks | undefined
  /** MikroORM's filters that the request of a write of many records has switched on. */
  readonly switched?: SwitchedFilters
}

/** A write inside of a transaction, on the session that is in it. */
export type InnerWrite = Write<EntityManager | SyncSession>

/** @throws {ConfigError} for a read-only entity, or {ScopeError} for a scope that is not a valid condition */
export function beginWrite (call: Call): Write {
  const { crud, resource, session, options, operation, actor, rows } = call
  const { model } = resource
  if (model.readOnly !== undefined) throw new ConfigError(`${model.name} is read-only: ${model.readOnly}.`)
  enterStage('plan')
  const conditions = resource.readConditions(options, actor)
  const limits = rows === undefined ? conditions.scope : [...conditions.scope ?? [], ...rows]
  const scope = limits && scopeRulesOf(limits, model)
  return { crud, resource, model, session, options, conditions, scope, operation: neededFor(operation) }
}

/** The dialect of the server, which decides the ways of the steps. */
export const dialectOfWrite = ({ session }: Pick<Write, 'session'>): Dialect => dialectOf(sharedEmOf(session))

/** @throws {ConfigError} unless the resource's `writable` allows bodies of this kind to set properties */
export function bodyRules (
  { crud, operation, resource: { model, writable } }: Write,
  kind: BodyKind
): BodyRules {
  const rules = rulesOfBody(writable, operation, kind)
  if (rules === undefined) {
    throw new ConfigError(`${crud.constructor.name}: ${closedBody(kind, kind, model.name, writable)}.`)
  }
  return rules
}

/** A written record as the database returned it. */
export interface Written {
  readonly json: string
  readonly version: string | undefined
  /** The columns of a new row's key as texts. */
  readonly key: readonly string[] | undefined
  /** Whether the write has found nothing to change. */
  readonly isUnchanged?: true
  /** For an after hook: the whole record, if `json` is what a role sees. */
  readonly whole?: string | undefined
  /** For an after hook: the values before the write. */
  readonly previous?: string | undefined
  /** Of an upsert: whether it has created the record. */
  readonly created?: boolean | undefined
}

const [FIRST, SECOND] = [returnedKey(0), returnedKey(1)]

/** A row that a statement has written, or found. */
export function writtenOf (row: Row): Written {
  const created = row['created']
  return {
    json: row['item'] as string,
    version: row['version'] as string | undefined,
    key: row[FIRST] === undefined ? undefined : keyIn(row),
    whole: row['whole'] as string | undefined,
    previous: row['previous'] as string | undefined,
    created: created === undefined ? undefined : created === 'true',
  }
}

function keyIn (row: Row): readonly string[] {
  if (row[SECOND] === undefined) return [row[FIRST] as string]
  const key: string[] = []
  for (let index = 0; row[returnedKey(index)] !== undefined; index++) key.push(row[returnedKey(index)] as string)
  return key
}

/** A record that the write has found and not changed. */
export const foundUnchanged = (row: Row): Written => ({ ...writtenOf(row), isUnchanged: true })

/** Whether only the database can check that a written row lies in the scope. */
export function needsScopeCheck ({ scope }: Pick<Write, 'scope'>): boolean {
  return scope?.needsDatabase === true
}

/** The operation that MikroORM's filters get for the row that a write changes or removes. */
export function filterTypeOf ({ operation }: Write): FilterType {
  return removes(operation) ? 'delete' : 'update'
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
    for (const { relation } of links) {
      for (const entity of entitiesOfLinks(relation)) if (!entities.includes(entity)) entities.push(entity)
    }
  }
  return entities
}

/** The entities on which it depends which links clients see through a relation. */
export function entitiesOfLinks ({ target, where }: RelationProperty): Iterable<EntityModel> {
  return where === undefined ? [target] : [target, ...entitiesBehind(readConstant(where, target))]
}

/** Says, as a clause, why an operation that takes a body is closed and how to open it. */
export function closedBody (operation: string, kind: BodyKind, entity: string, { declared }: Writable): string {
  if (declared) {
    return `'${operation}' needs a list of what bodies may set, and "writable" of ${entity} has none for '${kind}': ` +
      `add one, as in writable: { ${kind}: ['name'] }, or leave '${operation}' out of the operations`
  }
  return `'${operation}' needs "writable", which says what bodies may set of ${entity}: name the properties, ` +
    "as in writable: ['name', 'price'], write writable: 'all' for every property that is not generated, hidden or " +
    'computed, or leave create, createMany, upsert, update and updateMany out of the operations'
}

/** The answer of a write of one record. */
export function * answerOne (write: Write, written: Written): Steps<JsonAnswer> {
  const { json, version, key } = written
  return { json: yield * convertRecord(write, json, write.resource.toWire), version, key }
}

/** The answer of a write of several records. */
export function * answerMany (write: Write, written: readonly Written[]): Steps<JsonAnswer> {
  const json = listJson(written.map(({ json }) => json))
  return { json: yield * convertList(write, json, write.resource.toWire) }
}
