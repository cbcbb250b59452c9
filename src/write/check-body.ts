/** Checks the bodies of writes without a session, as the operations check them: for Fastify's validation phase. */
import { ErrorList } from '../base/error-list.ts'
import type { EntityModel } from '../model/index.ts'
import { withSharedColumns, type BodyRules, type Id } from '../plan/index.ts'
import { clientBody, refusedBody } from '../schema/index.ts'
import { keyColumnErrors, withoutKey } from './update-data.ts'
import type { Data } from './new-row.ts'

export interface BodyCheckOptions {
  /** Whether required properties must be given, because nothing else fills them. */
  readonly complete: boolean
  /** Whether read-only properties are ignored instead of refused. */
  readonly readonly: boolean
}

/**
 * Checks the bodies of new records.
 *
 * @param pointer the prefix of the pointers in errors, for the index of a record
 * @throws {RequestValidationError} with all errors of the first record that is not valid
 */
export function checkNewBodies (
  records: readonly unknown[],
  model: EntityModel,
  rules: BodyRules,
  { complete, readonly }: BodyCheckOptions,
  pointer: (index: number) => string
): void {
  const body = clientBody(model, rules, { complete, readonly })
  const compares = complete && !readonly && sharesColumns(model)
  for (const [index, record] of records.entries()) {
    if (!body.accepts(record)) throw refusedBody(body.errorsOf(record, pointer(index)))
    if (compares) withSharedColumns(body.rowOf(record), pointer(index))
  }
}

/**
 * Checks the body of an update.
 *
 * @param id the key of the path, which the body may repeat
 * @throws {RequestValidationError} with all its errors
 */
export function checkChanges (
  body: unknown,
  id: Id,
  model: EntityModel,
  rules: BodyRules,
  { readonly }: Pick<BodyCheckOptions, 'readonly'>
): void {
  const { data, errors: ofKey } = withoutKey(body as Data, id, model)
  const changes = clientBody(model, rules, { complete: false, readonly })
  if (!changes.accepts(data)) throw refusedBody(changes.errorsOf(data), ofKey)
  if (ofKey.length > 0) throw refusedBody(new ErrorList(), ofKey)
  if (readonly || !sharesColumns(model)) return
  const row = changes.rowOf(data)
  const ofColumns = keyColumnErrors(row, id, model)
  if (ofColumns.length > 0) throw refusedBody(new ErrorList(), ofColumns)
  withSharedColumns(row)
}

const sharing = new WeakMap<EntityModel, boolean>()

/** Whether two properties of an entity share a column, so that their values must agree. */
function sharesColumns (model: EntityModel): boolean {
  let shares = sharing.get(model)
  if (shares === undefined) {
    const properties = [...model.properties.values()]
    shares = properties.some((property) => property.kind === 'relation' && property.key.some(({ shared }) => shared))
    sharing.set(model, shares)
  }
  return shares
}
