/** Bodies of writes, before CrudBase reads them. */
import { RequestValidationError } from '../src/errors.ts'
import type { EntityModel } from '../src/model/index.ts'

type Body = Record<string, unknown>

/** What `readonlyProperties` and `maxBatch` say about bodies. */
export interface BodyRules {
  readonly model: EntityModel
  readonly readonlyProperties: 'refuse' | 'ignore'
}

/** The body of one record. What it may hold is CrudBase's to say. */
export function readBody (body: unknown, rules: BodyRules, kept: ReadonlySet<string> = new Set()): Body {
  return rules.readonlyProperties === 'ignore' ? withoutReadonly(body, rules.model, kept) : body as Body
}

/**
 * The bodies of several records.
 *
 * @throws {RequestValidationError} for more than `maxBatch`
 */
export function readBatch (body: readonly unknown[], maxBatch: number, rules: BodyRules): Body[] {
  if (body.length > maxBatch) throw refusal(`A request can create at most ${maxBatch} records; this one has ${body.length}.`)
  return body.map((record) => readBody(record, rules))
}

/** An error of the body as a whole. */
export function refusal (detail: string): RequestValidationError {
  return new RequestValidationError([{ source: { pointer: '' }, code: 'FST_ERR_VALIDATION', detail }])
}

/** A record that a client has read, without what it can't write. Unknown names stay, to be refused. */
function withoutReadonly (body: unknown, model: EntityModel, kept: ReadonlySet<string>): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body as Body
  const rest = { ...body } as Body
  for (const { publicName, hidden, write } of model.properties.values()) {
    if (!hidden && !write.writable && !kept.has(publicName)) delete rest[publicName]
  }
  return rest
}
