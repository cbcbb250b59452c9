/** Which keyword of its JSON Schema a value breaks, as Ajv would say it: for the errors that Fastify's users read. */
import type { TSchema } from '@sinclair/typebox'
import { isObject } from '../base/is-object.ts'
import { cited } from '../plan/index.ts'

/** The keyword of JSON Schema that a value breaks, with Ajv's parameters. */
export interface BrokenKeyword {
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

export const brokenType = (type: unknown): BrokenKeyword => ({ keyword: 'type', params: { type } })
export const missingMember = (name: string): BrokenKeyword => ({
  keyword: 'required',
  params: { missingProperty: name },
})
export const additionalMember = (name: string): BrokenKeyword => ({
  keyword: 'additionalProperties',
  params: { additionalProperty: cited(name) },
})

/** The keyword that comes nearest to a rule that a value breaks. */
export function brokenKeyword (schema: TSchema, value: unknown): BrokenKeyword {
  const { type, enum: items } = schema as { readonly type?: string, readonly enum?: readonly unknown[] }
  if (items !== undefined) return { keyword: 'enum', params: { allowedValues: items } }
  if (type !== undefined && !isOfType(value, type)) return brokenType(type)
  for (const keyword of ['format', 'maxLength', 'pattern', 'minimum', 'maximum'] as const) {
    if (schema[keyword] !== undefined) return { keyword, params: { [keyword]: schema[keyword] } }
  }
  return brokenType(type ?? 'value')
}

export function isOfType (value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return isObject(value)
  const actual: string = typeof value
  return actual === type
}
