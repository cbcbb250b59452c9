/**
 * The application's own schemas of requests. The server's own validator compiles them, as for any route of Fastify.
 * They are checked in addition to the generated ones, so that they can only refuse more. `POST /` takes a record or a
 * list of records. A list is checked against the schema of createMany. Without one, each record is checked against the
 * schema of create.
 */
import { escapedName } from '../../base/error-list.ts'
import { invalidAt, RequestValidationError, type ErrorItem, type ValidationItem } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import { factsOf, formsOfBodies } from '../../config/index.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { GeneratedSchema } from '../schemas/operation.ts'
import { JSON_BODY } from './content-type.ts'
import { type HttpPart, withErrorList } from './own-schema-errors.ts'

/** A validator as Fastify takes it. It may return a boolean, an error, a new value, or a promise that rejects. */
export type Validator = ((data: unknown) => unknown) & { errors?: unknown }

/** What a schema says of data: an error, or the new value of the data if the validator has converted it. */
interface Verdict {
  readonly error?: unknown
  readonly value?: unknown
}

/** The check of an own schema. Its promises do not reject. */
export type OwnCheck = (data: unknown) => Verdict | Promise<Verdict>

const VALID: Verdict = Object.freeze({})

/** The check of a compiled schema. Its errors have `detail` and `errors`, or are lists of which Fastify makes one. */
export function ownCheck (validator: Validator, part: HttpPart): OwnCheck {
  return (data) => {
    const answer = validator(data)
    if (answer instanceof Promise) {
      return answer.then(() => VALID, (error: unknown) => ({ error: withErrorList(error, part) }))
    }
    if (answer === false) return { error: validator.errors }
    const { error, value } = (answer ?? VALID) as Verdict
    return error === undefined || error === null ? { value } : { error: withErrorList(error, part) }
  }
}

/** A validator for Fastify: the generated check, and then an own one. */
export function both (ours: (data: unknown) => unknown, theirs: OwnCheck): Validator {
  return (data) => {
    const verdict = ours(data)
    if (verdict !== true) return verdict
    const own = theirs(data)
    // if a validator returns a promise, Fastify looks at rejections only
    return own instanceof Promise ? own.then(({ error }) => error === undefined ? true : Promise.reject(error)) : own
  }
}

/** Goes on with the value of valid data. */
function whenValid (
  verdict: Verdict | Promise<Verdict>,
  accept: (value: unknown) => Verdict
): Verdict | Promise<Verdict> {
  if (verdict instanceof Promise) return verdict.then((one) => whenValid(one, accept))
  return verdict.error === undefined ? accept(verdict.value) : verdict
}

/**
 * Lets a check judge a copy of a body, so that the body stays as the client sent it. Validators may convert values, and
 * drop properties that their schema does not name. Such a body is refused. Defaults are ignored.
 */
export function withoutChanges (check: OwnCheck): OwnCheck {
  return (body) => {
    const copy: unknown = structuredClone(body)
    return whenValid(check(copy), (value) => {
      const errors: ErrorItem[] = []
      addChanges(errors, body, value ?? copy, '')
      return errors.length === 0 ? VALID : { error: new RequestValidationError(errors) }
    })
  }
}

/** Adds an error for each part of `before` that is missing or different in `after`. */
function addChanges (errors: ErrorItem[], before: unknown, after: unknown, pointer: string): void {
  const add = (pointer: string, detail: string): void => {
    errors.push(invalidAt(pointer, detail))
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    if (!Object.is(before, after)) add(pointer, 'This value has another type than the route accepts.')
    return
  }
  for (const [name, value] of Object.entries(before)) {
    const at = `${pointer}/${escapedName(name)}`
    if (!Object.hasOwn(after, name)) add(at, 'This property is not accepted by the route.')
    else addChanges(errors, value, (after as Record<string, unknown>)[name], at)
  }
}

/** The own schemas of the bodies of `POST /`. */
export interface OwnBodies {
  /** The schema of the route, for documentation. */
  readonly schema: unknown
  /**
   * The check of the bodies, if `schema` is the one of the route, or the one of a media type in its `content`.
   *
   * @param compile compiles a schema with the server's own validator
   */
  readonly check: (
    schema: unknown,
    type: string | undefined,
    compile: (schema: object) => OwnCheck
  ) => OwnCheck | undefined
}

