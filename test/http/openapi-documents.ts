/** OpenAPI documents of tests: the options that ask for them, and the check that they are valid. */
import { Validator } from '@seriousme/openapi-schema-validator'
import type { SwaggerOptions } from '@fastify/swagger'
import type { Test } from 'tap'
import type { Json } from './helper.ts'

export const OPENAPI_3_1 = {
  openapi: { openapi: '3.1.0', info: { title: 'Test', version: '1' } },
} satisfies SwaggerOptions

export async function checkValid (t: Test, document: Json): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  t.ok(valid, 'valid', { diagnostic: !valid, errors: JSON.stringify(errors)?.slice(0, 2000) })
}
