/** Decides whether a record of an upsert can be inserted, can change the row that has its key, or both. */
import type { EntityModel, Property } from '../model/index.ts'
import { sharesColumns, type BodyRules, type RecordData, type UpsertKey, type Writable } from '../plan/index.ts'

/** The rules by which the bodies of an upsert are checked. */
export interface UpsertRules {
  readonly model: EntityModel
  readonly writable: Writable
  readonly key: UpsertKey
}

/** Whether a record may be a new one, and whether it may change the one with its key. */
export interface Possibility {
  readonly isNew: boolean
  readonly isChange: boolean
}

/**
 * Returns a function that says what a record may be. That depends only on the names of its properties. Records of a
 * list usually name the same properties, so the answer for the latest names is kept.
 *
 * @param rules those of new records, without what the scope adds
 */
export function possibilitiesOf (upsert: UpsertRules, rules: BodyRules): (row: RecordData) => Possibility {
  // the names follow from the columns, unless properties share columns
  const shares = sharesColumns(upsert.model)
  const namesFollow = (links: RecordData['links']): boolean => !shares && links.length === 0
  let latest: Possibility & Pick<RecordData, 'columns'> & { readonly names: readonly string[] } | undefined
  return ({ columns, links, properties }) => {
    if (latest?.columns === columns && namesFollow(links)) return latest
    const names = Object.keys(properties)
    const isSame = latest !== undefined && areSame(names, latest.names)
    const { isNew, isChange } = isSame
      ? latest!
      : { isNew: canBeNew(names, rules, upsert.model), isChange: canBeChange(names, upsert) }
    latest = { columns: namesFollow(links) ? columns : NONE, names, isNew, isChange }
    return latest
  }
}

const NONE: readonly never[] = []

function areSame (some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false
  return true
}

/** Whether data can be a new record: it has all that one needs, and nothing that a new record may not set. */
function canBeNew (
  names: readonly string[],
  { properties: allowed, required, unfilled }: BodyRules,
  { properties: known }: EntityModel
): boolean {
  const isGiven = ({ name }: Property): boolean => names.includes(name)
  return required.every(({ property }) => isGiven(property)) && unfilled.every(isGiven) &&
    names.every((name) => allowed.has(known.get(name)!))
}

/** Whether data may change a record that has its key. */
function canBeChange (names: readonly string[], { model: { properties: known }, writable, key }: UpsertRules): boolean {
  const { properties: allowed } = writable.update!
  return names.every((name) => {
    const property = known.get(name)!
    return allowed.has(property) || key.properties.includes(property as never)
  })
}
