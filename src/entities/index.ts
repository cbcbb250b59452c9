/** Built-in entities: a base entity with all mixins, the property mixins that it consists of, and distributed keys. */
export { BaseModel, primaryKey, softDelete, timestamps, uuid } from './base-model.ts'
export { distributedBy } from './distributed-by.ts'
