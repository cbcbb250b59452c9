/** A data provider for refine. It imports types of `@refinedev/core`, and no code. */
export { createRefineProvider as createDataProvider, type RefineMeta as Meta } from './refine-provider.ts'
export { CrudHttpError } from './http-error.ts'
export type { DataProviderOptions, ResourceOptions } from '../admin-resource.ts'
export { joinId, splitId } from '../id.ts'
