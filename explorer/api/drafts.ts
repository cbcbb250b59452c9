/** The texts of a form, and the JSON of a body that they stand for. */
import type {
  Children,
  FieldDescription,
  JsonSchema,
  Reference,
  ResourceDescription,
  ValueDescription,
} from '../../src/explorer/description.ts'
import type { Json } from './format.ts'
import { fieldNamed, isRow, relationsOf, titleOf, type Row } from './records.ts'

/** The input of a property. `key` and `keys` are looked up by name. `children` are written with their parent. */
type InputKind = 'line' | 'text' | 'choice' | 'date' | 'json' | 'key' | 'keys' | 'children'

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
  /** The name of the key of related records. If they are included, the form takes it from each of them. */
  readonly keyName: string
  readonly description: string | undefined
  /** How its children may be written. Present if its kind is `children`. */
  readonly children?: ChildRules
}

/** How a form may write the children of a record: which inputs they have, and whether they can be removed. */
export interface ChildRules {
  /** The name of one of them: `Order line`. */
  readonly title: string
  /** Whether the record is new, and so are all of its children. */
  readonly isNew: boolean
  /** The names of the parts of a key, by which a body names a child. */
  readonly key: readonly string[]
  /** The inputs of a new child. Absent if none may be added. */
  readonly added?: readonly Property[]
  /** The inputs of a present child. Absent if none may be changed. */
  readonly changed?: readonly Property[]
  readonly canRemove: boolean
  readonly fields: readonly FieldDescription[]
}

/**
 * The value of a property in a form. It is a text, `null` if the value is null, or `undefined` if the form has none. A
 * relation to several records has the list of their keys. Children have the changes that the form makes to them.
 */
export type Draft = string | null | undefined | readonly string[] | ChildrenDraft
export type Drafts = Readonly<Record<string, Draft>>

/** The changes to the children of a record. */
export interface ChildrenDraft {
  readonly added: ReadonlyArray<{ readonly id: string, readonly drafts: Drafts }>
  /** The changed properties of present children, by the children's keys as JSON. */
  readonly changed: Readonly<Record<string, Drafts>>
  /** The keys of children to remove, as JSON. */
  readonly removed: readonly string[]
}

export const isChildren = (draft: Draft): draft is ChildrenDraft =>
  typeof draft === 'object' && draft !== null && !Array.isArray(draft)

/** The part of a description that explains the properties of a body. */
type Described = Pick<ResourceDescription, 'fields' | 'includes' | 'children'>

/** The properties that a body may have, in the order of its schema. */
export function propertiesOf (resource: Described, schema: JsonSchema): Property[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const field = fieldNamed(resource, name)
    const relation = relationsOf(resource.includes).find((relation) => relation.name === name)
    const key = relation?.fields.find(({ key }) => key)
    const owned = resource.children.find((children) => children.name === name)
    const children = owned && childRules(owned, relation?.includes ?? [], property)
    const reference = field?.reference ?? relation?.reference ?? null
    return {
      name,
      title: titleOf(name),
      kind: children ? 'children' : kindOf(field, property, reference, relation?.many === true),
      value: field ? atLeast(field.value, property) : key?.value ?? null,
      nullable: field?.nullable ?? allowsNull(property),
      required: schema.required?.includes(name) ?? false,
      reference,
      keyName: key?.name ?? 'id',
      description: property.description,
      ...children && { children },
    }
  })
}

/** The type of a value, with the minimum that a body must have. */
function atLeast (value: ValueDescription, { minimum, anyOf }: JsonSchema): ValueDescription {
  const own = minimum ?? anyOf?.find(({ minimum }) => minimum !== undefined)?.minimum
  return own === undefined ? value : { ...value, minimum: own }
}

