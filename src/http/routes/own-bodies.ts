/**
 * The application's own schemas of the bodies of `POST /`, which takes a record or a list of records. A list is checked
 * against the schema of createMany. Without a schema of createMany, each record is checked against that of create.
 */
import { RequestValidationError, type ValidationItem } from '../../base/errors.ts'
import { isObject } from '../../base/is-object.ts'
import type { CrudOperation, CrudRoutesOptions } from '../route-options.ts'
import type { GeneratedSchema } from '../schemas/operation.ts'
import { rejecting, withoutChanges, type Validator, type Verdict } from './own-schema.ts'

export interface OwnBodies {
  /** The schema of the route, for documentation. */
  readonly schema: unknown
  /**
   * The validator of the bodies, if `schema` is the one of the route, or the one of a media type in its `content`.
   *
   * @param compile compiles a schema with the server's own validator
   */
  readonly validator: (schema: unknown, type: string | undefined, compile: Compile) => Validator | undefined
}

type Compile = (schema: object) => Validator

/** The own schemas of the route's bodies. `undefined` if the route takes no lists, or has no own schemas. */
export function ownBodies (
  operation: CrudOperation,
  generated: GeneratedSchema,
  { schemas = {} }: Pick<CrudRoutesOptions, 'schemas'>,
  operations: readonly CrudOperation[]
): OwnBodies | undefined {
  if ((operation !== 'create' && operation !== 'createMany') || !operations.includes('createMany')) return undefined
  const one = fluent(schemas.create?.body)
  const many = fluent(schemas.createMany?.body)
  if (one === undefined && many === undefined) return undefined
  const schema = documented(one, many, generated.body, operations.includes('create')) ?? one ?? many
  return {
    schema,
    validator: (given, type = JSON_TYPE, compile) => {
      if (given !== schemaOf(schema, type)) return undefined
      const compiled = (body: unknown): Validator | undefined => {
        const own = schemaOf(body, type)
        return own === undefined ? undefined : withoutChanges(compile(own as object))
      }
      return eachRecord(compiled(one), compiled(many))
    },
  }
}

const JSON_TYPE = 'application/json'

/** The value of a schema that was built with fluent-json-schema. Fastify reads it, too. */
const fluent = (schema: unknown): unknown =>
  isObject(schema) && schema['isFluentSchema'] === true ? schema.valueOf() : schema

/** The schema of a media type. Fastify has schemas by media type in `content`. */
function schemaOf (body: unknown, type: string): unknown {
  const content = isObject(body) ? body['content'] : undefined
  return isObject(content) ? (content[type] as { readonly schema?: unknown } | undefined)?.schema : body
}

/** The schema of both kinds of bodies. `undefined` if an own schema cannot be a part of another one. */
function documented (one: unknown, many: unknown, generated: unknown, takesOne: boolean): unknown {
  if (!isPart(one) || !isPart(many)) return undefined
  const [record, list] = takesOne
    ? (generated as { readonly anyOf: readonly object[] }).anyOf
    : [undefined, generated as object]
  const lists = many ?? { ...list, items: one }
  return takesOne ? { anyOf: [one ?? record, lists] } : lists
}

/** Whether a schema is JSON Schema without names and references of its own. */
function isPart (schema: unknown): boolean {
  if (schema === undefined) return true
  if (!isObject(schema) || Object.getPrototypeOf(schema) !== Object.prototype) return false
  return !('$id' in schema || 'content' in schema) && !JSON.stringify(schema).includes('"$ref":"#')
}

/** A validator of a record or a list. A list is refused for its first bad record. */
function eachRecord (one: Validator | undefined, many: Validator | undefined): Validator {
  const checkFrom = (records: readonly unknown[], start: number): Verdict => {
    for (let index = start; index < records.length; index++) {
      const verdict = one!(records[index])
      if (verdict instanceof Promise) {
        return verdict
          .then(() => checkFrom(records, index + 1), (error: unknown) => ({ error: inRecord(error, index) }))
          .then(rejecting)
      }
      const { error } = verdict as { readonly error?: unknown }
      if (error !== undefined) return { error: inRecord(error, index) }
    }
    return true
  }
  return (body) => {
    const validator = Array.isArray(body) ? many : one
    if (validator !== undefined) return validator(body)
    return Array.isArray(body) && one !== undefined ? checkFrom(body, 0) : true
  }
}

/** The error of a record, with the record's index in its pointers. */
function inRecord (error: unknown, index: number): unknown {
  const below = (item: ValidationItem): ValidationItem => ({ ...item, instancePath: `/${index}${item.instancePath}` })
  if (Array.isArray(error)) return error.map(below)
  if (!(error instanceof RequestValidationError)) return error
  const items = error.errors.map((item) =>
    item.source !== undefined && 'pointer' in item.source
      ? { ...item, source: { pointer: `/${index}${item.source.pointer}` } }
      : item
  )
  return new RequestValidationError(items, { validation: error.validation.map(below), cause: error })
}
