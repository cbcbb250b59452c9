/**
 * The planner. It takes a request (`QueryParams`) and what the application allows (`Whitelist`), and returns a plan or
 * throws all errors of the request at once. It is pure and synchronous. It knows no SQL, no connection and no metadata
 * except the model. It refuses everything that the whitelist does not name, values that their columns cannot hold, and
 * pages out of bounds.
 */
export { convertData, keyParts, membersByName, scalarValue, type Checked, type DataNames } from './data.ts'
export {
  columnData, columnsWhere, EMPTY_RECORD, haveChildren, haveLinks, withColumn, withColumns, withoutDiscriminator,
  type ChildKey, type ColumnData, type ColumnValues, type DataColumn, type NewColumn, type RecordData,
  type ReferenceData, type RelationKeys,
} from './record-data.ts'
export { idOfKey, type Id } from './key.ts'
export { writeCursor } from './cursor.ts'
export { otherSide, planOtherSide } from './position.ts'
export { codecOfOperand, firstTypeOf } from './operand.ts'
export { isComputed, isCustomTerm, isNullableTerm, typeOfTerm } from './order.ts'
export { hasUnknown } from './given.ts'
export { QueryErrors } from './query-errors.ts'
export type { QueryRules } from './query-rules.ts'
export { checkGet, checkWriteQuery, planCount, planEstimate, planExists, planGet, planList } from './plan.ts'
export { planAggregate } from './plan-aggregate.ts'
export { isAbout } from './facets.ts'
export {
  planStream, planStreamKeys, planStreamOffset, planStreamPage, planStreamRecords, type StreamKey,
} from './plan-stream.ts'
export type {
  Aggregate, CallbackCondition, Comparable, Condition, CustomTerm, Deleted, JsonValue, Operand, OrderTerm,
  RelatedNumber, Slot, SwitchedCondition, TextDocument, Unaccent,
} from './condition-types.ts'
export type {
  AggregatePlan, AnswerLimits, CountPlan, FacetTerm, FixedValue, GetPlan, GroupNumber, GroupTerm, KeysetPlan, ListPlan,
  Place, PlannedFacet, PlannedInclude, PlannedRows, ReadPlan, RecordsPlan, Selection, SortTexts, StreamPlan, Window,
} from './plan-types.ts'
export {
  comparedBy, describeFilter, documentOf, jsonKindsOf, MAX_PATTERNS, MAX_SUB_QUERIES, relationsOf, type Compared,
  type FilterFacts, type FilterTarget,
} from './filters/index.ts'
export { MAX_INCLUDES, planSelection } from './selection.ts'
export { countChoices, pageParametersOf } from './window.ts'
export {
  resolveWhitelist, withNames, type AggregateEntry, type RelationEntry, type Whitelist,
} from './whitelist/index.ts'
export { DEFAULT_SORT, relationsOfWhitelist, waysOf, type Way, type WayTarget } from './whitelist/ways.ts'
export { planPrevious } from './previous.ts'
export { cited } from './refusal.ts'
export type { BodyRules, Elsewhere, OwnedChildren, Writable } from './body-rules.ts'
export { namesForServer, NO_CHILDREN, resolveWritable, rulesInUse, rulesOfBody } from './writable.ts'
export { findUpsertKey, readUpsertKey, resolveUpsertKeys, upsertKeysFor, type UpsertKey } from './upsert-keys.ts'
export { setsSharedColumns, sharesColumns, withColumnsOnce, withSharedColumns } from './shared-columns.ts'
export { entitiesOf } from './entities-of-plan.ts'
export type { Plan, WritePlan } from './any-plan.ts'
export { withConditions, withTranslated } from './where.ts'
export {
  canNarrow, notNarrowed, planChanges, planMany, type ManyChange, type ManyPlan, type ManyTarget,
} from './many.ts'
export {
  planDelete, planInsert, planPresent, planUpdate, type Assignment, type CheckedRows, type DeletePlan, type InsertPlan,
  type PresentPlan, type ReferenceCheck, type RowForHooks, type UpdatePlan, type WriteTarget,
} from './write.ts'
export {
  planDeleteEach, planUpdateEach, type CommonKey, type DeleteEachPlan, type UpdateEachPlan,
} from './write-each.ts'
export {
  planPresentRow, planUpsert, planUpsertMany, type UpsertManyPlan, type UpsertPlan, type UpsertRow,
} from './upsert.ts'
