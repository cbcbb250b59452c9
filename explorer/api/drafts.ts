/** The texts of a form, and the JSON of a body that they stand for. */
import type {
  FieldDescription,
  JsonSchema,
  Reference,
  ResourceDescription,
  ValueDescription,
} from '../../src/explorer/description.ts'
import { fieldNamed, isRow, relationsOf, titleOf, type Json, type Row } from './records.ts'

/** The input of a property. `key` and `keys` are looked up by name. */
export type InputKind = 'line' | 'text' | 'choice' | 'date' | 'json' | 'key' | 'keys'

/** A property of a body. */
export interface Property {
  readonly name: string
  readonly title: string
  readonly kind: InputKind
  /** The type of its value. For relations, the type of a key. */
  readonly value: ValueDescription | null
  readonly nullable: boolean
  readonly required: boolean
  readonly reference: Reference | null
  readonly description: string | undefined
}

/** The text of a property. `null` is null; `undefined` is not given. Relations to several records have their keys. */
export type Draft = string | null | undefined | readonly string[]
export type Drafts = Readonly<Record<string, Draft>>

/** The properties that a body may have, in the order of its schema. */
export function propertiesOf (resource: ResourceDescription, schema: JsonSchema): Property[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const field = fieldNamed(resource, name)
    const relation = relationsOf(resource.includes).find((relation) => relation.name === name && relation.many)
    const reference = field?.reference ?? relation?.reference ?? null
    return {
      name,
      title: titleOf(name),
      kind: kindOf(field, property, reference, relation !== undefined),
      value: field?.value ?? relation?.fields.find(({ key }) => key)?.value ?? null,
      nullable: field?.nullable ?? allowsNull(property),
      required: schema.required?.includes(name) ?? false,
      reference,
      description: property.description,
    }
  })
}

function allowsNull ({ type, anyOf }: JsonSchema): boolean {
  return type === 'null' || (Array.isArray(type) && type.includes('null')) || anyOf?.some(allowsNull) === true
}

function kindOf (
  field: FieldDescription | undefined,
  schema: JsonSchema,
  reference: Reference | null,
  isMany: boolean
): InputKind {
  // without a resource, there is no list in which to look for a name
  if (isMany) return reference?.resource ? 'keys' : 'json'
  if (reference?.resource) return field?.value.type === 'object' ? 'json' : 'key'
  if (field === undefined) return schema.type === 'string' ? 'line' : 'json'
  const { type, json, items, maxLength } = field.value
  if (items || type === 'boolean') return 'choice'
  if (json === 'object' || json === 'array' || json === 'any') return 'json'
  if (type === 'date') return 'date'
  return type === 'text' && (maxLength === undefined || maxLength > 255) ? 'text' : 'line'
}

/** The draft of a value of a record. Included records stand for their keys. */
export function draftOf ({ kind }: Property, value: Json | undefined, keyName = 'id'): Draft {
  if (value === undefined || value === null) return value
  const keyText = (item: Json): string => String(isRow(item) ? item[keyName] : item)
  if (kind === 'keys') return Array.isArray(value) ? value.map(keyText) : undefined
  if (kind === 'key') return keyText(value)
  return kind === 'json'
    ? JSON.stringify(value, null, 2)
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
}

/**
 * The JSON that a draft stands for. A text that is not a value of the type is sent unchanged, so that the API says in
 * its words what is wrong.
 */
export function jsonOf ({ kind, value }: Property, draft: Exclude<Draft, undefined>): Json {
  if (draft === null) return null
  if (typeof draft !== 'string') return draft.map((key) => scalarOf(key, value))
  if (kind !== 'json') return scalarOf(draft, value)
  try {
    return JSON.parse(draft) as Json
  } catch {
    return draft
  }
}

function scalarOf (text: string, value: ValueDescription | null): Json {
  if (value?.json === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  const isNumber = value?.json === 'number' && /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text)
  if (!isNumber) return text
  // items of an enum may be numbers or texts
  return value.items?.includes(text) ? text : Number(text)
}

export const isSameDraft = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The body with the properties whose drafts differ from those before, and no others. */
export function changesOf (properties: readonly Property[], before: Drafts, after: Drafts): Row {
  const changed = properties.filter(({ name }) => after[name] !== undefined && !isSameDraft(before[name], after[name]))
  return Object.fromEntries(changed.map((property) => [property.name, jsonOf(property, after[property.name]!)]))
}

/**
 * The drafts of a body, the inverse of `changesOf`. Returns `undefined` if a form cannot hold the body: several
 * records, other properties, or values of other types.
 */
export function draftsOfBody (properties: readonly Property[], body: Json): Drafts | undefined {
  if (!isRow(body)) return undefined
  const named = properties.filter(({ name }) => name in body)
  const drafts = Object.fromEntries(named.map((property) => [property.name, draftOf(property, body[property.name])]))
  const back = changesOf(properties, {}, drafts)
  const isSame = Object.entries(body).every(([name, value]) => JSON.stringify(back[name]) === JSON.stringify(value))
  return isSame ? drafts : undefined
}

/** One property about which two people disagree. */
export interface Difference {
  readonly property: Property
  /** When the form was opened, in the database now, and in the form. */
  readonly before: Draft
  readonly theirs: Draft
  readonly mine: Draft
}

/** The properties that the form changes, or that changed in the database since it was opened. */
export function differencesOf (
  properties: readonly Property[],
  before: Drafts,
  theirs: Drafts,
  mine: Drafts
): Difference[] {
  return properties.flatMap((property) => {
    const [b, t, m] = [before, theirs, mine].map((drafts) => drafts[property.name])
    return isSameDraft(b, t) && isSameDraft(b, m) ? [] : [{ property, before: b, theirs: t, mine: m }]
  })
}
