/** Allowed filters meet the model. */
import type {
  AllowedFilters,
  AnyOfFilter,
  CustomFilter,
  CustomFilterCallback,
  Filter,
  Operator,
  PartialFilter,
  ScopeFilter,
  SearchFilter,
  TrashedFilter,
} from '../../config/index.ts'
import { ConfigError } from '../../errors.ts'
import {
  isComparable,
  isOrdered,
  isTextual,
  publicPath,
  resolvePath,
  type Converted,
  type EntityModel,
  type RelationProperty,
  type ValueType,
} from '../../model/index.ts'
import { didYouMean, nearest } from '../../suggest.ts'
import type { Comparable } from '../types.ts'
import { comparableOf, describe, valuesOf } from './operand.ts'

interface EntryBase {
  /** In the URL. */
  readonly name: string
  /** Values that mean nothing. */
  readonly ignored?: ReadonlySet<string>
}

/** A property to compare, behind relations or not. */
export interface FilterTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand: Comparable
}

/** A filter by operators. */
export interface OperatorFilter extends EntryBase, FilterTarget {
  readonly kind: 'operators'
  readonly type: ValueType
  /** Of a value, and for an array, of an item. */
  readonly convert: (text: string) => Converted
  readonly defaultOperator: Operator
  readonly operators: readonly Operator[]
  /** A value without a wildcard stands anywhere in the text. */
  readonly partial: boolean
}

/** A filter by callback. */
export interface CustomFilterEntry extends EntryBase {
  readonly kind: 'custom'
  readonly callback: CustomFilterCallback
}

/** A text in any of several properties. */
export interface SearchEntry extends EntryBase {
  readonly kind: 'search'
  readonly targets: readonly FilterTarget[]
}

/** Whether rows that are marked as deleted are seen. */
export interface TrashedEntry extends EntryBase {
  readonly kind: 'trashed'
}

/** One of MikroORM's filters. */
export interface ScopeEntry extends EntryBase {
  readonly kind: 'scope'
  readonly filter: string
  readonly params: ReadonlyArray<
    { readonly name: string, readonly type: ValueType, readonly convert: (text: string) => Converted }
  >
}

/** What any of several filters keeps. */
export interface AnyOfEntry extends EntryBase {
  readonly kind: 'anyOf'
  readonly filters: readonly OperatorFilter[]
}

export type FilterEntry = OperatorFilter | CustomFilterEntry | SearchEntry | TrashedEntry | ScopeEntry | AnyOfEntry

/** The relations that a filter leads through, path by path. */
export function relationsOf (entry: FilterEntry): readonly RelationProperty[] {
  switch (entry.kind) {
    case 'operators':
      return entry.relations
    case 'search':
      return entry.targets.flatMap(({ relations }) => relations)
    case 'anyOf':
      return entry.filters.flatMap(({ relations }) => relations)
    default:
      return []
  }
}

export function filterEntry (filter: Filter, model: EntityModel): FilterEntry {
  const entry = resolve(filter, model)
  return filter.ignoredValues.length === 0 ? entry : { ...entry, ignored: new Set(filter.ignoredValues) }
}

function resolve (filter: Filter, model: EntityModel): FilterEntry {
  switch (filter.kind) {
    case 'custom':
      return customEntry(filter, model)
    case 'search':
      return searchEntry(filter, model)
    case 'trashed':
      return trashedEntry(filter, model)
    case 'scope':
      return scopeEntry(filter, model)
    case 'anyOf':
      return anyOfEntry(filter, model)
    default:
      return operatorEntry(filter, model)
  }
}