/** The own schemas of the route's bodies. `undefined` if the route takes no lists, or has no own schemas. */
export function ownBodies (
  operation: CrudOperation,
  generated: GeneratedSchema,
  { schemas = {} }: Pick<CrudRoutesOptions, 'schemas'>,
  operations: readonly CrudOperation[]
): OwnBodies | undefined {
  if (factsOf(operation).body !== 'create' || !formsOfBodies(operations, 'create').list) return undefined
  const one = fluent(schemas.create?.body)
  const many = fluent(schemas.createMany?.body)
  if (one === undefined && many === undefined) return undefined
  const schema = documented(one, many, generated.body as object) ?? one ?? many
  return {
    schema,
    check: (given, type = JSON_BODY, compile) => {
      if (given !== schemaOf(schema, type)) return undefined
      const compiled = (body: unknown): OwnCheck | undefined => {
        const own = schemaOf(body, type)
        return own === undefined ? undefined : withoutChanges(compile(own as object))
      }
      return eachRecord(compiled(one), compiled(many))
    },
  }
}

/** The value of a schema that was built with fluent-json-schema, which Fastify reads as well. */
const fluent = (schema: unknown): unknown =>
  isObject(schema) && schema['isFluentSchema'] === true ? schema.valueOf() : schema

/** The schema of a media type. Fastify has schemas by media type in `content`. */
function schemaOf (body: unknown, type: string): unknown {
  const content = isObject(body) ? body['content'] : undefined
  return isObject(content) ? (content[type] as { readonly schema?: unknown } | undefined)?.schema : body
}

/**
 * The schema of both kinds of bodies, as far as the generated one has them. `undefined` if an own schema cannot be a
 * part of another one.
 */
function documented (one: unknown, many: unknown, generated: object): unknown {
  if (!isPart(one) || !isPart(many)) return undefined
  const { anyOf, type } = generated as { readonly anyOf?: readonly object[], readonly type?: unknown }
  const [record, list] = anyOf ?? (type === 'array' ? [undefined, generated] : [generated])
  const lists = list && (many ?? { ...list, items: one })
  if (record === undefined) return lists
  return lists === undefined ? one ?? record : { anyOf: [one ?? record, lists] }
}

/** Whether a schema is JSON Schema without `$id`, media types and references into itself. */
function isPart (schema: unknown): boolean {
  if (schema === undefined) return true
  if (!isObject(schema) || Object.getPrototypeOf(schema) !== Object.prototype) return false
  return !('$id' in schema || 'content' in schema) && !JSON.stringify(schema).includes('"$ref":"#')
}

/** The check of a record or a list. A list is refused for its first bad record. */
function eachRecord (one: OwnCheck | undefined, many: OwnCheck | undefined): OwnCheck {
  const checkFrom = (records: readonly unknown[], start: number): Verdict | Promise<Verdict> => {
    for (let index = start; index < records.length; index++) {
      const verdict = one!(records[index])
      if (verdict instanceof Promise) {
        return verdict.then(({ error }) => error === undefined ? checkFrom(records, index + 1) : atIndex(error, index))
      }
      if (verdict.error !== undefined) return atIndex(verdict.error, index)
    }
    return VALID
  }
  return (body) => {
    const check = Array.isArray(body) ? many : one
    if (check !== undefined) return check(body)
    return Array.isArray(body) && one !== undefined ? checkFrom(body, 0) : VALID
  }
}

/** The error of a record, with the record's index in its pointers. */
function atIndex (error: unknown, index: number): Verdict {
  const below = (item: ValidationItem): ValidationItem => ({ ...item, instancePath: `/${index}${item.instancePath}` })
  if (Array.isArray(error)) return { error: error.map(below) }
  if (!(error instanceof RequestValidationError)) return { error }
  const items = error.errors.map((item) =>
    item.source !== undefined && 'pointer' in item.source
      ? { ...item, source: { pointer: `/${index}${item.source.pointer}` } }
      : item
  )
  return { error: new RequestValidationError(items, { validation: error.validation.map(below), cause: error }) }
}
