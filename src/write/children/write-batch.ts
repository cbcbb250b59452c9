/**
 * Writes the children of a batch, after their parents have been written in the same transaction. Changes and removals
 * are one statement, or one for each child if JSON cannot carry a value, the server does not take it, only another
 * statement can check the rows of a role, or MikroORM's unit of work is needed.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { escapedName } from '../../base/error-list.ts'
import { ConflictError, NotFoundError, OutOfScopeError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import {
  haveLinks, planDeleteEach, planUpdateEach, type CommonKey, type DeleteEachPlan, type RecordData, type UpdateEachPlan,
} from '../../plan/index.ts'
import { readScope, sharedEmOf, type ActiveFilters } from '../../resource/index.ts'
import { SEVERAL_RECORDS } from '../../run/index.ts'
import { absentRecord, mayBeHidden } from '../check-references.ts'
import { insertInside } from '../insert-inside.ts'
import { withOnUpdate } from '../new-row.ts'
import { deletionOf, markRow, refuseChange, removeRow, updateRow } from '../one-statement/change.ts'
import { inRecord } from '../point-error.ts'
import { filtersOfChange, findRow, sendWrite } from '../run-write.ts'
import { withScopeInStatement, withScopeCheck, needsScopeSearch } from '../scope-of-rows.ts'
import { needsUnitOfWork } from '../unit-of-work/reason.ts'
import { markThroughEntity, removeThroughEntity, updateThroughEntity } from '../unit-of-work/through-entities.ts'
import { isEmpty } from '../update-data.ts'
import { dialectOfWrite, writtenOf, type InnerWrite, type Write, type Written } from '../write.ts'
import {
  childId, ofParent, parentColumns, withParent, type ChildBatch, type ChildItem, type ParentKey,
} from './batches.ts'

/**
 * Writes children and returns them in the order of the batch. Removed ones are not returned.
 *
 * @param inner the write of the batch, with the session of the transaction
 * @param items children of the batch
 * @param keys the keys of all parents
 */
export function * writeBatch (
  inner: InnerWrite,
  batch: ChildBatch,
  items: readonly ChildItem[],
  keys: readonly ParentKey[]
): Steps<readonly Written[]> {
  const { owned, list } = batch
  if (items.length === 0) return []
  if (list === 'add') {
    const rows = items.map((item) => withParent(item, batch, keys[item.parent]!))
    return yield * insertInside(inner, rows, (index) => items[index]!.pointer)
  }
  // only updates change or remove children, and they have one parent
  const parent = keys[0]!
  // as a tuple, since MikroORM compares wrong columns for an object that has a composite key in it
  const [single, ...more] = parentColumns(owned, parent).map(({ value }) => value)
  const key = more.length === 0 ? single : [single, ...more]
  const scope = readScope({ scope: { [owned.parent.name]: key } }, inner.model)
  const write = { ...inner, conditions: { ...inner.conditions, scope } }
  return list === 'update'
    ? yield * changeChildren({ write, owned, list, parent }, items)
    : yield * removeChildren({ write, owned, list, parent }, items)
}

/** Children of one parent to change or remove. */
interface Family extends Pick<ChildBatch, 'owned' | 'list'> {
  readonly write: Write
  readonly parent: ParentKey
}

function * changeChildren (family: Family, items: readonly ChildItem[]): Steps<readonly Written[]> {
  const { owned, parent } = family
  const rows = items.map((item) => ofParent(item, owned, parent))
  const begun = withScopeCheck(family.write, rows)
  const { write, filters } = yield * filtersOfChange(begun, rows)
  const changed = items.flatMap((item, index) => isEmpty(rows[index]!) ? [] : [{ item, row: rows[index]! }])
  const written = new Map(
    yield * needsUnitOfWork(write, 'update', rows)
      ? oneByOne(
        changed,
        ({ item, row }) =>
          updateThroughEntity(write as Write<EntityManager>, childId(item, owned, parent), row, filters),
        family
      )
      : changeRows({ ...family, write }, changed, filters)
  )
  const found: Written[] = []
  for (const item of items) {
    const id = childId(item, owned, parent)
    found.push(written.get(item) ?? writtenOf(yield * asChild(family, item, findRow(write, id))))
  }
  return found
}

/** A child, and its changes. */
interface Changed {
  readonly item: ChildItem
  readonly row: RecordData
}

type WrittenChildren = ReadonlyArray<readonly [ChildItem, Written]>