function operatorEntry (filter: AllowedFilters<string> | PartialFilter<string>, model: EntityModel): OperatorFilter {
  const what = `AllowedFilters '${filter.field}'`
  const path = resolvePath(model, filter.field, what)
  if (
    filter.kind === 'operators' && filter.type !== undefined &&
    (path.json === undefined || path.json.member !== undefined)
  ) {
    throw new ConfigError(
      `${what}: the option 'type' says what is inside of a JSON column, and the type of '${filter.field}' is known; leave it out.`
    )
  }
  const operand = comparableOf(path, filter.kind === 'partial' ? 'string' : filter.type, what)
  const { type, convert } = valuesOf(operand, what)
  const custom = operand.kind === 'scalar' && operand.codec?.toDatabase !== undefined
  for (const operator of filter.operators) {
    if (!accepts(type, operator, custom)) {
      const works = type.kind === 'array' ? ' Those of an array are contains, overlap and isnull.' : ''
      throw new ConfigError(
        `${what}: the operator '${operator}' does not work on a property of type ${describe(type)}.${works}`
      )
    }
  }
  return {
    kind: 'operators',
    name: filter.alias ?? publicPath(path),
    relations: path.relations,
    operand,
    type,
    convert,
    defaultOperator: filter.defaultOperator,
    operators: filter.operators,
    partial: filter.kind === 'partial',
  }
}

/** The name of such a filter is free, but it can't be that of a hidden property: it would say that there is one. */
function freeName (filter: CustomFilter | SearchFilter | ScopeFilter | AnyOfFilter, model: EntityModel): string {
  if (model.properties.get(filter.field)?.hidden) {
    resolvePath(model, filter.field, `AllowedFilters.${filter.kind} '${filter.field}'`)
  }
  return filter.alias ?? filter.field
}

function customEntry (filter: CustomFilter, model: EntityModel): CustomFilterEntry {
  return { kind: 'custom', name: freeName(filter, model), callback: filter.callback }
}

function searchEntry (filter: SearchFilter<string>, model: EntityModel): SearchEntry {
  const what = `AllowedFilters.search '${filter.field}'`
  const targets = filter.fields.map((field): FilterTarget => {
    const path = resolvePath(model, field, what)
    const operand = comparableOf(path, 'string', what)
    const { type } = valuesOf(operand, what)
    if (!isTextual(type)) {
      throw new ConfigError(`${what}: '${field}' is of type ${describe(type)}, and only text can be searched.`)
    }
    return { relations: path.relations, operand }
  })
  return { kind: 'search', name: freeName(filter, model), targets }
}

function trashedEntry (filter: TrashedFilter, { name, deletedAt }: EntityModel): TrashedEntry {
  if (deletedAt === undefined) {
    throw new ConfigError(
      `AllowedFilters.trashed: ${name} has no 'deleted_at', so none of its rows is ever marked as deleted.`
    )
  }
  return { kind: 'trashed', name: filter.alias ?? filter.field }
}

function scopeEntry (filter: ScopeFilter<string>, model: EntityModel): ScopeEntry {
  const what = `AllowedFilters.scope '${filter.field}'`
  if (!model.filters.includes(filter.filter)) {
    const known = model.filters.length === 0 ? `${model.name} declares none.` : `Filters: ${model.filters.join(', ')}.`
    const sentence = `${what}: ${model.name} has no MikroORM filter '${filter.filter}'`
    throw new ConfigError(didYouMean(sentence, nearest(filter.filter, model.filters), known))
  }
  const params = Object.entries(filter.params).map(([name, property]) => {
    const about = `${what}: the parameter '${name}'`
    return { name, ...valuesOf(comparableOf(resolvePath(model, property, about), undefined, about), about) }
  })
  return { kind: 'scope', name: freeName(filter, model), filter: filter.filter, params }
}

function anyOfEntry (filter: AnyOfFilter<string>, model: EntityModel): AnyOfEntry {
  return {
    kind: 'anyOf',
    name: freeName(filter, model),
    filters: filter.filters.map((one) => operatorEntry(one, model)),
  }
}

function accepts (type: ValueType, operator: Operator, custom: boolean): boolean {
  switch (operator) {
    case 'isnull':
      return true
    case 'eq':
    case 'ne':
    case 'in':
    case 'nin':
      return isComparable(type) || custom
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
    case 'between':
      return isOrdered(type)
    case 'overlap':
      return isSet(type)
    case 'contains':
      return isTextual(type) || isSet(type)
    default:
      return isTextual(type)
  }
}

/** An array whose items can be compared. */
const isSet = (type: ValueType): boolean =>
  type.kind === 'array' && isComparable(type.element) && type.element.kind !== 'json'
