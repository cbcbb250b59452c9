/**
 * A data provider for react-admin. It imports types of `ra-core`, which every react-admin application has, and no code.
 */
export { createReactAdminProvider as createDataProvider, type ReactAdminMeta as Meta } from './react-admin-provider.ts'
export { FormError, type FormErrors } from './form-error.ts'
export type { DataProviderOptions, ResourceOptions } from '../admin-resource.ts'
export { joinId, splitId } from '../id.ts'
