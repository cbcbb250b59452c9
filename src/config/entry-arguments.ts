/** Reads and checks the arguments of a whitelist entry: names, and the options, which are its last argument. */
import * as Type from '@sinclair/typebox'
import type { Static, TObject, TProperties } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { checkOptions, checkSchema, completed, defaultsOf, notOneOf, quoted, shown } from '../base/option-checks.ts'

/** Options of every entry. The type keeps the literal of the alias, see `InUrl`. */
export interface EntryOptions<Alias extends string = string> {
  /** The name in the URL, instead of the property's public name. Records keep the public name. */
  readonly alias?: Alias
}

/**
 * The type of a constructor's argument that was not given, and of the names of an entry whose type arguments are left
 * out. `any` fits where an entry with any names is expected, and a client's types can tell it from a literal.
 */
export type NotGiven = any

/** An entity that a type does not name. `any` turns off the checks of names and values. */
export type UncheckedEntity = any

/**
 * The literals of an entry's constructor, from which a client's types are derived. It exists only as a type.
 */
export interface InUrl<Name, Alias, Rest = unknown> {
  readonly name: Name
  readonly alias: Alias
  readonly rest: Rest
}

/** Whether an argument is an options object. */
export function isOptions (value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads and checks the options of an entry: an alias that is valid in a URL, and those of a schema. Fills in defaults.
 *
 * @param what the beginning of the error's message
 */
export function readOptions<Properties extends TProperties = {}> (
  what: string,
  options: unknown,
  schema: TObject<Properties> = Type.Object({}) as TObject as TObject<Properties>
): ReturnType<typeof completed<Properties>> & EntryOptions {
  if (options === undefined) return defaultsOf(schema) as ReturnType<typeof completed<Properties>>
  checkOptions(what, options, ['alias', ...Object.keys(schema.properties)])
  const given = { ...options as Static<TObject<Properties>> & EntryOptions }
  if (given.alias !== undefined) checkUrlName(what, 'alias', given.alias)
  checkSchema(what, schema, given)
  return completed(schema, given)
}

/** Names that are never used as a key of an object, wherever they come from. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Refuses anything but the path of a property: `name`, `author.name`. `what` is the beginning of the error's message.
 */
export function checkPath (what: string, path: unknown): asserts path is string {
  if (typeof path !== 'string' || path === '') {
    throw new ConfigError(`${what}: a property is named by a non-empty string, got ${shown(path)}`)
  }
  if (/^[+-]/.test(path)) {
    throw new ConfigError(`${what}: '${path}' starts with '${path[0]}', which cannot be part of a property's name`)
  }
  checkParts(what, path)
}

/** Refuses names that can't be written in a query string. `role` describes the name in the message: `alias`, `name`. */
export function checkUrlName (what: string, role: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`${what}: ${role} must be a non-empty string, got ${shown(name)}`)
  }
  const problem = urlProblem(name)
  if (problem !== undefined) throw new ConfigError(`${what}: ${role} '${name}' ${problem}`)
  checkParts(what, name)
}

function urlProblem (name: string): string | undefined {
  if (/[[\]]/.test(name)) return 'holds a bracket, which separates names in a query string'
  if (name.includes(',')) return 'holds a comma, which separates names in a query string'
  if (/^[+-]/.test(name)) return `starts with '${name[0]}', which is a direction in a query string`
  if (/[\s\p{Cc}]/u.test(name)) return 'holds white space or a control character'
  return undefined
}

function checkParts (what: string, path: string): void {
  for (const part of path.split('.')) {
    if (part === '') throw new ConfigError(`${what}: '${path}' has an empty part: a dot stands between two names`)
    if (RESERVED.has(part)) throw new ConfigError(`${what}: '${part}' is a reserved name`)
  }
}

/** The first name that a list has twice. */
export const repeatedIn = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index)

/** Refuses a list that names something twice. `what` is the beginning of the error's message. */
export function refuseRepeated (what: string, names: readonly string[]): void {
  const repeated = repeatedIn(names)
  if (repeated !== undefined) throw new ConfigError(`${what}: '${repeated}' is named twice`)
}

/** Refuses anything but a list of some of the names, each once. Returns it frozen. */
export function checkNameList<Name extends string> (
  what: string,
  role: string,
  given: readonly Name[],
  known: readonly string[]
): readonly Name[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new ConfigError(`${what}: ${role} must be a list of ${quoted(known)}, got ${shownList(given)}`)
  }
  for (const [index, name] of given.entries()) {
    if (!known.includes(name)) throw new ConfigError(`${what}: ${role}[${index}]: ${notOneOf(name, known)}`)
    if (given.indexOf(name) !== index) throw new ConfigError(`${what}: ${role} names '${name}' twice`)
  }
  return Object.freeze([...given])
}

const shownList = (given: unknown): string => Array.isArray(given) ? 'an empty one' : shown(given)

/** Refuses anything but a function. `what` is the beginning of the error's message. */
export function checkFunction (what: string, callback: unknown): void {
  if (typeof callback === 'function') return
  throw new ConfigError(`${what}: the callback must be a function, got ${shown(callback)}`)
}

/** Checks that the entity has the names of an entry, by `PathCheck`. */
export type Known<Entity> = (entity: Entity) => true
