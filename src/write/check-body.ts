/**
 * Checks the bodies of writes without a session, as the operations check them, and decides their rows: for Fastify's
 * validation phase.
 */
import { RequestValidationError } from '../base/errors.ts'
import type { EntityModel } from '../model/index.ts'
import { sharesColumns, withSharedColumns, type BodyRules, type Id, type RecordData } from '../plan/index.ts'
import { clientBody } from '../schema/index.ts'
import { keyColumnErrors, withoutKey } from './update-data.ts'
import type { Data } from './new-row.ts'
import { givenByClass, withKeys, type UpsertData } from './upsert-data.ts'
import { possibilitiesOf, type UpsertRules } from './upsert-possibilities.ts'

interface BodyCheckOptions {
  /** Whether required properties must be given, because nothing else fills them. */
  readonly complete: boolean
  /** Whether read-only properties are ignored instead of refused. */
  readonly readonly: boolean
  /** Whether the rows of the bodies are wanted, because nothing can change the bodies any more. */
  readonly decides: boolean
}

/**
 * Checks the bodies of new records.
 *
 * @param pointer the prefix of the pointers in errors, for the index of a record
 * @returns their rows, if they are wanted
 * @throws {RequestValidationError} with all errors of the first record that is not valid
 */
export function checkNewBodies (
  records: readonly unknown[],
  model: EntityModel,
  rules: BodyRules,
  { complete, readonly, decides }: BodyCheckOptions,
  pointer: (index: number) => string
): readonly RecordData[] | undefined {
  const body = clientBody(model, rules, { complete, readonly })
  const compares = complete && !readonly && sharesColumns(model)
  const rows: RecordData[] = []
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!body.accepts(record)) throw body.refusalOf(record, pointer(index))
    if (decides || compares) rows.push(withSharedColumns(body.rowOf(record), pointer(index)))
  }
  return decides ? rows : undefined
}

/**
 * Checks the bodies of upserts. Each must be a new record or changes of one. If something else may fill in properties,
 * the operation checks what is missing, also of the key.
 *
 * @returns their values, if they are wanted and `complete`
 * @throws {RequestValidationError} with all errors of the first record that is not valid
 */
export function checkUpserts (
  records: readonly unknown[],
  rules: UpsertRules,
  { complete, readonly, decides }: BodyCheckOptions,
  pointer: (index: number) => string
): readonly UpsertData[] | undefined {
  const { model, writable, key } = rules
  const body = clientBody(model, writable.upsert!, { complete: false, readonly })
  const possible = possibilitiesOf(rules, writable.create!)
  const rows: RecordData[] = []
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!body.accepts(record)) throw body.refusalOf(record, pointer(index))
    const row = body.rowOf(record)
    if (complete) {
      const { isNew, isChange } = possible(row)
      const create = isNew || isChange ? undefined : clientBody(model, writable.create!, { complete, readonly })
      if (create?.accepts(record) === false) throw create.refusalOf(record, pointer(index))
    }
    rows.push(row)
  }
  const keyed = complete ? withKeys(rows, key, givenByClass(key, model), pointer) : undefined
  return decides ? keyed : undefined
}

/**
 * Checks the body of an update.
 *
 * @param id the key of the path, which the body may repeat. Absent for an update of many records
 * @returns its changes, if they are wanted
 * @throws {RequestValidationError} with all its errors
 */
export function checkChanges (
  body: unknown,
  id: Id | undefined,
  model: EntityModel,
  rules: BodyRules,
  { readonly, decides }: Omit<BodyCheckOptions, 'complete'>
): RecordData | undefined {
  const { data, errors: ofKey } = withoutKey(body as Data, id, model)
  const changes = clientBody(model, rules, { complete: false, readonly })
  if (!changes.accepts(data)) throw changes.refusalOf(data, '', ofKey)
  if (ofKey.length > 0) throw new RequestValidationError(ofKey)
  const compares = !readonly && sharesColumns(model)
  if (!decides && !compares) return undefined
  const row = changes.rowOf(data)
  if (!compares) return row
  // the records of a scope may share columns of their keys. Only the operation knows it, and so decides about the row
  const isLeft = id === undefined && !decides
  const ofColumns = isLeft ? [] : keyColumnErrors(row, id, model)
  if (ofColumns.length > 0) throw new RequestValidationError(ofColumns)
  const once = withSharedColumns(row)
  return isLeft ? undefined : once
}
