/**
 * The indexes that a whitelist makes use of: what its filters compare, its sorts order by, and its includes join on.
 */
import type { Operator } from '../config/index.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import {
  includePath,
  type Comparable,
  type CustomTarget,
  type FilterEntry,
  type FilterTarget,
  type Whitelist,
} from '../plan/index.ts'
import { name, operand } from '../sql/index.ts'

/** How an index finds rows: by order, by the trigrams of a text, or by the items of an array. */
export type IndexKind = 'order' | 'trigrams' | 'items'

/** An index that requests would use. */
export interface WantedIndex {
  /** Quoted, and qualified by its schema where it has one. */
  readonly table: string
  readonly kind: IndexKind
  /** Its first key: a quoted column, or an expression in parentheses. */
  readonly key: string
  /** What for, as a client writes it: `filter[name]`. */
  readonly use: string
}

const ORDER: ReadonlySet<Operator> = new Set(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'between'])
const PATTERNS: ReadonlySet<Operator> = new Set(['like', 'ilike', 'contains', 'starts', 'ends'])

/** All indexes that a whitelist wants, some of them for several uses. */
export function wantedIndexes (whitelist: Whitelist): readonly WantedIndex[] {
  return [
    ...[...whitelist.filters.values()].flatMap((entry) => ofFilter(entry, `filter[${entry.name}]`, whitelist.model)),
    ...[...whitelist.sorts.values()].flatMap((entry) =>
      ofOrder(entry.targets[0], `sort=${entry.name}`, whitelist.model)
    ),
    ...ofOrder(whitelist.defaultOrder[0]?.target, 'the default sort', whitelist.model),
    ...[...whitelist.includes.values()].flatMap((entry) => ofRelations(includePath(entry), `include=${entry.name}`)),
  ]
}

function ofFilter (entry: FilterEntry, use: string, model: EntityModel): WantedIndex[] {
  switch (entry.kind) {
    case 'operators': {
      const kinds = new Set(entry.operators.map((operator) => kindFor(operator, entry.operand)))
      return [...kinds].flatMap((kind) => kind === undefined ? [] : ofTarget(entry, kind, use, model))
    }
    case 'search':
      return entry.targets.flatMap((target) => ofTarget(target, 'trigrams', use, model))
    case 'anyOf':
      return entry.filters.flatMap((filter) => ofFilter(filter, use, model))
    default:
      return []
  }
}

/** `undefined` for operators that keep most rows, and for booleans, half of whose rows are either. */
function kindFor (operator: Operator, operand: Comparable): IndexKind | undefined {
  const array = operand.kind === 'scalar' && operand.type.kind === 'array'
  if (operator === 'overlap' || (operator === 'contains' && array)) return 'items'
  if (PATTERNS.has(operator)) return 'trigrams'
  return ORDER.has(operator) && !(operand.kind !== 'relation' && operand.type.kind === 'boolean') ? 'order' : undefined
}

function ofTarget (
  { relations, operand }: FilterTarget,
  kind: IndexKind,
  use: string,
  model: EntityModel
): WantedIndex[] {
  const key = keyOf(operand)
  const owner = relations.at(-1)?.target ?? model
  return [...ofRelations(relations, use, model), ...(key === undefined ? [] : [{ table: owner.table, kind, key, use }])]
}

/** What is behind a relation is joined after the rows have been found: no index has its order. */
function ofOrder (
  target: { readonly relations: readonly RelationProperty[], readonly operand: Comparable } | CustomTarget | undefined,
  use: string,
  model: EntityModel
): WantedIndex[] {
  const key = target === undefined || 'callback' in target || target.relations.length > 0
    ? undefined
    : keyOf(target.operand)
  return key === undefined ? [] : [{ table: model.table, kind: 'order', key, use }]
}

function keyOf (target: Comparable): string | undefined {
  if (target.kind === 'scalar' && target.formula !== undefined) return undefined
  // without an alias: `"settings"->>'theme'`
  return operand(target, '').pieces.join('').replaceAll('"".', '')
}

/** From the rows of one side to those of the other. */
function ofRelations (relations: readonly RelationProperty[], use: string, model?: EntityModel): WantedIndex[] {
  const owners = [model, ...relations.map(({ target }) => target)]
  return relations.flatMap((relation, index) => {
    const found = joinIndex(relation, model && owners[index])
    return found === undefined ? [] : [{ ...found, kind: 'order', use }]
  })
}

/**
 * The index that leads over a relation: a filter (`from` is where it comes from) looks for the rows that refer to those
 * found, an include for the rows that its parents are referred to by.
 */
function joinIndex (
  { join, target }: RelationProperty,
  from: EntityModel | undefined
): { readonly table: string, readonly key: string } | undefined {
  switch (join.kind) {
    // what an include refers to is found by its key
    case 'owner':
      return from && { table: from.table, key: quoted(join.columns[0]!) }
    case 'inverse':
      return { table: target.table, key: quoted(join.targetColumns[0]!) }
    case 'pivot':
      return { table: join.table, key: quoted((from === undefined ? join.pivotColumns : join.pivotTargetColumns)[0]!) }
  }
}

const quoted = (column: string): string => name(column).pieces.join('')

/** The statement that makes an index. */
export function createIndex ({ table, kind, key }: WantedIndex): string {
  switch (kind) {
    case 'order':
      return `create index on ${table} (${key})`
    case 'items':
      return `create index on ${table} using gin (${key})`
    case 'trigrams':
      return `create extension if not exists pg_trgm; create index on ${table} using gin (${key} gin_trgm_ops)`
  }
}
