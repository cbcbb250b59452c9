/**
 * The compiler: a plan in, a statement out (`{ text, slots }`), for the extended query protocol. It knows MikroORM's
 * QueryBuilder for the conditions that are written in MikroORM's words, and no connection. It never refuses: a plan
 * holds nothing that can't be compiled.
 */
export { applyPlan, ROOT_ALIAS } from './builder.ts'
export { fill, operand, typeOf } from './comparison.ts'
export { builderOf, filterSql, foreignSql, type AnyQueryBuilder, type Bind } from './foreign.ts'
export { foreignOrder, type ForeignOrder } from './foreign-order.ts'
export { Constants, name, sql, trusted, type Sql, type Statement } from './fragment.ts'
export { KEYSET_ROW } from './keyset.ts'
export { EXCESS_COLUMN } from './list.ts'
export { compile, type Foreign } from './read.ts'
export { showsRelated } from './record.ts'
export { shapeOf, writeShapeOf } from './shape.ts'
export { TOO_LONG } from './size.ts'
export { STREAM_ROW } from './stream.ts'
export { EXCESS_OF_BYTES, forecastOf } from './weight.ts'
export {
  compileHiddenLinks,
  compilePresent,
  compileReferences,
  linkColumn,
  presentColumn,
  type ReferencedKeys,
} from './references.ts'
export { compileWrite } from './write.ts'
