/**
 * The errors of a body that its schema refuses. TypeBox's error iterator says where the schema fails, and this file
 * says it in sentences. All errors of a record are found, and the first ones are described.
 */
import type { TSchema } from '@sinclair/typebox'
import { Errors, ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { ErrorList } from '../base/error-list.ts'
import type { ErrorItem, ValidationItem } from '../base/errors.ts'
import type { Converted } from '../model/index.ts'
import { isObject } from '../base/is-object.ts'
import { cited } from '../plan/index.ts'
import { ALLOWED_LIMIT, didYouMean, listed, nearest } from '../base/suggest.ts'
import { itemPlace, memberPlace, placeAt, type BodyPlace } from './body-place.ts'
import {
  additionalMember, brokenKeyword, brokenType, isOfType, missingMember, type BrokenKeyword,
} from './broken-keyword.ts'
import { bodyPartOf, type BodyPart, type RecordNames } from './part.ts'

/** An error of a body: for the answer, and in the form of Fastify's `validation`. */
export interface BodyError {
  readonly item: ErrorItem
  readonly validation: ValidationItem
}

/**
 * All errors of a record that its schema refuses, in the order of its properties.
 *
 * @param pointer the prefix of all pointers, e.g. `/1` in a batch
 */
export function bodyErrors (
  schema: TSchema,
  data: unknown,
  names: RecordNames,
  pointer: string
): ErrorList<BodyError> {
  const errors = new ErrorList<BodyError>()
  addErrors(errors, schema, data, names, { pointer, name: '', own: '', schemaPath: '#' })
  return errors
}

/** Adds the errors of a record at a place. */
function addErrors (
  errors: ErrorList<BodyError>,
  schema: TSchema,
  data: unknown,
  names: RecordNames,
  record: BodyPlace
): void {
  if (!isObject(data)) {
    const what = record.name === '' ? 'A record' : `'${record.name}'`
    errors.add(() => errorAt(record, `${what} must be an object.`, brokenType('object')))
    return
  }
  const properties = schema['properties'] as Record<string, TSchema>
  for (const [name, value] of ownEntries(data)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property === undefined) errors.add(() => closedName(name, names, record))
    else if (value !== undefined) addErrorsOfValue(errors, property, value, memberPlace(record, name))
  }
  for (const name of (schema['required'] ?? []) as readonly string[]) {
    if (data[name] !== undefined) continue
    errors.add(() => {
      const place = memberPlace(record, name)
      const sentence = `The property '${place.name}' is required.`
      return errorAt(record, sentence, missingMember(name), { pointer: place.pointer })
    })
  }
}

function addErrorsOfValue (errors: ErrorList<BodyError>, schema: TSchema, value: unknown, at: BodyPlace): void {
  const part = bodyPartOf(schema)
  if (part?.kind === 'records') {
    if (!Array.isArray(value)) {
      errors.add(() => errorAt(at, `'${at.name}' must be a list of records.`, brokenType('array')))
      return
    }
    for (const [index, item] of value.entries()) {
      addErrors(errors, schema['items'] as TSchema, item, part.names, itemPlace(at, String(index), false))
    }
  } else if (part?.kind === 'changes') {
    if (!isObject(value)) {
      errors.add(() =>
        errorAt(at, withAllowed(`'${at.name}' must be an object of lists.`, part.allowed), brokenType('object'))
      )
      return
    }
    for (const [name, list] of ownEntries(value)) {
      if (!part.allowed.includes(name)) errors.add(() => unknownMember(at, name, part))
      else if (list !== undefined) addErrorsOfValue(errors, schema['properties'][name], list, memberPlace(at, name))
    }
  } else {
    for (const failure of failuresOf(Errors(schema, value))) errors.add(() => explained(failure, schema, at))
  }
}

