/**
 * The compiler turns a plan into a statement (`{ text, slots }`) for the extended query protocol. It uses MikroORM's
 * QueryBuilder for conditions in MikroORM's query language, and no connection. It never rejects a plan, because a plan
 * holds only what can be compiled.
 */
export { applyPlan, ROOT_ALIAS, type BuilderParts } from './builder.ts'
export { CITUS, POSTGRESQL, type Dialect } from './dialect.ts'
export { fill, operand } from './comparison.ts'
export { builderOf, filterOfRow, filterSql, foreignSql, type AnyQueryBuilder, type Bind } from './foreign.ts'
export { indexedVector, isOfOneRow } from './full-text.ts'
export { foreignOrder } from './foreign-order.ts'
export { Constants, name, trusted, type Row, type Sql, type Statement } from './fragment.ts'
export { IN_THE_WAY, OUTSIDE, SEVERAL, type RowRefusal } from './inside.ts'
export { KEYSET_ROW } from './keyset.ts'
export { EXCESS_COLUMN } from './list.ts'
export { FACETS_COLUMN } from './facets.ts'
export { FEW, formOf, isSameForm, mostGathered, showsComputed, type Form, type RowsKept } from './form.ts'
export { compile, type Foreign } from './read.ts'
export { showsRelated } from './members.ts'
export { shapeOf } from './shape.ts'
export { TOO_LONG } from './size.ts'
export { STREAM_ROW } from './stream-statements.ts'
export { forecastOf } from './forecast.ts'
export { functionName } from './unaccent.ts'
export { EXCESS_OF_BYTES } from './weight.ts'
export {
  compileKey, compilePresent, compileReferences, linkColumn, presentColumn,
} from './references.ts'
export { compileLink, compileLinks, compileUnlink, LINK_SHOWN, linkColumns } from './links.ts'
export { compileAnyWrite } from './compile-write.ts'
export { isSameWriteForm, type WriteForm } from './write-form.ts'
export { writeShapeOf } from './write-shape.ts'
