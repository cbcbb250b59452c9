/**
 * The errors of a body that its schema refuses. They are made from the parts of the schema that fail. All errors of a
 * record are found, and the first ones are described.
 */
import type { TSchema } from '@sinclair/typebox'
import { type ErrorList, escapedName } from '../base/error-list.ts'
import type { ErrorItem, ValidationItem } from '../base/errors.ts'
import { isObject, type Property } from '../model/index.ts'
import { cited } from '../plan/index.ts'
import { ALLOWED_LIMIT, didYouMean, listed, nearest } from '../base/suggest.ts'
import { partOf, type Part } from './part.ts'

/** An error of a body: for the answer, and in the form of Fastify's `validation`. */
export interface BodyError {
  readonly item: ErrorItem
  readonly validation: ValidationItem
}

/** The names of a record's properties, for the errors of other names. */
export interface RecordNames {
  /** The property that has a name, if there is one. */
  readonly find: (name: string) => Property | undefined
  /** The names that bodies may use. */
  readonly writable: () => readonly string[]
}

const CODE = 'FST_ERR_VALIDATION'

/** A place in a body. */
interface Place {
  /** JSON pointer in errors. */
  readonly pointer: string
  /** Name in sentences: `address.street`, `items[0]`. */
  readonly name: string
  /** JSON pointer into the schema. */
  readonly schemaPath: string
}

const member = (at: Place, name: string, shown = name): Place => ({
  pointer: `${at.pointer}/${escapedName(shown)}`,
  name: at.name === '' ? name : `${at.name}.${name}`,
  schemaPath: `${at.schemaPath}/properties/${escapedName(name)}`,
})

const itemOf = (at: Place, index: number): Place => ({
  pointer: `${at.pointer}/${index}`,
  name: `${at.name}[${index}]`,
  schemaPath: `${at.schemaPath}/items`,
})

/**
 * Adds the errors of a record.
 *
 * @param pointer the prefix of all pointers, e.g. `/1` in a batch
 */
export function addErrors (
  errors: ErrorList<BodyError>,
  schema: TSchema,
  data: unknown,
  names: RecordNames,
  pointer: string
): void {
  new Examination(errors).record(schema, data, names, { pointer, name: '', schemaPath: '#' })
}

class Examination {
  readonly #errors: ErrorList<BodyError>

  constructor (errors: ErrorList<BodyError>) {
    this.#errors = errors
  }

  record (schema: TSchema, data: unknown, names: RecordNames, at: Place): void {
    if (!isObject(data)) {
      this.#refuse(at, 'A record must be an object.', { keyword: 'type', params: { type: 'object' } })
      return
    }
    const properties = schema['properties'] as Record<string, TSchema>
    for (const name of Object.getOwnPropertyNames(data)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (property === undefined) this.#refuseName(name, names, at)
      else if (data[name] !== undefined) this.#property(property, data[name], member(at, name))
    }
    for (const name of (schema['required'] ?? []) as readonly string[]) {
      if (data[name] === undefined) {
        this.#refuse(at, `The property '${name}' is required.`, missing(name), `${at.pointer}/${escapedName(name)}`)
      }
    }
  }

