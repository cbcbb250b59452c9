/**
 * The JSON Schemas of bodies, which validate them: `src/schema/body.ts` compiles them. A rule that JSON Schema cannot
 * express is a part with a rule (`src/schema/part.ts`).
 */
import * as Type from '@sinclair/typebox'
import { OptionalKind, type TObject, type TSchema } from '@sinclair/typebox'
import {
  ignoredJson, keyFromJson, type Converted, type EmbeddedProperty, type EntityModel, type KeyPart,
  type Property, type ScalarProperty,
} from '../model/index.ts'
import { isObject } from '../base/is-object.ts'
import {
  keyParts, membersByName, namesForServer, NO_CHILDREN, scalarValue, type BodyRules, type OwnedChildren,
} from '../plan/index.ts'
import { ALLOWED_LIMIT } from '../base/suggest.ts'
import { checkOf } from './compiled-check.ts'
import { described, ruled, type ValueRule } from './part.ts'
import { exampleOf, inputSchema, isLikely, nullable } from './value-schemas.ts'

export interface BodyOptions {
  /** Whether required properties must be given. */
  readonly complete: boolean
  /** Whether read-only properties may be given, which are ignored. Default: false. */
  readonly readonly?: boolean
}

/** Schema of the body of a client. The body of an operation without rules has no properties. */
export function clientSchema (
  model: EntityModel,
  rules: BodyRules | undefined,
  { complete, readonly = false }: BodyOptions
): TObject {
  const needed = new Set(complete ? rules?.required.map(({ property }) => property) : [])
  const properties: Record<string, TSchema> = {}
  const example: Record<string, unknown> = {}
  for (const property of model.properties.values()) {
    const { publicName, hidden } = property
    if (hidden) continue
    const owned = rules?.children.get(publicName)
    if (rules?.properties.has(property)) {
      const schema = propertyInput(property, 'client')
      const required = needed.has(property)
      properties[publicName] = required ? schema : optional(schema)
      if (required || (property.kind === 'scalar' && isPlain(property))) {
        example[publicName] = exampleOfProperty(property)
      }
    } else if (owned !== undefined && (!owned.isNew || owned.create !== undefined)) {
      properties[publicName] = optional(childrenInput(owned, 'client', readonly))
    } else if (readonly) {
      const form = Type.Unknown({ readOnly: true, description: 'Ignored.' })
      properties[publicName] = optional(ruled('ignored', form, { kind: 'ignored', rule: ignoredJson }))
    }
  }
  return Type.Object(properties, {
    additionalProperties: false,
    ...(Object.keys(example).length > 0 && { examples: [example] }),
  })
}

/**
 * Schema of data of the application, which may set all properties with columns, by their own and public names.
 *
 * @param children the children that it may write with the record
 */
export function serverSchema (model: EntityModel, children: BodyRules['children']): TObject {
  const properties: Record<string, TSchema> = {}
  for (const [name, owned] of children) properties[name] = optional(childrenInput(owned, 'server', false))
  for (const [name, { property, writable }] of namesForServer(model)) {
    if (writable) properties[name] = optional(propertyInput(property, 'server'))
  }
  return Type.Object(properties, { additionalProperties: false })
}

export type Author = 'client' | 'server'

/** Schema of the children in the body of their parent: a list of new ones, or lists of changes. */
function childrenInput (owned: OwnedChildren, by: Author, readonly: boolean): TSchema {
  const { relation: { target }, create, update, isNew, key, complete } = owned
  const schemaOf = (rules: BodyRules | undefined, complete: boolean): TObject =>
    by === 'server' ? serverSchema(target, NO_CHILDREN) : clientSchema(target, rules, { complete, readonly })
  const records = (schema: TObject, names: () => readonly string[], rules: BodyRules | undefined): TSchema =>
    described(Type.Array(schema), {
      kind: 'records',
      names: { find: (name) => rules?.byName.get(name)?.property, writable: names },
    })
  const namesOf = (rules: BodyRules | undefined): readonly string[] =>
    rules === undefined ? [] : [...rules.properties].map(({ publicName }) => publicName)
  const added = records(schemaOf(create, complete), () => namesOf(create), create)
  if (isNew) return added
  const keys = Object.fromEntries(key.map((part) => [part.publicName, keyInput(part)]))
  const changes = schemaOf(update, false)
  const changed = Type.Object({ ...changes.properties, ...keys }, {
    additionalProperties: false,
    required: Object.keys(keys),
  })
  const names = (): readonly string[] => [...new Set([...Object.keys(keys), ...namesOf(update)])]
  const lists = {
    ...(create !== undefined || by === 'server') && { add: optional(added) },
    ...(update !== undefined || by === 'server') && { update: optional(records(changed, names, update)) },
    remove: optional(described(Type.Array(referenceInput(key)), { kind: 'links' })),
  }
  return described(Type.Object(lists, { additionalProperties: false }), {
    kind: 'changes',
    allowed: Object.keys(lists),
  })
}

/** The same schema as `Type.Optional`, which would clone it. */
const optional = (schema: TSchema): TSchema => ({ ...schema, [OptionalKind]: 'Optional' })

