/** The rows of a create. Values come from the body, the server, the hook `beforeCreate` and the scope. */
import { ConfigError } from '../base/errors.ts'
import type { OrPromise } from '../base/or-promise.ts'
import type { Steps } from '../base/steps.ts'
import { withoutDiscriminator, withSharedColumns, type BodyRules, type RecordData } from '../plan/index.ts'
import { crudContext } from '../resource/index.ts'
import { dataOfHook, rowOfHook, valuesData } from './server-data.ts'
import type { Data } from './new-row.ts'
import { refuseOutside, withoutScope, withScopeValues } from './scope-of-rows.ts'
import { bodyRules, type Write } from './write.ts'
import { readData } from '../schema/index.ts'

/** The common data of all rows of a create. */
export interface CreateData {
  readonly write: Write
  readonly rules: BodyRules
  /** The same rules without the properties that the scope sets. */
  readonly completeRules: BodyRules
  readonly values: Data | undefined
  /** The hook `beforeCreate` of the resource, with its context. */
  readonly hook: ((data: Data) => OrPromise<unknown>) | undefined
  /** Whether bodies become rows at once, because no hook and no values of the server come between. */
  readonly direct: boolean
}

/**
 * @throws {ConfigError} for an abstract entity, or if `writable` allows no create
 */
export function beginCreate (write: Write): CreateData {
  const { crud, model, scope, options } = write
  const rules = bodyRules(write, 'create')
  if (model.abstract) {
    throw new ConfigError(`${model.name} is abstract: records are created as one of its subclasses.`)
  }
  const values = valuesData(options.values, model)
  return {
    write,
    rules,
    completeRules: scope === undefined ? rules : withoutScope(rules, scope),
    values,
    hook: hookOf(write),
    direct: crud.beforeCreate === undefined && values === undefined,
  }
}

function hookOf ({ crud, session, options }: Write): CreateData['hook'] {
  if (crud.beforeCreate === undefined) return undefined
  const context = crudContext(session, options.context)
  return (data) => crud.beforeCreate!(data, context)
}

/** The row of a body. It is complete if the body becomes the row directly. */
export function rowOfBody (create: CreateData, data: Data, pointer: string): RecordData {
  const { write: { model, scope }, rules, completeRules, direct } = create
  const read = { by: rules, pointer }
  if (!direct) return readData(data, model, read)
  if (scope === undefined || scope.values.size === 0) {
    return withSharedColumns(readData(data, model, { ...read, complete: rules }), pointer)
  }
  return scopedRow(create.write, readData(data, model, { ...read, partial: completeRules }), pointer)
}

/** A row with the values of its scope. A class that a hook names is not compared: the resource has its own. */
export function scopedRow (
  { scope, model }: Pick<Write, 'scope' | 'model'>,
  given: RecordData,
  pointer: string
): RecordData {
  const row = scope === undefined ? given : withScopeValues(given, scope, model)
  if (scope !== undefined) refuseOutside(withoutDiscriminator(row, model), scope, pointer)
  return withSharedColumns(row, pointer)
}

/** The row of a body after the server's values, the hook and the scope have added theirs. */
export function * completeRow (
  { write, completeRules, values, hook }: CreateData,
  body: Data,
  pointer: string
): Steps<RecordData> {
  const before = { ...body, ...values }
  // the hook may change the object that it gets
  const after = hook === undefined ? before : yield * dataOfHook('beforeCreate', () => hook({ ...before }))
  return scopedRow(write, rowOfHook(before, after, write.model, completeRules, pointer), pointer)
}
