/**
 * The parts of a body's schema. JSON Schema has no words for some rules of columns: the days of a month, the digits of
 * a decimal number, 64-bit integers, NUL characters in texts. A part with such a rule is a separate TypeBox type.
 * Its JSON form is a standard schema that says as much as it can, and its check is the conversion to the column itself.
 * Formats and types that an application registers with TypeBox have no influence.
 */
import { Kind, TypeRegistry, type TObject, type TSchema } from '@sinclair/typebox'
import { TypeSystem, TypeSystemDuplicateTypeKind } from '@sinclair/typebox/system'
import { WIRE_TYPES, type Converted, type Property, type TypeName } from '../model/index.ts'
import type { Elsewhere } from '../plan/index.ts'

/** Converts a value, or says what would be accepted. */
export type ValueRule = (value: unknown) => Converted

/** The names of a record's properties, for the errors of other names. */
export interface RecordNames {
  /** The property that has a name, if there is one. */
  readonly find: (name: string) => Property | undefined
  /** The names that bodies may use. */
  readonly writable: () => readonly string[]
  /** The properties that only the other kind of write may set: an update instead of a create, or a create. */
  readonly elsewhere?: Elsewhere | undefined
}

/** The part of a body that a schema describes. The errors of a body are made from it. */
export type BodyPart =
  /** A value of a column. */
  | { readonly kind: 'value', readonly rule: ValueRule }
  /** An embedded object, or a list of them that is stored as JSON. `inner` is the schema of its members. */
  | { readonly kind: 'nested', readonly rule: ValueRule, readonly inner: TSchema }
  /** The members of an embedded object. `allowed` are the names for clients. */
  | { readonly kind: 'members', readonly allowed: readonly string[] }
  /** The key of a related record. */
  | { readonly kind: 'reference', readonly rule: ValueRule }
  /** The composite key of a related record. `inner` is the schema of its parts. */
  | { readonly kind: 'keyParts', readonly rule: ValueRule, readonly inner: TObject, readonly names: readonly string[] }
  /** The keys of related records. */
  | { readonly kind: 'links' }
  /** A list of records: owned children. */
  | { readonly kind: 'records', readonly names: RecordNames }
  /** Lists of owned children to add, change and remove. */
  | { readonly kind: 'changes', readonly allowed: readonly string[] }
  /** A property that is ignored. */
  | { readonly kind: 'ignored', readonly rule: ValueRule }

// registered symbols, so that the schemas of two copies of this package do not disturb each other
const kPart = Symbol.for('fastify-crud-kit.part')

/** The names of the TypeBox types: one for each wire type, and those of other rules. */
const KINDS = [...Object.keys(WIRE_TYPES) as TypeName[], 'custom', 'embedded', 'id', 'key', 'any', 'ignored'] as const

/** A schema with a rule. */
interface Ruled {
  readonly [kPart]: { readonly rule: ValueRule }
}

// the prefix is the name of this package
for (const name of KINDS) register(`fastify-crud-kit:${name}`)

/**
 * Registers a type with both copies of TypeBox: the installed one, whose validators check the schemas of `crudSchemas`,
 * and the one in the bundle of this package (scripts/bundle.ts). Run from the sources, they are the same.
 */
function register (kind: string): void {
  const check = (schema: object, value: unknown): boolean => (schema as Ruled)[kPart].rule(value).ok
  try {
    TypeSystem.Type(kind, check)
  } catch (error) {
    // a second copy of this package registers equal checks
    if (!(error instanceof TypeSystemDuplicateTypeKind)) throw error
  }
  TypeRegistry.Set(kind, check)
}

/** The types whose rules TypeBox checks exactly. */
const EXACT: ReadonlySet<unknown> = new Set(['Integer', 'Boolean'])

/**
 * A schema whose check is a rule.
 *
 * @param form the JSON Schema, which accepts everything that the rule accepts
 */
export function ruled (
  name: typeof KINDS[number],
  form: TSchema,
  part: BodyPart & { readonly rule: ValueRule }
): TSchema {
  return described(EXACT.has(form[Kind]) ? form : { ...form, [Kind]: `fastify-crud-kit:${name}` }, part)
}

/** A schema of TypeBox's own types with the part that it stands for. */
export function described<Schema extends TSchema> (schema: Schema, part: BodyPart): Schema {
  return { ...schema, [kPart]: part }
}

/** The part that a schema stands for. */
export function bodyPartOf (schema: TSchema): BodyPart | undefined {
  return (schema as { readonly [kPart]?: BodyPart })[kPart]
}