/** Reads from the schema of a body how children may be written: as a list of new ones, or as lists of changes. */
function childRules (
  { entity, fields, key }: Children,
  includes: Described['includes'],
  schema: JsonSchema
): ChildRules {
  const isNew = schema.type === 'array'
  const { add, update, remove } = isNew ? { add: schema } : schema.properties ?? {}
  const inputs = (list: JsonSchema): Property[] => propertiesOf({ fields, includes, children: [] }, list.items ?? {})
  return {
    title: titleOf(entity),
    isNew,
    key,
    ...add && { added: inputs(add) },
    ...update && { changed: inputs(update).filter(({ name }) => !key.includes(name)) },
    canRemove: remove !== undefined,
    fields,
  }
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

/**
 * The draft of a value of a record. Included records stand for their keys. Children of a record that exists have no
 * draft until something is done with them.
 */
export function draftOf ({ kind, keyName, children }: Property, value: Json | undefined): Draft {
  if (kind === 'children') return children!.isNew ? draftOfNew(children!, value) : undefined
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

function draftOfNew ({ added = [] }: ChildRules, value: Json | undefined): Draft {
  if (!Array.isArray(value)) return undefined
  const drafts = value.map((item) => draftsOfBody(added, item))
  // the form cannot hold all of them
  if (drafts.includes(undefined)) return undefined
  return { added: drafts.map((each, index) => ({ id: newId(index + 1), drafts: each! })), changed: {}, removed: [] }
}

/** The id of a new child in a form. The ids of present ones are JSON objects. */
export const newId = (number: number): string => `new ${number}`

/**
 * The JSON that a draft stands for. A text that is not a value of the type is sent unchanged, so that the API says in
 * its words what is wrong.
 */
export function jsonOf ({ kind, value, children }: Property, draft: Exclude<Draft, undefined>): Json | undefined {
  if (draft === null) return null
  // of changes that were made as another caller, this one may be allowed none
  if (isChildren(draft)) return childrenJson(children!, draft)
  if (typeof draft !== 'string') return draft.map((key) => scalarOf(key, value))
  if (kind !== 'json') return scalarOf(draft, value)
  try {
    return JSON.parse(draft) as Json
  } catch {
    return draft
  }
}

/** A list of new children, or lists of changes, in the order in which `childOrder` names them. */
function childrenJson (rules: ChildRules, draft: ChildrenDraft): Json | undefined {
  const { isNew, key, added = [], changed = [] } = rules
  const drafts = new Map(draft.added.map(({ id, drafts }) => [id, drafts]))
  const order = childOrder(rules, draft)
  const add = order.add.map((id) => changesOf(added, {}, drafts.get(id)!))
  if (isNew) return add
  const lists = {
    add,
    update: order.update.map((id) => ({ ...keyOfId(id), ...changesOf(changed, {}, draft.changed[id]!) })),
    remove: order.remove.map((id) => key.length === 1 ? keyOfId(id)[key[0]!]! : keyOfId(id)),
  }
  const given = Object.entries(lists).filter(([, list]) => list.length > 0)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/** The children in the lists of a body, in order. A child that is removed is not changed as well. */
export function childOrder (
  rules: ChildRules,
  { added, changed, removed }: ChildrenDraft
): Record<'add' | 'update' | 'remove', readonly string[]> {
  const gone = rules.canRemove ? removed : []
  return {
    add: rules.added ? added.map(({ id }) => id) : [],
    update: rules.changed ? Object.keys(changed).filter((id) => !gone.includes(id)) : [],
    remove: gone,
  }
}

/** The id of a present child in a form: its key as JSON. */
export const idOfChild = ({ key }: ChildRules, record: Row): string =>
  JSON.stringify(Object.fromEntries(key.map((name) => [name, record[name] ?? null])))

const keyOfId = (id: string): Row => JSON.parse(id) as Row

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
  return Object.fromEntries(changed.flatMap((property) => {
    const json = jsonOf(property, after[property.name]!)
    return json === undefined ? [] : [[property.name, json]]
  }))
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
