/**
 * Owned children, which bodies write together with their parent. In: rows of parents with their children. Out: the
 * written records, with the children that were added and changed. Errors: those of writes of the children, with
 * pointers to them in the body.
 */
export { changesChildren } from './batches.ts'
export { changeWithChildren, createWithChildren } from './with-children.ts'