function propertyInput (property: Property, by: Author): TSchema {
  switch (property.kind) {
    case 'scalar':
      return scalarInput(property, by, property.nullable)
    case 'embedded':
      return nullable(membersInput(property.properties, by), property.nullable)
    case 'relation': {
      const parts = keyParts(property)
      return property.many
        ? described(Type.Array(referenceInput(parts)), { kind: 'links' })
        : nullable(referenceInput(parts), property.nullable)
    }
  }
}

/** @param isNullable whether null is accepted */
function scalarInput (property: ScalarProperty, by: Author, isNullable: boolean): TSchema {
  const { type, codec, embedded } = property
  const rule: ValueRule = (value) => scalarValue(property, value)
  if (embedded !== undefined) {
    const members = membersInput(embedded.properties, by)
    return nullable(
      embedded.list ? nested(Type.Array(members), 'a list', rule) : nested(members, 'an object', rule),
      isNullable
    )
  }
  // a custom type decides itself which values it accepts
  const custom = codec?.fromJson !== undefined
  const form = custom ? Type.Unknown() : inputSchema(type)
  if (!custom && type.kind !== 'json') return nullable(ruled(type.kind, form, { kind: 'value', rule }), isNullable)
  return ruled(custom ? 'custom' : 'json', form, { kind: 'value', rule: isNullable ? orNull(rule) : notNull(rule) })
}

const orNull = (rule: ValueRule): ValueRule => (value) => value === null ? NULL : rule(value)

const notNull = (rule: ValueRule): ValueRule => (value) =>
  value === null ? { ok: false, expected: 'given' } : rule(value)

const NULL: Converted = { ok: true, value: null }

/** Schema of an embedded object. An update replaces the whole object: members that are not given become null. */
function membersInput (properties: EmbeddedProperty['properties'], by: Author): TSchema {
  const members = [...membersByName[by](properties)]
  const schema = Type.Object(
    Object.fromEntries(members.map(([name, member]) => {
      if (!member.write.optional) {
        const needed = memberInput(member, by, false)
        return [name, member.hidden ? optional(needed) : needed]
      }
      return [name, optional(memberInput(member, by, true))]
    })),
    { additionalProperties: false }
  )
  const allowed = members.filter(([, { hidden }]) => !hidden).map(([, { publicName }]) => publicName)
  const inner = described(schema, { kind: 'members', allowed: allowed.slice(0, ALLOWED_LIMIT) })
  // TypeBox also takes a Date for an object
  const refusal = { ok: false, expected: 'an object' } as const
  return nested(inner, refusal.expected, (value) => isObject(value) ? NULL : refusal)
}

/**
 * Schema of an embedded object, or of a list of them.
 *
 * @param inner checks the parts
 * @param whole checks the whole, if its parts are valid
 */
function nested (inner: TSchema, expected: string, whole: ValueRule): TSchema {
  const fits = checkOf(inner)
  const rule: ValueRule = (value) => fits(value) ? whole(value) : { ok: false, expected }
  return ruled('embedded', inner, { kind: 'nested', rule, inner })
}

function memberInput (member: Property, by: Author, isNullable: boolean): TSchema {
  switch (member.kind) {
    case 'scalar':
      return scalarInput(member, by, isNullable)
    case 'embedded':
      return nullable(membersInput(member.properties, by), isNullable)
    case 'relation':
      return ruled('any', Type.Unknown(), { kind: 'value', rule: isNullable ? () => NULL : notNull(() => NULL) })
  }
}

/** Schema of the key of a related record: a value, or an object for a composite key. */
function referenceInput (parts: readonly KeyPart[]): TSchema {
  const [part, ...more] = parts
  if (part !== undefined && more.length === 0) return keyInput(part)
  const inner = Type.Object(Object.fromEntries(parts.map((part) => [part.publicName, keyInput(part)])), {
    additionalProperties: false,
  })
  const fits = checkOf(inner)
  const rule: ValueRule = (value) => fits(value) ? NULL : { ok: false, expected: 'a composite key' }
  return ruled('key', inner, { kind: 'keyParts', rule, inner, names: parts.map(({ publicName }) => publicName) })
}

function keyInput (part: KeyPart): TSchema {
  const form = part.codec?.fromJson === undefined ? inputSchema(part.type) : Type.Unknown()
  return ruled('id', form, { kind: 'reference', rule: (value) => keyFromJson(value, part) })
}

/** Whether clients are likely to set the property. */
const isPlain = ({ type, codec, embedded }: ScalarProperty): boolean =>
  codec === undefined && embedded === undefined && isLikely(type)

function exampleOfProperty (property: Property): unknown {
  if (property.kind === 'scalar') return exampleOf(property.type)
  if (property.kind === 'embedded') {
    return Object.fromEntries(
      [...property.properties.values()].filter(({ write }) => write.persisted && !write.optional).map((
        member
      ) => [member.publicName, exampleOfProperty(member)])
    )
  }
  const [part, ...more] = property.key
  return more.length === 0
    ? keyExample(part!)
    : Object.fromEntries(property.key.map((part) => [part.publicName, keyExample(part)]))
}

const keyExample = ({ type }: { readonly type: ScalarProperty['type'] }): unknown =>
  type.kind === 'integer' ? 1 : exampleOf(type)
