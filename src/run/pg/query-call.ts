/** The operations of a resource. Each statement carries the one that it runs for. */
const OPERATIONS = [
  'list',
  'get',
  'count',
  'exists',
  'stream',
  'create',
  'createMany',
  'update',
  'delete',
  'restore',
] as const
/**
 * The method of `CrudBase` that runs a statement. Methods that answer in JSON text use the name of their counterpart
 * that does not.
 */
export type QueryOperation = typeof OPERATIONS[number]

/** The purpose of a statement. */
export interface QueryCall {
  /** The operation that runs the statement. */
  readonly operation: QueryOperation
  /** Name of the resource. By default this is the name of its table. */
  readonly resource: string
}

/** The `QueryCall` of each operation of a resource. */
export function callsOf (resource: string): Readonly<Record<QueryOperation, QueryCall>> {
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, { operation, resource }])) as Record<
    QueryOperation,
    QueryCall
  >
}
