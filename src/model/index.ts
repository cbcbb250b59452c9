/**
 * The model stage turns MikroORM's metadata into a frozen snapshot (`EntityModel`). It has everything that this package
 * needs to know about an entity: the exposed properties and their names, the types of their columns, the conversion of
 * text to values, and the relations of rows. At start-up, it rejects entities that cannot be a resource.
 */
export { aggregateName } from './aggregate-name.ts'
export { classValuesOf, Models } from './build-model.ts'
export { MAX_NAME_BYTES } from './build-properties.ts'
export { convert, fromJson, readStored } from './convert.ts'
export {
  embeddedToStored, embeddedToWire, holdsHidden, listsHidden, membersOf, needsWireForm, type EmbeddedJson,
} from './embedded-json.ts'
export { exactText, isExactNumber, parseExact } from './exact-json.ts'
export {
  columnsBesideKey, columnsOf, isFormula, keyColumnNames, keyColumns, tellsClass, type EmbeddedProperty,
  type EntityModel, type KeyColumn, type KeyPart, type PrimaryKeyPart, type Property, type RelationProperty,
  type ScalarProperty, type WriteRules,
} from './entity-model.ts'
export { keyFromJson, keyFromText } from './codec.ts'
export { owningSide } from './owning-side.ts'
export { canonicalKey, fromScope, incomparable, isSameValue } from './scope-value.ts'
export { isComparable, isOrdered, isTextual, valueTypeOf } from './column-types.ts'
export { arrayLiteral } from './types/array.ts'
export { fitsDate } from './types/datetime.ts'
export { momentText } from './types/value-order.ts'
export { ignoredJson } from './types/json.ts'
export { containedFromText } from './types/range.ts'
export { wireTypeOf, WIRE_TYPES, type TypeName, type TypeOf, type ValueType } from './types/index.ts'
export type { Converted, SqlValue } from './types/converted.ts'
export type { DecimalType } from './types/basic-types.ts'
export type { InsideJson, TypeFamily } from './types/wire-type.ts'
export { uuidBesideKey, uuidOfId } from './uuid-look-up.ts'
export {
  leadsToHidden, meantName, polymorphicRefusal, publicPath, resolvePath, type JsonPath, type Path,
} from './path.ts'
