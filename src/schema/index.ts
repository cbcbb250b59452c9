/**
 * Builds TypeBox schemas from a model: of records, pages, bodies and parameters. Those of bodies are compiled and check
 * the data of writes. Errors: all mistakes of a record at once.
 */
export { clientBody, readData } from './body.ts'
export { clientSchema } from './body-schema.ts'
export { loadCompiler } from './compiled-check.ts'
export { facetsSchema, groupItemSchema } from './group-schemas.ts'
export { includeTree, NOTHING_INCLUDED, type IncludeLevel } from './include-tree.ts'
export { listSchema, totalsOf } from './list-schema.ts'
export { recordSchema } from './record-schema.ts'
export { exampleOf, inputSchema, secondExampleOf, textSchema, valueSchema } from './value-schemas.ts'
