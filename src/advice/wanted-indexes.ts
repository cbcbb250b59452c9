/**
 * The indexes that a whitelist would use: on columns that its filters compare, its sorts order by, and its includes
 * join on.
 */
import { quotedName } from '../base/quoted-name.ts'
import type { EntityModel, RelationProperty } from '../model/index.ts'
import { operatorFormOf, type ColumnSql, type IndexKind } from '../operators/index.ts'
import {
  firstTypeOf, waysOf, type Comparable, type Compared, type RelatedNumber, type TextDocument, type Unaccent, type Way,
  type Whitelist,
} from '../plan/index.ts'
import { fill, functionName, indexedVector, isOfOneRow, operand, trusted, type Sql } from '../sql/index.ts'

/** An index that requests would use. */
export interface WantedIndex {
  /** The quoted name of the table, with its schema if it has one. */
  readonly table: string
  readonly kind: IndexKind | 'words'
  /** Its first key: a quoted column, or an expression in parentheses. */
  readonly key: string
  /** The parameter that would use it, as a client writes it: `filter[name]`. */
  readonly use: string
  /** Whether its rows are records of the resource itself, which its scope or the rows of a role may limit. */
  readonly own?: boolean
  /** Whether its key calls `IMMUTABLE_UNACCENT`, which takes the place of a function that no index can call. */
  readonly wraps?: boolean
}

/** The function of the advice that removes accents. That of the extension depends on settings. */
const IMMUTABLE_UNACCENT = 'immutable_unaccent'

/** The function of an index that removes accents. */
const indexable = (unaccent: Unaccent): string => unaccent === true ? IMMUTABLE_UNACCENT : unaccent

/** The use of an index. It also needs the option that names the function. */
const useOf = (use: string, unaccent: Unaccent | undefined): string =>
  unaccent === true ? `${use} with unaccent: '${IMMUTABLE_UNACCENT}'` : use

/** All indexes that a whitelist would use. The same index occurs once for each use. */
export function wantedIndexes (whitelist: Whitelist): readonly WantedIndex[] {
  const { model } = whitelist
  const ofWay = (way: Way): readonly WantedIndex[] => {
    const { parameter } = way
    switch (way.kind) {
      case 'filter':
        return [
          ...way.targets.flatMap((compared) => ofFilter(compared, parameter, model)),
          ...ofDocument(way.document, parameter, model),
        ]
      case 'sort':
      case 'defaultSort':
        return ofOrder(way.targets[0], parameter, model)
      case 'include':
        return ofRelations(way.targets[0].relations, parameter)
      // they read all rows that the filters find
      case 'facet':
      case 'group':
        return []
    }
  }
  const ways = waysOf(whitelist)
  // messages name filters and sorts before includes
  const includes = ways.filter(({ kind }) => kind === 'include')
  return [...ways.filter((way) => !includes.includes(way)), ...includes].flatMap(ofWay)
}

/** The indexes that the operators of a filter use on one property, and those that lead to it over relations. */
function ofFilter (
  { relations, operand, by, unaccent }: Compared,
  use: string,
  model: EntityModel
): WantedIndex[] {
  if (operand.kind === 'number') return ofRelations([operand.aggregate.relation], use)
  const { table } = relations.at(-1)?.target ?? model
  const wanted = new Map<string, WantedIndex[]>()
  for (const operator of by) {
    const { index, unaccented } = operatorFormOf(operator, firstTypeOf(operand))
    const without = unaccented === undefined ? undefined : unaccent
    if (index === 'none') continue
    const { kind, key: template } = typeof index === 'string' ? { kind: index, key: undefined } : index
    // an index is seldom useful for a boolean: each value selects about half of the rows
    if (kind === 'order' && operand.kind !== 'relation' && operand.type.kind === 'boolean') continue
    const key = keyOf(operand, template, without)
    const own = relations.length === 0
    const wraps = without === true
    const found: WantedIndex[] = key === undefined
      ? []
      : [{ table, kind, key, use: useOf(use, without), own, wraps }]
    wanted.set(`${kind} ${template ?? ''} ${without ?? ''}`, [...ofRelations(relations, use, model), ...found])
  }
  return [...wanted.values()].flat()
}

