/** The children that a write adds, changes and removes, gathered by relation and list. */
import { ConfigError, invalidAt, RequestValidationError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import {
  columnsWhere, EMPTY_RECORD, idOfKey, withColumns, withColumnsOnce, withSharedColumns, type ChildKey, type ColumnData,
  type Id, type OwnedChildren, type RecordData,
} from '../../plan/index.ts'
import { canonicalKey, keyColumns, type SqlValue } from '../../model/index.ts'
import { childCall } from '../../resource/index.ts'
import { refuseOutside, withScopeValues } from '../scope-of-rows.ts'
import { isEmpty } from '../update-data.ts'
import { beginWrite, type Write } from '../write.ts'

type List = 'add' | 'update' | 'remove'

/** The lists in the order in which they are written. */
const LISTS: readonly List[] = ['remove', 'update', 'add']
const OPERATIONS = { add: 'create', update: 'update', remove: 'delete' } as const

/** A child that a body names. */
export interface ChildItem {
  /** The index of its parent among the written records. */
  readonly parent: number
  /** The JSON pointer to it in the body. */
  readonly pointer: string
  /** Its key within its parent; absent for a new child. */
  readonly key?: ChildKey
  readonly row: RecordData
}

/** The children of one relation that are written in the same way. */
export interface ChildBatch {
  readonly owned: OwnedChildren
  readonly list: List
  readonly write: Write
  readonly items: readonly ChildItem[]
}

/** The values of a parent's key, by column. */
export type ParentKey = ReadonlyMap<string, SqlValue>

/** Whether a row adds, changes or removes children. A child that is named without a new value is not changed. */
export const changesChildren = ({ children = [] }: Pick<RecordData, 'children'>): boolean =>
  children.some(({ add, update, remove }) => add.length + remove.length > 0 || update.some(({ row }) => !isEmpty(row)))

/**
 * Begins the writes of all children of some records.
 *
 * @param pointer the JSON pointer of a record in the body
 * @throws {ForbiddenError} if the role may not do with children what the body asks for
 * @throws {RequestValidationError} for a child that is named twice, and for a new one that lacks a value
 * @throws {OutOfScopeError} for a child outside of the rows of the role
 */
export function * beginChildren (
  write: Write,
  rows: readonly RecordData[],
  pointer: (index: number) => string
): Steps<readonly ChildBatch[]> {
  const items = new Map<OwnedChildren, Readonly<Record<List, ChildItem[]>>>()
  for (const [parent, { children = [] }] of rows.entries()) {
    for (const { owned, add, update, remove } of children) {
      let lists = items.get(owned)
      if (lists === undefined) items.set(owned, lists = { add: [], update: [], remove: [] })
      const place = (list: List, index: number): string => childPointer(pointer(parent), owned, list, index)
      add.forEach((row, index) => lists.add.push({ parent, pointer: place('add', index), row }))
      update.forEach(({ key, row }, index) => lists.update.push({ parent, pointer: place('update', index), key, row }))
      remove.forEach((key, index) => {
        lists.remove.push({ parent, pointer: place('remove', index), key, row: EMPTY_RECORD })
      })
    }
  }
  const batches: ChildBatch[] = []
  for (const [owned, lists] of items) {
    for (const list of LISTS) {
      if (lists[list].length > 0) batches.push(yield * beginBatch(write, owned, list, lists[list]))
    }
    checkNamedOnce(owned, [...lists.update, ...lists.remove])
  }
  return batches
}

/** The JSON pointer to a child in a body. */
export const childPointer = (record: string, { pointer, isNew }: OwnedChildren, list: List, index: number): string =>
  `${record}${pointer}${isNew ? '' : `/${list}`}/${index}`

function * beginBatch (
  write: Write,
  owned: OwnedChildren,
  list: List,
  items: readonly ChildItem[]
): Steps<ChildBatch> {
  const child = beginWrite(yield * childCall(write, owned, OPERATIONS[list], items[0]!.pointer))
  const { scope } = child
  if (list !== 'remove' && scope !== undefined) {
    for (const { row, pointer } of items) refuseOutside(row, scope, pointer)
  }
  if (list === 'add') { for (const item of items) checkComplete(item, child, owned) }
  return { owned, list, write: child, items }
}

/** Checks that a new child has all values that it needs, with those of the role's rows. */
function checkComplete (
  item: ChildItem,
  { scope, model }: Write,
  { relation, create, complete, isNew }: OwnedChildren
): void {
  const set = new Set([...scope?.values.keys() ?? []].map(({ name }) => name))
  const lacks = ({ name }: { readonly name: string }): boolean =>
    !Object.hasOwn(item.row.properties, name) && !set.has(name)
  const missing = complete ? [] : create!.required.filter(({ property }) => lacks(property))
  if (missing.length > 0) {
    const at = nameOfNew(item, relation.publicName, isNew)
    throw new RequestValidationError(missing.map(({ property: { publicName }, pointer }) =>
      invalidAt(`${item.pointer}${pointer}`, `The property '${at}.${publicName}' is required.`)
    ))
  }
  const unfilled = create!.unfilled.find(lacks)
  if (unfilled !== undefined) {
    throw new ConfigError('The server lacks a value that new records need.', {
      cause: new ConfigError(
        `${model.name}.${unfilled.name} is required, and neither a body nor a hook of the parent has set it.`
      ),
    })
  }
}

/** The name of a new child in sentences: `lines[0]`, or `lines.add[0]` in an update. */
const nameOfNew = ({ pointer }: ChildItem, relation: string, isNew: boolean): string =>
  `${relation}${isNew ? '' : '.add'}[${pointer.slice(pointer.lastIndexOf('/') + 1)}]`

/** @throws {RequestValidationError} for a child that several items name */
function checkNamedOnce ({ relation: { publicName }, key: parts }: OwnedChildren, items: readonly ChildItem[]): void {
  const named = new Set<string>()
  for (const { parent, key, pointer } of items) {
    const text = `${parent} ${canonicalKey(key!, parts)}`
    if (named.has(text)) {
      const detail = `'${publicName}' names a record twice: change it or remove it, once.`
      throw new RequestValidationError([invalidAt(pointer, detail)])
    }
    named.add(text)
  }
}

/** The columns of a child that refer to its parent. */
export function parentColumns ({ parent }: OwnedChildren, key: ParentKey): readonly ColumnData[] {
  const { columns, targetColumns } = parent.join
  return columns.map((column, index) => ({ property: parent, column, value: key.get(targetColumns[index]!)! }))
}

/**
 * A new child with the key of its parent and the values of the role's rows, each column once.
 *
 * @throws {OutOfScopeError} if the role may not write children of this parent
 * @throws {RequestValidationError} if another relation of the body contradicts the key of the parent
 */
export function withParent (
  { row, pointer }: ChildItem,
  { owned, write: { scope, model } }: Pick<ChildBatch, 'owned' | 'write'>,
  key: ParentKey
): RecordData {
  const columns = parentColumns(owned, key)
  const { name } = owned.parent
  const values = columns.map(({ value }) => value)
  const own = {
    ...row,
    ...withColumns(row, columns),
    properties: { ...row.properties, [name]: values.length === 1 ? values[0] : values },
  }
  if (scope === undefined) return withColumnsOnce(own, pointer)
  const scoped = withScopeValues(own, scope, model)
  refuseOutside(scoped, scope, pointer)
  return withColumnsOnce(scoped, pointer)
}

/**
 * The changes of a child, which stays with its parent: another relation may contain a column of the parent's key.
 *
 * @throws {RequestValidationError} if it has another value for such a column
 */
export function ofParent ({ row, pointer }: ChildItem, owned: OwnedChildren, key: ParentKey): RecordData {
  const own = parentColumns(owned, key)
  const isOwn = (column: string): boolean => own.some((data) => data.column === column)
  if (!row.columns.some(({ column }) => isOwn(column))) return row
  withSharedColumns({ ...row, ...withColumns(row, own) }, pointer)
  return { ...row, ...columnsWhere(row, ({ column }) => !isOwn(column)) }
}

/** The id of a child: its key within its parent, and its parent's. */
export function childId ({ key }: ChildItem, owned: OwnedChildren, parent: ParentKey): Id {
  const { target } = owned.relation
  const values = new Map<string, SqlValue>(parentColumns(owned, parent).map(({ column, value }) => [column, value]))
  for (const [index, { column }] of owned.key.entries()) values.set(column, key![index]!)
  const columns = keyColumns(target).map(({ column }) => values.get(column))
  // a child whose key is hidden is named by its uuid
  return columns.includes(undefined) ? String(key![0]) : idOfKey(target, columns.map(String))
}
