/** Built-in entities: a base with everything, and the property mixins that it is made of. */
export { BaseModel } from './base-model.ts'
export { primaryKey, softDelete, timestamps, uuid } from './mixins.ts'
