/**
 * Schemas: a model in, TypeBox schemas of its records, pages, bodies and parameters out, for documentation and typed
 * handlers. Nothing here refuses anything.
 */
export { createSchema, updateSchema, type BodyOptions } from './body-schema.ts'
export { includeTree, NOTHING_INCLUDED, relationEntries, type IncludeLevel, type IncludeNode } from './include-tree.ts'
export { listSchema, type ListOptions } from './list-schema.ts'
export { recordSchema, type RecordOptions } from './record-schema.ts'
export { nullable } from './nullable.ts'
export { exampleOf, inputSchema, secondExampleOf, textSchema, valueSchema } from './wire-types.ts'
