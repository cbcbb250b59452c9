/**
 * Builds TypeBox schemas from a model: of records, pages, bodies and parameters, for documentation and typed handlers.
 * Nothing here rejects a request.
 */
export { createSchema, updateSchema, type BodyOptions } from './body-schema.ts'
export { includeTree, NOTHING_INCLUDED, relationEntries, type IncludeLevel, type IncludeNode } from './include-tree.ts'
export { listSchema, type ListOptions } from './list-schema.ts'
export { recordSchema, type RecordOptions } from './record-schema.ts'
export { nullable } from './nullable.ts'
export { exampleOf, inputSchema, secondExampleOf, textSchema, valueSchema } from './wire-types.ts'
