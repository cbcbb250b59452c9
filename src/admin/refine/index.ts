/** A data provider for refine. It imports types of `@refinedev/core`, and no code. */
export { createDataProvider, type Meta } from './data-provider.ts'
export { CrudHttpError } from './http-error.ts'
export type { DataProviderOptions, ResourceOptions } from '../resource.ts'
export { joinId, splitId } from '../id.ts'