  /**
   * Refuses a property that may not be written. Unknown and hidden properties have the same message. The message for a
   * property that reads show says that it cannot be written.
   */
  #refuseName (name: string, { find, writable }: RecordNames, at: Place): void {
    this.#errors.add(() => {
      const allowed = writable()
      const near = nearest(name, allowed)
      const suggestion = near === name ? undefined : near
      const shown = cited(name)
      const property = find(name)
      const sentence = property === undefined || property.hidden
        ? `There is no property '${shown}' to write`
        : `The property '${shown}' cannot be written`
      const detail = withAllowed(didYouMean(sentence, suggestion), allowed)
      return {
        item: {
          source: { pointer: member(at, name, shown).pointer },
          code: CODE,
          detail,
          allowed: listed(allowed),
          ...(suggestion !== undefined && { suggestion }),
        },
        validation: validationItem(at, detail, additional(name)),
      }
    })
  }

  #property (schema: TSchema, value: unknown, at: Place): void {
    if (value !== null) this.#value(schema, value, at)
    else if (!acceptsNull(schema)) {
      this.#refuse(at, `'${at.name}' cannot be null.`, { keyword: 'type', params: { type: schema['type'] } })
    }
  }

  /** @param value not null */
  #value (schema: TSchema, value: unknown, at: Place): void {
    const inner = notNull(schema)
    const part = partOf(inner)
    switch (part?.kind) {
      case 'value':
        return this.#rule(part, inner, value, at)
      case 'stored': {
        const before = this.#errors.count
        this.#value(part.inner, value, at)
        if (this.#errors.count === before) this.#rule(part, inner, value, at)
        return
      }
      case 'members':
        return this.#members(part, inner, value, at)
      case 'list':
        return this.#list(inner, value, at, 'a list')
      case 'links':
        return this.#list(inner, value, at, 'a list of ids')
      case 'reference':
      case 'keyParts':
        return this.#reference(inner, value, at)
    }
  }

  #rule (part: Extract<Part, { rule: unknown }>, schema: TSchema, value: unknown, at: Place): void {
    const converted = part.rule(value)
    if (converted.ok) return
    const { expected, allowed, at: below = '' } = converted
    const place = { ...at, pointer: `${at.pointer}${below}` }
    this.#refuse(place, `'${at.name}' must be ${expected}.`, brokenKeyword(schema, value), undefined, allowed)
  }

  #members (part: Extract<Part, { kind: 'members' }>, schema: TSchema, value: unknown, at: Place): void {
    if (!isObject(value)) return this.#refuse(at, `'${at.name}' must be an object.`, typeOf('object'))
    const properties = schema['properties'] as Record<string, TSchema>
    const required = new Set(schema['required'] as readonly string[] | undefined)
    for (const name of Object.getOwnPropertyNames(value)) {
      if (Object.hasOwn(properties, name)) continue
      const shown = cited(name)
      const { pointer } = member(at, name, shown)
      this.#refuse(at, `'${at.name}' has no property '${shown}'.`, additional(name), pointer, part.allowed)
    }
    for (const [name, property] of Object.entries(properties)) {
      const given = value[name] ?? null
      const place = member(at, name)
      if (given !== null) this.#value(property, given, place)
      else if (required.has(name) || (value[name] === null && !acceptsNull(property))) {
        this.#refuse(at, `'${place.name}' is required.`, missing(name), place.pointer)
      }
    }
  }

  #list (schema: TSchema, value: unknown, at: Place, expected: string): void {
    if (!Array.isArray(value)) return this.#refuse(at, `'${at.name}' must be ${expected}.`, typeOf('array'))
    const items = schema['items'] as TSchema
    const isReference = partOf(items)?.kind !== 'members'
    for (const [index, item] of value.entries()) {
      const place = itemOf(at, index)
      this.#value(items, item, isReference ? { ...place, name: at.name } : place)
    }
  }

  #reference (schema: TSchema, value: unknown, at: Place): void {
    const part = partOf(schema)
    if (part?.kind === 'reference') {
      const converted = part.rule(value)
      if (!converted.ok) {
        const detail = `'${at.name}' must refer to a record by its id: ${converted.expected}.`
        this.#refuse(at, detail, brokenKeyword(schema, value))
      }
      return
    }
    if (part?.kind !== 'keyParts') return
    const quoted = part.names.map((name) => `'${name}'`).join(', ')
    if (!isObject(value)) {
      return this.#refuse(at, `'${at.name}' refers to records by an object with ${quoted}.`, typeOf('object'))
    }
    const unknown = Object.getOwnPropertyNames(value).find((name) => !part.names.includes(name))
    if (unknown !== undefined) {
      const detail = `'${at.name}' refers to records by an object with only ${quoted}.`
      return this.#refuse(at, detail, additional(unknown))
    }
    const before = this.#errors.count
    for (const name of part.names) {
      if (this.#errors.count === before) this.#reference(schema['properties'][name], value[name], at)
    }
  }

  /** @param pointer of the error; the place itself, unless it is given */
  #refuse (
    at: Place,
    detail: string,
    broken: Broken,
    pointer = at.pointer,
    allowed?: readonly string[]
  ): void {
    this.#errors.add(() => {
      const sentence = allowed === undefined ? detail : withAllowed(detail, allowed)
      return {
        item: {
          source: { pointer },
          code: CODE,
          detail: sentence,
          ...(allowed !== undefined && { allowed: allowed.slice(0, ALLOWED_LIMIT) }),
        },
        validation: validationItem(at, sentence, broken),
      }
    })
  }
}

/** Adds the allowed names or values to a sentence, so that the message alone says everything. */
function withAllowed (sentence: string, names: readonly string[]): string {
  const list = names.length === 0 ? 'none' : listed(names).join(', ') + (names.length > ALLOWED_LIMIT ? ', ...' : '')
  return `${sentence} Allowed: ${list}.`
}

/** The keyword of JSON Schema that a value breaks, with Ajv's parameters. */
interface Broken {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

const typeOf = (type: unknown): Broken => ({ keyword: 'type', params: { type } })
const missing = (name: string): Broken => ({ keyword: 'required', params: { missingProperty: name } })
const additional = (name: string): Broken => ({
  keyword: 'additionalProperties',
  params: { additionalProperty: cited(name) },
})

function validationItem (at: Place, message: string, { keyword, params }: Broken): ValidationItem {
  return { keyword, instancePath: at.pointer, schemaPath: `${at.schemaPath}/${keyword}`, params, message }
}

/** The keyword that comes nearest to a rule that a value breaks. */
function brokenKeyword (schema: TSchema, value: unknown): Broken {
  const { type, enum: items } = schema as { readonly type?: string, readonly enum?: readonly unknown[] }
  if (items !== undefined) return { keyword: 'enum', params: { allowedValues: items } }
  if (type !== undefined && !isOfType(value, type)) return typeOf(type)
  for (const keyword of ['format', 'maxLength', 'pattern', 'minimum', 'maximum'] as const) {
    if (schema[keyword] !== undefined) return { keyword, params: { [keyword]: schema[keyword] } }
  }
  return typeOf(type ?? 'value')
}

function isOfType (value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return isObject(value)
  const actual: string = typeof value
  return actual === type
}

const isNull = ({ type }: TSchema): boolean => type === 'null'

/** The schema of the value, if it is not null. */
function notNull (schema: TSchema): TSchema {
  if (partOf(schema) !== undefined) return schema
  return (schema['anyOf'] as readonly TSchema[] | undefined)?.find((one) => !isNull(one)) ?? schema
}

function acceptsNull (schema: TSchema): boolean {
  const part = partOf(schema)
  if (part === undefined) return (schema['anyOf'] as readonly TSchema[] | undefined)?.some(isNull) ?? false
  return part.kind === 'ignored' || (part.kind === 'value' && part.rule(null).ok)
}
