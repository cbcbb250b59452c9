/** Built-in entities: a base entity with all mixins, and the property mixins that it consists of. */
export { BaseModel } from './base-model.ts'
export { primaryKey, softDelete, timestamps, uuid } from './mixins.ts'
