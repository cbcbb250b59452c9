/** Statements on the rows of a write of many records: they count, lock, change or remove them. */
import { ConflictError, TooManyError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import { MAX_AFFECTED } from '../../config/index.ts'
import { keyColumns, keyFromText, type EntityModel } from '../../model/index.ts'
import { idOfKey, planChanges, type Id, type ManyChange, type ManyTarget, type RecordData } from '../../plan/index.ts'
import { sharedEmOf, type ActiveFilters } from '../../resource/index.ts'
import type { Row } from '../../sql/index.ts'
import { checkReferences, mayBeHidden, searchOf } from '../check-references.ts'
import { withOnUpdate } from '../new-row.ts'
import { findInScope, sendWrite, writeInTransaction } from '../run-write.ts'
import { withScopeInStatement, needsScopeTransaction, needsScopeSearch } from '../scope-of-rows.ts'
import { dialectOfWrite, type Write } from '../write.ts'

/** What the statement of a write of many rows says. */
interface ManyAnswer {
  readonly found: number
  readonly affected: number
  /** The number of rows that would refer to a record that is not visible. */
  readonly hidden: number
  /** The keys of the rows, if the statement returns them. */
  readonly keys: readonly Id[]
}

/**
 * Sends a statement on the rows of a target.
 *
 * @throws {TooManyError} if too many rows match, none of which has changed
 */
export function * sendMany (
  write: Write,
  target: ManyTarget,
  change: Omit<ManyChange, 'maxAffected'>,
  filters: ActiveFilters
): Steps<ManyAnswer> {
  const { model, options: { maxAffected = MAX_AFFECTED } } = write
  const plan = planChanges(target, { ...change, maxAffected })
  const [row] = yield * sendWrite(write, plan, filters)
  const answer = manyAnswer(row!, model)
  if (answer.found > maxAffected) throw tooMany(maxAffected)
  return answer
}

function manyAnswer ({ found, affected = '0', hidden = '0', keys }: Row, model: EntityModel): ManyAnswer {
  return {
    found: Number(found),
    affected: Number(affected),
    hidden: Number(hidden),
    keys: keys === undefined ? [] : (JSON.parse(keys as string) as string[][]).map((key) => idOfTexts(model, key)),
  }
}

/** The id of a key, in which integers that records show as numbers are numbers. */
function idOfTexts (model: EntityModel, key: readonly string[]): Id {
  const columns = keyColumns(model)
  const values = key.map((text, index) => {
    const converted = keyFromText(text, columns[index]!)
    return converted.ok && typeof converted.value === 'number' ? converted.value : text
  })
  return idOfKey(model, values)
}

function tooMany (maxAffected: number): TooManyError {
  const limit = maxAffected === 1 ? '1 record' : `${maxAffected} records`
  return new TooManyError(
    `More than ${limit} match, the most that one request may write: nothing has changed. Narrow the filters.`
  )
}

/** Removes the rows of a target. */
export function removeMany (write: Write, target: ManyTarget, filters: ActiveFilters): Steps<ManyAnswer> {
  return sendMany(write, target, { does: 'delete', returnsKeys: write.forHooks !== undefined }, filters)
}

/** Sets the same values in the rows of a target, which must still be in their scope afterwards. */
export function * changeMany (
  begun: Write,
  target: ManyTarget,
  data: RecordData,
  filters: ActiveFilters
): Steps<ManyAnswer> {
  if (!dialectOfWrite(begun).checksReferencesOfMany) yield * checkReferences(searchOf(begun, filters), [data])
  const write = withScopeInStatement(begun, filters, [data])
  if (!needsScopeTransaction(write)) return yield * changeRows(write, target, data, filters)
  return yield * writeInTransaction(write, (inner) => changeRows(inner, target, data, filters))
}

function * changeRows (
  write: Write,
  target: ManyTarget,
  data: RecordData,
  filters: ActiveFilters
): Steps<ManyAnswer> {
  const { session, model } = write
  const searches = needsScopeSearch(write)
  const answer = yield * sendMany(write, target, {
    does: 'update',
    data: withOnUpdate(data, model, sharedEmOf(session)),
    returnsKeys: searches || write.forHooks !== undefined,
    mayBeHidden: (other) => dialectOfWrite(write).checksReferencesOfMany && mayBeHidden(other, filters, session),
  }, filters)
  if (answer.hidden > 0) {
    yield * checkReferences(searchOf(write, filters), [data])
    // the missing record has been created in the meantime
    throw new ConflictError()
  }
  if (searches) { for (const id of answer.keys) yield * findInScope(write, id) }
  return answer
}