/** The index on the words of a record. Texts of several records have no common index. */
function ofDocument (document: TextDocument | undefined, use: string, { table }: EntityModel): WantedIndex[] {
  if (document === undefined || !isOfOneRow(document)) return []
  if (document.fields.some(({ operand: { formula } }) => formula !== undefined)) return []
  const { unaccent, stored } = document
  const without = stored === undefined ? unaccent : undefined
  const key = withoutAlias(indexedVector(document, without && indexable(without)))
  return [{ table, kind: 'words', key, use: useOf(use, without), own: true, wraps: without === true }]
}

/** No index helps to sort by a property of a related record, since that is joined after the rows have been found. */
function ofOrder (target: Way['targets'][number] | undefined, use: string, model: EntityModel): WantedIndex[] {
  if (target?.operand?.kind === 'number') return ofRelations([target.operand.aggregate.relation], use)
  const by = target?.operand
  const none = by === undefined || by.kind === 'relevance' || target!.relations.length > 0
  const key = none ? undefined : keyOf(by)
  return key === undefined ? [] : [{ table: model.table, kind: 'order', key, use, own: true }]
}

/** The key of an index on a column, or on an expression of it. A formula of the application cannot be indexed. */
function keyOf (
  target: Exclude<Comparable, RelatedNumber>,
  expression?: ColumnSql,
  unaccent?: Unaccent
): string | undefined {
  if (target.kind === 'scalar' && target.formula !== undefined) return undefined
  const column = withoutAlias(operand(target, ''))
  const key = unaccent === undefined ? column : `${pieces(functionName(indexable(unaccent)))}(${column})`
  return expression === undefined ? key : fill(expression, { column: trusted(key) }).pieces.join('')
}

/** `"settings"->>'theme'` */
const withoutAlias = (fragment: Sql): string => pieces(fragment).replaceAll('"".', '')

const pieces = ({ pieces }: Sql): string => pieces.join('')

/** The indexes for the joins of some relations. */
function ofRelations (relations: readonly RelationProperty[], use: string, model?: EntityModel): WantedIndex[] {
  const owners = [model, ...relations.map(({ target }) => target)]
  return relations.flatMap((relation, index) => {
    const found = joinIndex(relation, model && owners[index])
    return found === undefined ? [] : [{ ...found, kind: 'order', use }]
  })
}

/**
 * The index for the join of a relation. A filter, which passes the entity that the relation starts at as `from`, looks
 * for the rows that refer to the rows it found. An include looks for the rows that are related to its parents.
 */
function joinIndex (
  { join, target }: RelationProperty,
  from: EntityModel | undefined
): { readonly table: string, readonly key: string } | undefined {
  switch (join.kind) {
    // an include finds the records that its parents refer to by their primary key
    case 'owner':
      return from && { table: from.table, key: quotedName(join.columns[0]!) }
    case 'inverse':
      return { table: target.table, key: quotedName(join.targetColumns[0]!) }
    case 'pivot': {
      const [column] = from === undefined ? join.pivotColumns : join.pivotTargetColumns
      return { table: join.table, key: quotedName(column!) }
    }
  }
}

/**
 * The quoted column that an index begins with, before its key.
 *
 * @param owner the column that probably limits the rows of the table
 */
export function firstColumn ({ kind, key, own }: WantedIndex, owner: string | undefined): string | undefined {
  if (kind !== 'order' || own !== true || owner === undefined) return undefined
  const first = quotedName(owner)
  return first === key ? undefined : first
}

/**
 * The statement that creates an index.
 *
 * @param first of `firstColumn`
 * @param schema of the extension unaccent
 */
export function createIndex (index: WantedIndex, first: string | undefined, schema: string): string {
  if (index.wraps !== true) return createPlain(index, first)
  const extension = `${quotedName(schema)}.unaccent`
  return `create or replace function ${IMMUTABLE_UNACCENT}(text) returns text language sql immutable strict ` +
    `parallel safe as $$ select ${extension}('${extension}', $1) $$; ${createPlain(index, first)}`
}

function createPlain ({ table, kind, key }: WantedIndex, first?: string): string {
  switch (kind) {
    case 'order':
      return `create index on ${table} (${first === undefined ? '' : `${first}, `}${key})`
    case 'items':
    case 'words':
      return `create index on ${table} using gin (${key})`
    case 'ranges':
      return `create index on ${table} using gist (${key})`
    case 'trigrams':
      return `create extension if not exists pg_trgm; create index on ${table} using gin (${key} gin_trgm_ops)`
  }
}
