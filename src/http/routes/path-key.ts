/** Keys in paths: `/:id`, or one segment for each column of a composite key. */
import { RequestValidationError, type ErrorItem } from '../../base/errors.ts'
import { nearest } from '../../base/suggest.ts'
import {
  keyFromText, uuidBesideKey, uuidOfId, type EntityModel, type KeyColumn, type PrimaryKeyPart,
} from '../../model/index.ts'
import { factsOf, OPERATIONS } from '../../config/index.ts'
import type { Id } from '../../plan/index.ts'
import type { CrudOperation } from '../route-options.ts'

interface Segment {
  readonly name: string
  readonly part: PrimaryKeyPart
  readonly column: KeyColumn
  /** The name inside the part, if the part is a relation to a composite key. */
  readonly inner: string
}

/** The segments of a record's path, in the order of the key. */
export function keySegments ({ primaryKey }: EntityModel): readonly Segment[] {
  const segments = primaryKey.flatMap((part) =>
    part.columns.map((column, index): Segment => {
      const inner = part.property.kind === 'relation' ? part.property.key[index]!.publicName : ''
      const { publicName } = part.property
      const name = part.columns.length === 1 ? publicName : `${publicName}_${inner.replaceAll('.', '_')}`
      return { name, part, column, inner }
    })
  )
  // a single key is always named `id`, whatever the name of the property
  return segments.length === 1 ? [{ ...segments[0]!, name: 'id' }] : segments
}

/** `/:id`, or for a composite key `/:order/:product`. */
export function keyPath (model: EntityModel): string {
  return keySegments(model).map(({ name }) => `/:${name}`).join('')
}

/**
 * Returns a function that reads the key in the parameters of a path. It throws `RequestValidationError` for text that
 * has another type or is out of the column's range.
 *
 * @param operations the operations that the resource offers
 */
export function keyReader (
  model: EntityModel,
  operations: readonly CrudOperation[]
): (params: Readonly<Record<string, string>>) => Id {
  const segments = keySegments(model)
  const [only, ...others] = segments
  const readAll = (params: Readonly<Record<string, string>>): Id => {
    const errors: ErrorItem[] = []
    const id: Record<string, unknown> = {}
    for (const { name, part, column, inner } of segments) {
      const text = String(params[name])
      const wrong = checkKey(model, segments.length, text, column)
      if (wrong !== undefined) {
        errors.push({
          source: { parameter: name },
          code: 'FST_ERR_VALIDATION',
          detail: `The path's ${name} must be ${wrong}.${aboutOperation(text, operations)}`,
        })
      }
      if (part.columns.length === 1) id[part.property.name] = text
      else {
        ;(id[part.property.name] ??= {} as Record<string, unknown>, id[part.property.name] as Record<string, unknown>)[
          inner
        ] = text
      }
    }
    if (errors.length > 0) throw new RequestValidationError(errors, { context: 'params' })
    return id
  }
  if (only === undefined || others.length > 0) return readAll
  return (params) => {
    const text = String(params[only.name])
    return checkKey(model, 1, text, only.column) === undefined ? text : readAll(params)
  }
}

/** The operations that have a path without a key, by that path: `aggregate`. */
const NAMED_PATHS: ReadonlyMap<string, CrudOperation> = new Map(
  OPERATIONS.flatMap((operation) => {
    const [, name] = /^\/(\w+)$/.exec(factsOf(operation).path) ?? []
    return name === undefined ? [] : [[name, operation] as const]
  })
)

/** The sentence about an operation, if the path is that of one, perhaps with a typing error. */
function aboutOperation (text: string, offered: readonly CrudOperation[]): string {
  const name = nearest(text, [...NAMED_PATHS.keys()])
  if (name === undefined) return ''
  const meant = NAMED_PATHS.get(name)!
  if (offered.includes(meant)) return text === name ? '' : ` Did you mean '${name}'?`
  return ` This resource does not offer '${meant}' (the option operations). It offers: ${offered.join(', ')}.`
}

/** The expected form of a segment, or `undefined` if the segment is valid. */
function checkKey (model: EntityModel, segments: number, text: string, column: KeyColumn): string | undefined {
  const isOnly = segments === 1
  if (isOnly && uuidOfId(text, model) !== undefined) return undefined
  const converted = keyFromText(text, column)
  if (converted.ok) return undefined
  return converted.expected + (isOnly && uuidBesideKey(model) !== undefined ? ', or a UUID' : '')
}
