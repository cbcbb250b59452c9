/** Refuses, at start-up, whitelists that would join tables which a distributed server cannot join. */
import { ConfigError } from '../base/errors.ts'
import { quotedName } from '../base/quoted-name.ts'
import { keyColumnNames, type EntityModel, type RelationProperty } from '../model/index.ts'
import { waysOf, type BodyRules, type Way, type WayTarget, type Whitelist } from '../plan/index.ts'
import { distributedTable, type DistributedTable, type Distribution } from '../run/index.ts'

/** A table of a join, and the columns by which it is joined. */
interface Side {
  readonly table: string
  /** The columns of the primary key, except for pivot tables. */
  readonly key?: readonly string[]
  readonly columns: readonly string[]
}

const ofModel = (model: EntityModel, columns: readonly string[]): Side => ({
  table: model.table,
  key: keyColumnNames(model),
  columns,
})

/**
 * Refuses a resource whose whitelist or whose bodies lead to joins that its distributed server cannot run. Those of
 * tables that a condition on a common column can limit to one node are not refused.
 *
 * @param what the resource, as the subject of a sentence
 * @param update the properties that bodies of changes may set
 * @throws {ConfigError} that names the entry of the whitelist, and both tables
 */
export function checkCoLocation (
  what: string,
  distribution: Distribution,
  whitelist: Whitelist,
  update: BodyRules | undefined
): void {
  const { model } = whitelist
  for (const way of waysOf(whitelist)) {
    const subject = `${what}: ${way.parameter}`
    if (way.kind === 'include') checkInclude(subject, distribution, way, model)
    else checkOrder(subject, distribution, way.kind === 'filter' ? way.document?.fields ?? [] : way.targets, model)
  }
  for (const property of update?.properties ?? []) {
    if (property.kind !== 'relation') continue
    // a change looks first which of the present links lead to visible records
    checkPivot(`${what}: to change '${property.publicName}'`, distribution, model, property)
  }
}

function checkInclude (
  subject: string,
  distribution: Distribution,
  { targets: [{ relations }], order }: Extract<Way, { kind: 'include' }>,
  root: EntityModel
): void {
  const last = relations.at(-1)!
  checkPivot(subject, distribution, relations.at(-2)?.target ?? root, last)
  checkOrder(subject, distribution, order, last.target)
}

/** The related rows of a many-to-many relation are joined to its pivot table. */
function checkPivot (
  subject: string,
  distribution: Distribution,
  parent: EntityModel,
  { join: by, target }: RelationProperty
): void {
  if (by.kind !== 'pivot') return
  const pivot = { table: by.table, columns: by.pivotTargetColumns }
  checkJoin(subject, distribution, pivot, ofModel(target, by.targetColumns), isByOwnKey(distribution, parent))
}

/** Rows are joined to the records that their order depends on. */
function checkOrder (
  subject: string,
  distribution: Distribution,
  targets: ReadonlyArray<Pick<WayTarget, 'relations'>>,
  root: EntityModel
): void {
  for (const { relations } of targets) {
    let from = root
    for (const { join: by, target: to } of relations) {
      const near = { table: from.table, columns: by.columns }
      checkJoin(subject, distribution, near, ofModel(to, by.targetColumns), isByOwnKey(distribution, from))
      from = to
    }
  }
}

/** @param byOwnKey whether no condition can limit the near table to one node: each of its rows has another value */
function checkJoin (subject: string, distribution: Distribution, near: Side, far: Side, byOwnKey: boolean): void {
  const [one, other] = [distributedTable(distribution, near.table), distributedTable(distribution, far.table)]
  if (one === undefined || other === undefined) return
  const isCoLocated = one.group === other.group
  const meets = near.columns.some((column, n) => column === one.column && far.columns[n] === other.column)
  if (isCoLocated && meets) return
  if (isCoLocated && !(byOwnKey && isOwnKey(other, far.key))) return
  const apart = isCoLocated ? '' : ', and they are not co-located'
  const columns = near.columns.map(quotedName).join(', ')
  throw new ConfigError(
    `${subject} joins ${near.table} to ${far.table} by ${columns}. ${near.table} is distributed by ` +
      `${quotedName(one.column)}, and ${far.table} by ${quotedName(other.column)}${apart}, so the server cannot ` +
      `join them. Make ${far.table} a reference table, distribute both by a column that all keys contain, or remove ` +
      'the entry.'
  )
}

function isOwnKey ({ column }: DistributedTable, key: readonly string[] | undefined): boolean {
  return key?.length === 1 && key[0] === column
}

/** Whether the rows of an entity are distributed by its key. */
function isByOwnKey (distribution: Distribution, model: EntityModel): boolean {
  const table = distributedTable(distribution, model.table)
  return table !== undefined && isOwnKey(table, ofModel(model, []).key)
}
