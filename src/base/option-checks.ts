/** Checks the options that applications pass, and builds the sentences that refuse them. */
import * as Type from '@sinclair/typebox'
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from '@sinclair/typebox'
import { Errors, ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { ConfigError } from './errors.ts'
import { segmentsOf } from './error-list.ts'
import { isBareObject } from './is-object.ts'
import { didYouMean, nearest } from './suggest.ts'

/** Describes a value in an error message. */
export function shown (value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `an instance of ${name}` : 'an object'
}

/** Lists names in an error message. */
export function quoted (names: readonly string[]): string {
  return names.map(shown).join(', ')
}

/**
 * Checks the names of options. `undefined` means that no options were given.
 *
 * @param who the beginning of the error's message
 * @throws {ConfigError} for a name that is not in `known`, with the nearest one, and for anything but a plain object,
 *   because options inside a promise, a `Map` or an array would have no effect
 */
export function checkOptions (who: string, given: unknown, known: readonly string[]): void {
  if (hasOnly(given, known)) return
  const wrong = isBareObject(given) ? Object.keys(given).find((name) => !known.includes(name)) : undefined
  throw new ConfigError(
    `${who}: ${
      wrong === undefined ? `options must be a plain object, got ${shown(given)}.` : unknownOption(wrong, known)
    }`
  )
}

/** Whether `checkOptions` accepts the options. Use it first if the beginning of the message is costly to build. */
export function hasOnly (given: unknown, known: readonly string[]): boolean {
  if (given === undefined) return true
  if (!isBareObject(given)) return false
  for (const name in given) if (!known.includes(name)) return false
  return true
}

/**
 * The sentence that refuses an unknown option.
 *
 * @param place the option that holds it, e.g. `pool`
 */
export function unknownOption (name: string, known: readonly string[], place?: string): string {
  const sentence = `there is no option '${name}'${place === undefined ? '' : ` in '${place}'`}`
  const allowed = known.length === 0 ? 'It has no options.' : `It has: ${known.join(', ')}.`
  return didYouMean(sentence, nearest(name, known), allowed)
}

/**
 * The sentence that refuses a value: `expected one of 'asc', 'desc', got 'dsc'. Did you mean 'desc'?`
 *
 * @param objects the forms of objects that are allowed as well, e.g. `{ upTo }`
 */
export function notOneOf (value: unknown, members: readonly string[], objects: readonly string[] = []): string {
  const near = typeof value === 'string' ? nearest(value.toLowerCase(), members) ?? nearest(value, members) : undefined
  return didYouMean(`expected one of ${[quoted(members), ...objects].join(', ')}, got ${shown(value)}`, near)
}

/** Makes a schema of options refuse names that it does not have. */
export const closed = { additionalProperties: false }

/** An option that has a default, which `completed` fills in. */
export type WithDefault<Schema extends TSchema> = TOptional<Schema> & { readonly default: Static<Schema> }

/**
 * Declares an option with a default. The option's docstring names it: `Default: 1 000.` A test compares them.
 */
export function withDefault<Schema extends TSchema> (schema: Schema, value: Static<Schema>): WithDefault<Schema> {
  return Type.Optional({ ...schema, default: value }) as WithDefault<Schema>
}

/** Declares an option that is one of these texts. */
export function oneOf<const Name extends string> (names: readonly Name[]): TUnsafe<Name> {
  return Type.Unsafe<Name>(Type.Union(names.map((name) => Type.Literal(name))))
}

type Defaults<Properties extends TProperties> = {
  readonly [Name in keyof Properties as Properties[Name] extends WithDefault<TSchema> ? Name : never]-?: Static<
    Properties[Name]
  >
}

/** The options, with the defaults of their schema in place of those that are missing. */
export function completed<Properties extends TProperties> (
  { properties }: TObject<Properties>,
  given: Readonly<Static<TObject<Properties>>> | undefined
): Readonly<Static<TObject<Properties>>> & Defaults<Properties> {
  const result: Record<string, unknown> = { ...given }
  for (const [name, schema] of Object.entries(properties)) if ('default' in schema) result[name] ??= schema['default']
  return result as Static<TObject<Properties>> & Defaults<Properties>
}

/** The defaults of options. */
export function defaultsOf<Properties extends TProperties> (schema: TObject<Properties>): Defaults<Properties> {
  return completed(schema, {} as Static<TObject<Properties>>)
}

const kRefusal = Symbol('refusal')
const kSecret = Symbol('secret')

/** Returns the sentence about a wrong value at a place such as `pool.max`, or `undefined` for the default sentence. */
type Refusal = (value: unknown, place: string) => string | undefined

/** What the schema of an option may say beside its type. */
interface OptionSchema extends TSchema {
  readonly [kRefusal]?: Refusal
  readonly [kSecret]?: (value: unknown) => boolean
}

/** Gives an option its own sentence about wrong values. */
export function refusedAs<Schema extends TSchema> (schema: Schema, refusal: Refusal): Schema {
  return { ...schema, [kRefusal]: refusal }
}

/** Marks an option whose values may hold a password, so that errors must not show them. */
export function secret<Schema extends TSchema> (
  schema: Schema,
  holdsSecret: (value: unknown) => boolean = () => true
): Schema {
  return { ...schema, [kSecret]: holdsSecret }
}

/**
 * Checks options against their schema.
 *
 * @param who the beginning of the error's message
 * @throws {ConfigError} for the first option that is unknown, with the nearest name, or that has a wrong value
 */
export function checkSchema<Schema extends TSchema> (
  who: string,
  schema: Schema,
  options: unknown
): asserts options is Static<Schema> {
  const error = Errors(schema, options).First()
  if (error !== undefined) throw new ConfigError(`${who}: ${mistakeOf(error, schema, [])}`)
}

function mistakeOf (
  { type, path, schema, value, message }: ValueError,
  root: TSchema,
  above: readonly string[]
): string {
  const own = segmentsOf(path)
  const keys = [...above, ...own]
  // if the schema is a union and the value an object, check it against the object of the union
  const object = typeof value === 'object' && value !== null
    ? (schema['anyOf'] as readonly TSchema[] | undefined)?.find(({ type }) => type === 'object')
    : undefined
  const inner = object && Errors(object, value).First()
  if (inner !== undefined) return mistakeOf(inner, object!, keys)
  const place = placeOf(keys)
  const { [kRefusal]: refusal, [kSecret]: holdsSecret } = schema as OptionSchema
  const special = refusal?.(value, place)
  if (special !== undefined) return special
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const parent = own.slice(0, -1).reduce((inner: TSchema | undefined, key) => inner?.properties?.[key], root)
    const known = Object.keys(parent?.properties ?? {})
    return unknownOption(keys.at(-1)!, known, keys.length > 1 ? placeOf(keys.slice(0, -1)) : undefined)
  }
  const subject = place === '' ? 'options' : place
  const members = membersOf(schema)
  if (members !== undefined) return `${subject}: ${notOneOf(value, members, objectsOf(schema))}`
  const got = holdsSecret?.(value) === true ? '' : `, got ${shown(value)}`
  return `${subject}: ${message.charAt(0).toLowerCase()}${message.slice(1)}${got}`
}

/** Writes a place as `pool.max` or `operations[0]`. */
function placeOf (keys: readonly string[]): string {
  return keys.map((key, index) => /^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`).join('')
}

/** The texts of a union of literals, and perhaps of objects. `undefined` for any other schema. */
function membersOf (schema: TSchema): readonly string[] | undefined {
  const literals = (schema['anyOf'] as readonly TSchema[] | undefined)?.filter(({ type }) => type !== 'object')
  const members = literals?.map((member): unknown => member['const'])
  return members?.every((member) => typeof member === 'string') === true && members.length > 0 ? members : undefined
}

/** The forms of the objects of a union: `{ upTo }`. */
function objectsOf (schema: TSchema): readonly string[] {
  const objects = (schema['anyOf'] as readonly TSchema[]).filter(({ type }) => type === 'object')
  return objects.map(({ properties }) => `{ ${Object.keys(properties as object).join(', ')} }`)
}
