/** Records and their parts, with the help of the description. */
import type {
  ExplorerDescription, FieldDescription, IncludeDescription, Lookup, RelationDescription, ResourceDescription,
} from '../../src/explorer/description.ts'
import type { AnyInfo } from '../../src/base/page-styles.ts'
import { NUMBERS } from '../url/numbers.ts'
import { cut, type Json } from './format.ts'

/** A record of an answer. */
export interface Row {
  readonly [name: string]: Json
}

/** A value of a facet, and the number of records that have it. */
export interface FacetValue {
  readonly value: Json
  readonly count: number
}

/** An answer of a list, in any style of pages. */
export type PageAnswer = AnyInfo & {
  readonly items: readonly Row[],
  readonly facets?: Readonly<Record<string, readonly FacetValue[]>>,
}

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The resource with a path. */
export function resourceAt (
  description: ExplorerDescription,
  path: string | null | undefined
): ResourceDescription | undefined {
  return description.resources.find((resource) => resource.path === path)
}

/** The resource whose numbers a path shows, also if the caller may not ask for them. */
export function resourceOfNumbers (description: ExplorerDescription, path: string): ResourceDescription | undefined {
  return path.endsWith(NUMBERS) ? resourceAt(description, path.slice(0, -NUMBERS.length)) : undefined
}

/**
 * The key of a record as the end of its path: `17`, or `a/b` for a composite key. Returns `undefined` if the record
 * does not have all parts of its key.
 */
export function keyOf (resource: Pick<ResourceDescription, 'key'>, row: Row): string | undefined {
  const parts = resource.key.map(({ field, member }) => {
    const value = row[field]
    const part = member !== null && isRow(value) ? value[member] : value
    // an included relation is its record; the key of that has one part
    return typeof part === 'string' || typeof part === 'number' ? encodeURIComponent(part) : undefined
  })
  return parts.includes(undefined) ? undefined : parts.join('/')
}

/**
 * Whether a key can be the end of a path. An empty part would be another path, and browsers remove parts of one or two
 * points, also if they are encoded (URL standard, section 4.4). A part that cannot be decoded is no key.
 */
export const hasPath = (key: string): boolean => key.split('/').every((part) => !/^\.{0,2}$/.test(decoded(part)))

function decoded (part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** The resource and the key of a record, of which a person has typed the path. */
export function recordAt (
  { resources }: ExplorerDescription,
  path: string
): { readonly resource: ResourceDescription, readonly key: string } | undefined {
  for (const resource of resources) {
    const key = path.slice(resource.path.length + 1)
    const isKey = hasPath(key) && key.split('/').length === resource.key.length
    if (isKey && path === pathOfRecord(resource, key) && resource.operations.get) return { resource, key }
  }
  return undefined
}

/** The path of a record from the root of the API. */
export const pathOfRecord = (resource: ResourceDescription, key: string): string => `${resource.path}/${key}`

/** The key of a record as the client takes it: a value, or a list of values for a composite key. */
export function clientKeyOf ({ key, fields }: ResourceDescription, path: string): Json {
  const values = path.split('/').map((part, index): Json => {
    const text = decodeURIComponent(part)
    const isNumber = fields.find(({ name }) => name === key[index]?.field)?.value.json === 'number'
    return isNumber && String(Number(text)) === text ? Number(text) : text
  })
  return values.length === 1 ? values[0]! : values
}

/** The key of the value by which a person recognizes a record. */
export function labelKeyOf (lookup: Lookup | null | undefined, row: Row): string | undefined {
  const key = [lookup?.label ?? 'name', 'name', 'title', 'label', 'id'].find((key) => row[key] != null)
  return key !== undefined && ['string', 'number'].includes(typeof row[key]) ? key : undefined
}

/** A short text by which a person recognizes a record. */
export function labelOf (lookup: Lookup | null | undefined, row: Row): string | undefined {
  const key = labelKeyOf(lookup, row)
  return key === undefined ? undefined : cut(String(row[key]), LABEL)
}

/** The longest label, in characters. */
const LABEL = 120

/** The words of a name: `created_at` is `Created at`. */
export function titleOf (name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ').trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1).toLowerCase()
}

/** `products.name` is `Products › name`. */
export function pathTitle (path: string): string {
  const [first = '', ...rest] = path.split('.')
  return [titleOf(first), ...rest.map((part) => titleOf(part).toLowerCase())].join(' › ')
}

/** The relations of a list of includes. */
export function relationsOf (includes: readonly IncludeDescription[]): RelationDescription[] {
  return includes.filter((include) => include.kind === 'relation')
}

/** The include with a path, at any depth. */
export function includeAt (
  includes: readonly IncludeDescription[],
  path: string
): IncludeDescription | undefined {
  for (const include of includes) {
    if (include.path === path) return include
    const found = include.kind === 'relation' ? includeAt(include.includes, path) : undefined
    if (found) return found
  }
  return undefined
}

/** The field with a key in records. */
export function fieldNamed (
  { fields }: { readonly fields: readonly FieldDescription[] },
  name: string
): FieldDescription | undefined {
  return fields.find((field) => field.name === name)
}

/**
 * The fields in the order in which people read them: the key, the name of the record, its values, and at the end the
 * fields that the server maintains, which are long and seldom matter.
 */
export function inReadingOrder (
  fields: readonly FieldDescription[],
  resource: ResourceDescription
): FieldDescription[] {
  const rank = (field: FieldDescription): number => {
    if (field.key) return 0
    if (field.name === resource.lookup?.label) return 1
    return isMaintained(field, resource) ? 3 : 2
  }
  return [...fields].sort((a, b) => rank(a) - rank(b))
}

/** Whether the server maintains a field: a moment of a change, a version, a second key. */
export function isMaintained (
  { name, key, value, reference }: FieldDescription,
  { version, softDelete }: Pick<ResourceDescription, 'version' | 'softDelete'>
): boolean {
  return name === version || name === softDelete?.field || /^(?:created|updated|deleted)_?at$/i.test(name) ||
    (value.type === 'uuid' && !key && reference === null)
}

/** Whether a column has numbers, which are aligned at their end. */
export function isNumeric ({ value: { type } }: Pick<FieldDescription, 'value'>): boolean {
  return type === 'integer' || type === 'bigint' || type === 'decimal' || type === 'float'
}
