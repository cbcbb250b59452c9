/**
 * Columns whose value is the same in all rows of an alias, because the statement compares them with a bound value. A
 * relation whose keys contain such a column has the same value in the related rows and in the pivot table. Writing it
 * there as well changes no result. It lets a distributed or partitioned database read one part of the tables.
 */
import type { RelationProperty } from '../model/index.ts'
import type { Condition, Slot } from '../plan/index.ts'
import { name, sql, type Sql } from './fragment.ts'
import { sqlTypeOf } from './wire-types.ts'

/** The slot of the value of each column. */
export type KnownColumns = ReadonlyMap<string, Slot>

const NONE: KnownColumns = new Map()

/** The columns that conditions compare with a bound value by `=`. All of the conditions must hold. */
export function knownIn (conditions: readonly Condition[]): KnownColumns {
  let known: Map<string, Slot> | undefined
  for (const condition of conditions) {
    const equality = equalityOf(condition)
    if (equality !== undefined) (known ??= new Map()).set(...equality)
  }
  return known ?? NONE
}

function equalityOf (condition: Condition): readonly [column: string, slot: Slot] | undefined {
  if (condition.kind === 'key') {
    const { column: { column, type }, slot } = condition
    return sqlTypeOf(type).isExact(type) ? [column, slot] : undefined
  }
  if (condition.kind !== 'compare') return undefined
  const { operand, operator, slots: [slot] } = condition
  if (operand.kind === 'json' || operand.kind === 'number' || slot === undefined) return undefined
  const part = operand.kind === 'scalar' ? operand : operand.key[0]
  if (part === undefined || part.codec !== undefined || (operand.kind === 'scalar' && operand.formula !== undefined)) {
    return undefined
  }
  return operator === 'eq' && sqlTypeOf(part.type).isExact(part.type) ? [part.column, slot] : undefined
}

/** The known columns of the rows of each alias of a statement. */
export class KnownByAlias {
  readonly #known = new Map<string, KnownColumns>()

  of (alias: string): KnownColumns {
    return this.#known.get(alias) ?? NONE
  }

  set (alias: string, known: KnownColumns): void {
    if (known.size > 0) this.#known.set(alias, known)
  }

  /** Notes that the rows of an alias are rows of another one. */
  copy (from: string, to: string): void {
    this.set(to, this.of(from))
  }
}

/** The known columns of the rows that belong to others, of which the columns at the same positions are equal. */
function corresponding (known: KnownColumns, from: readonly string[], to: readonly string[]): KnownColumns {
  if (known.size === 0) return NONE
  const found = new Map<string, Slot>()
  for (const [index, column] of from.entries()) {
    const slot = known.get(column)
    if (slot !== undefined) found.set(to[index]!, slot)
  }
  return found
}

/** The known columns of related rows, and of the rows of the pivot table that lead to them. */
export function knownBehind (
  { join: by }: RelationProperty,
  known: KnownColumns
): { readonly target: KnownColumns, readonly pivot: KnownColumns } {
  if (by.kind !== 'pivot') return { target: corresponding(known, by.columns, by.targetColumns), pivot: NONE }
  const pivot = corresponding(known, by.columns, by.pivotColumns)
  return { target: corresponding(pivot, by.pivotTargetColumns, by.targetColumns), pivot }
}

/** The comparisons of known columns with their values, except those of columns that other conditions compare. */
export function knownSql (alias: string, known: KnownColumns, except: KnownColumns = NONE): Sql[] {
  const conditions: Sql[] = []
  for (const [column, slot] of known) if (!except.has(column)) conditions.push(sql`${name(alias, column)} = ${slot}`)
  return conditions
}

/** The columns that are known by either. */
export function bothKnown (some: KnownColumns, others: KnownColumns): KnownColumns {
  if (some.size === 0) return others
  return others.size === 0 ? some : new Map([...some, ...others])
}