const ownEntries = (data: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.getOwnPropertyNames(data).map((name) => [name, data[name]])

/**
 * The failures that become errors. A union fails for its first member, which is the schema of a value that is not null.
 * An embedded object fails for its members. A missing member also fails as a value, in its turn.
 */
function * failuresOf (failures: Iterable<ValueError>): Generator<ValueError> {
  for (const failure of failures) {
    const { type, schema, value, path, errors } = failure
    const part = bodyPartOf(schema)
    if (type === ValueErrorType.Union) yield * failuresOf(errors[0]!)
    else if (part?.kind === 'nested' && isOfType(value, schema['type'])) {
      let failed = false
      for (const inner of failuresOf(Errors(part.inner, value))) {
        failed = true
        yield { ...inner, path: `${path}${inner.path}` }
      }
      if (!failed) yield failure
    } else if (type !== ValueErrorType.ObjectRequiredProperty) yield failure
  }
}

/**
 * The error of a failure in a property.
 *
 * @param top the place of the property
 */
function explained ({ type, schema, value, path }: ValueError, property: TSchema, top: BodyPlace): BodyError {
  const { at, object } = placeAt(path, property, top)
  const part = bodyPartOf(schema)
  if (value === null && path === '') return errorAt(at, `'${at.name}' cannot be null.`, brokenType(schema['type']))
  if (object !== undefined && type === ValueErrorType.ObjectAdditionalProperties) {
    return unknownMember(object, at.own, part as Extract<BodyPart, { kind: 'members' }>)
  }
  if (object !== undefined && (value ?? null) === null) {
    return errorAt(object, `'${at.name}' is required.`, missingMember(at.own), { pointer: at.pointer })
  }
  switch (part?.kind) {
    case 'links':
      return errorAt(at, `'${at.name}' must be a list of ids.`, brokenType('array'))
    case 'reference':
    case 'keyParts':
      return wrongReference(schema, value, at)
    default:
      return wrongValue(schema, value, at)
  }
}

/**
 * The error of a property that may not be written. Unknown and hidden properties have the same message. The message for
 * a property that reads show says that it cannot be written, and suggests no other one, since its name is not misspelt.
 */
function closedName (name: string, { find, writable, elsewhere }: RecordNames, record: BodyPlace): BodyError {
  const allowed = writable()
  const property = find(name)
  const isShown = property !== undefined && !property.hidden
  const near = isShown ? undefined : nearest(name, allowed)
  const suggestion = near === name ? undefined : near
  const place = memberPlace(record, cited(name))
  const sentence = !isShown
    ? `There is no property '${place.name}' to write`
    : elsewhere?.properties.has(property) === true
      ? `The property '${place.name}' can be written only ${elsewhere.where}`
      : `The property '${place.name}' cannot be written`
  return errorAt(record, withAllowed(didYouMean(sentence, suggestion), allowed), additionalMember(name), {
    pointer: place.pointer,
    allowed: listed(allowed),
    ...(suggestion !== undefined && { suggestion }),
  })
}

function unknownMember (
  object: BodyPlace,
  name: string,
  { allowed }: { readonly allowed: readonly string[] }
): BodyError {
  const shown = cited(name)
  const detail = withAllowed(`'${object.name}' has no property '${shown}'.`, allowed)
  return errorAt(object, detail, additionalMember(name), { pointer: memberPlace(object, shown).pointer, allowed })
}

function wrongReference (schema: TSchema, value: unknown, at: BodyPlace): BodyError {
  const part = bodyPartOf(schema)
  if (part?.kind !== 'keyParts') {
    const detail = `'${at.name}' must refer to a record by its id: ${ruleRefusal(schema, value).expected}.`
    return errorAt(at, detail, brokenKeyword(schema, value))
  }
  const quoted = part.names.map((name) => `'${name}'`).join(', ')
  if (!isObject(value)) {
    return errorAt(at, `'${at.name}' refers to records by an object with ${quoted}.`, brokenType('object'))
  }
  const unknown = Object.getOwnPropertyNames(value).find((name) => !part.names.includes(name))
  if (unknown !== undefined) {
    return errorAt(at, `'${at.name}' refers to records by an object with only ${quoted}.`, additionalMember(unknown))
  }
  const missing = part.names.find((name) => value[name] === undefined)
  if (missing !== undefined) {
    return errorAt(
      at,
      `'${at.name}' refers to records by an object with ${quoted}: '${missing}' is missing.`,
      missingMember(missing)
    )
  }
  const isWrong = (name: string) => failuresOf(Errors(part.inner.properties[name]!, value[name])).next().done !== true
  // a custom type may change its mind
  const wrong = part.names.find(isWrong) ?? part.names[0]!
  return wrongReference(part.inner.properties[wrong]!, value[wrong], memberPlace(at, wrong))
}

function wrongValue (schema: TSchema, value: unknown, at: BodyPlace): BodyError {
  const { expected, allowed, at: below = '' } = ruleRefusal(schema, value)
  const detail = `'${at.name}' must be ${expected}.`
  const [place, broken] = [{ ...at, pointer: `${at.pointer}${below}` }, brokenKeyword(schema, value)]
  return allowed === undefined
    ? errorAt(place, detail, broken)
    : errorAt(place, withAllowed(detail, allowed), broken, { allowed: allowed.slice(0, ALLOWED_LIMIT) })
}

/** What a rule says of a value that it refuses. Only a custom type can change its mind. */
function ruleRefusal (schema: TSchema, value: unknown): RefusedValue {
  const converted = (bodyPartOf(schema) as Extract<BodyPart, { rule: unknown }>).rule(value)
  return converted.ok ? { ok: false, expected: 'a value that its type accepts' } : converted
}

type RefusedValue = Extract<Converted, { ok: false }>

/** Adds the allowed names or values to a sentence, so that the message alone says everything. */
function withAllowed (sentence: string, names: readonly string[]): string {
  const list = names.length === 0 ? 'none' : listed(names).join(', ') + (names.length > ALLOWED_LIMIT ? ', ...' : '')
  return `${sentence} Allowed: ${list}.`
}

/** @param more what the item has beside its sentence. Its pointer leads to the place, unless it is given */
function errorAt (
  at: BodyPlace,
  detail: string,
  { keyword, params }: BrokenKeyword,
  { pointer = at.pointer, ...more }: Pick<ErrorItem, 'allowed' | 'suggestion'> & { readonly pointer?: string } = {}
): BodyError {
  return {
    item: { source: { pointer }, code: 'FST_ERR_VALIDATION', detail, ...more },
    validation: {
      keyword,
      instancePath: at.pointer,
      schemaPath: `${at.schemaPath}/${keyword}`,
      params,
      message: detail,
    },
  }
}
