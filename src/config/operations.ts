/** The operations of a resource. */

/** The operations in the order of their routes. */
export const OPERATIONS = ['list', 'get', 'create', 'createMany', 'update', 'delete', 'restore'] as const
export type CrudOperation = typeof OPERATIONS[number]
