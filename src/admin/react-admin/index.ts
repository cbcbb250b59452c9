/**
 * A data provider for react-admin. It imports types of `ra-core`, which every react-admin application has, and no code.
 */
export { createDataProvider, type Meta } from './data-provider.ts'
export { FormError, type FormErrors } from './form-error.ts'
export type { DataProviderOptions, ResourceOptions } from '../resource.ts'
export { joinId, splitId } from '../id.ts'
