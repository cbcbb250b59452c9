/**
 * Schemas: a model in, TypeBox schemas of its records and pages out, for validation and documentation. Nothing here
 * refuses anything.
 */
export { listSchema, recordSchema } from './record-schema.ts'
export { nullable, valueSchema } from './value-schema.ts'