function * changeRows (
  family: Family,
  changed: readonly Changed[],
  filters: ActiveFilters
): Steps<WrittenChildren> {
  const { write, owned, parent, list } = family
  const { model, session, resource } = write
  const em = sharedEmOf(session)
  const data = changed.map(({ row }) => row)
  const checked = list === 'remove' ? write : withScopeInStatement(write, filters, data)
  const rows = changed.map(({ item, row }) => ({ key: item.key!, row: withOnUpdate(row, model, em) }))
  const plan = !dialectOfWrite(write).writesEach || haveLinks(data) || (list === 'update' && needsScopeSearch(checked))
    ? undefined
    : planUpdateEach(
      rows,
      owned.key,
      commonKey(family),
      resource.selection,
      (target) => mayBeHidden(target, filters, session)
    )
  if (plan !== undefined) return yield * runEach({ ...family, write: checked }, plan, changed, filters)
  return yield * oneByOne(
    changed,
    ({ item, row }) => updateRow(write, childId(item, owned, parent), row, filters),
    family
  )
}

function * removeChildren (family: Family, items: readonly ChildItem[]): Steps<readonly Written[]> {
  const { owned, parent } = family
  const { write, filters } = yield * filtersOfChange(family.write, [])
  const now = write.model.deletedAt && new Date()
  const removed = items.map((item) => ({ item, row: item.row }))
  if (needsUnitOfWork(write, now === undefined ? 'delete' : 'update')) {
    yield * oneByOne(removed, ({ item }) => {
      const [entities, id] = [write as Write<EntityManager>, childId(item, owned, parent)]
      return now === undefined ? removeThroughEntity(entities, id) : markThroughEntity(entities, id, now)
    }, family)
  } else if (!dialectOfWrite(write).writesEach) {
    yield * oneByOne(removed, ({ item }) => {
      const id = childId(item, owned, parent)
      return now === undefined ? removeRow(write, id, filters) : markRow(write, id, now, filters)
    }, family)
  } else if (now === undefined) {
    const keys = items.map(({ key }) => key!)
    const plan = planDeleteEach(keys, owned.key, commonKey(family), write.resource.selection)
    yield * runEach({ ...family, write }, plan, removed, filters)
  } else {
    const row = deletionOf(write.model, now)
    yield * changeRows({ ...family, write }, items.map((item) => ({ item, row })), filters)
  }
  return []
}

const commonKey = ({ owned, parent }: Family): CommonKey =>
  parentColumns(owned, parent).map(({ value }, index) => [owned.parent.key[index]!, value])

/**
 * Runs the statement of several children.
 *
 * @throws {ConflictError} for the first child that it has not found, or that would refer to a hidden record
 */
function * runEach (
  family: Family,
  plan: UpdateEachPlan | DeleteEachPlan,
  changed: readonly Changed[],
  filters: ActiveFilters
): Steps<WrittenChildren> {
  const { write, owned, parent } = family
  // the plan has the key of the parent itself
  const conditions = { ...write.conditions, scope: undefined }
  const rows = yield * sendWrite({ ...write, conditions }, plan, filters)
  const written = new Map(rows.map((row) => [Number(row['at']), writtenOf(row)]))
  if (written.size < rows.length) throw new ConflictError(SEVERAL_RECORDS)
  for (const [index, { item, row }] of changed.entries()) {
    if (written.has(index)) continue
    const data = plan.kind === 'updateEach' && plan.references.length > 0 ? row : undefined
    yield * asChild(family, item, refuseChange(write, childId(item, owned, parent), data, filters, () => item.pointer))
  }
  return changed.map(({ item }, index) => [item, written.get(index)!] as const)
}

function * oneByOne (
  changed: readonly Changed[],
  work: (one: Changed) => Steps<Written>,
  family: Family
): Steps<WrittenChildren> {
  const written: (readonly [ChildItem, Written])[] = []
  for (const one of changed) written.push([one.item, yield * asChild(family, one.item, work(one))])
  return written
}

/**
 * Work with a child. One that is absent, belongs to another parent or is hidden is refused as a reference to an absent
 * record is. The refusal of one that would leave the rows of its role points to it.
 */
function * asChild<Result> (
  { owned: { relation, key }, list }: Family,
  { pointer }: ChildItem,
  work: Steps<Result>
): Steps<Result> {
  try {
    return yield * work
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error instanceof OutOfScopeError ? inRecord(pointer, error) : error
    const name = list === 'update' && key.length === 1 ? `/${escapedName(key[0]!.publicName)}` : ''
    throw absentRecord(relation.publicName, pointer, name)
  }
}
