/** Rules for writing properties: who may write them, and how missing values are filled. */
import { isRaw, ReferenceKind, type EntityMetadata, type EntityProperty } from '@mikro-orm/core'
import type { WriteRules } from './entity-model.ts'

/** Names of timestamps that clients never write if the database has a default for them. */
const TIMESTAMPS: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'createdAt', 'updatedAt'])

/** A default in SQL that is a constant, with or without a cast. */
const CONSTANT = /^(?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?|true|false)(?:::[\w ]+)?$/i

/**
 * The rules of a property.
 *
 * @param meta of the entity or embeddable that has the property
 * @param pivot of a many-to-many relation: the entity of its pivot table
 */
export function writeRulesOf (source: EntityProperty, meta: EntityMetadata, pivot?: EntityMetadata): WriteRules {
  const persisted = meta.readonly !== true && isPersisted(source)
  // a client that could write the discriminator would turn a row into one of another class
  const discriminator = source.name === meta.root.discriminatorColumn
  const generated = source.autoincrement === true || source.default !== undefined || source.defaultRaw !== undefined ||
    source.onCreate !== undefined
  const { onCreate, onUpdate } = source as { onCreate?: WriteRules['onCreate'], onUpdate?: WriteRules['onUpdate'] }
  const closed = reasonNotToWrite(source, meta, { persisted, generated, discriminator }) ??
    reasonOfPivot(pivot)
  return Object.freeze({
    persisted,
    writable: closed === undefined,
    closed,
    optional: !persisted || isNullable(source, meta) || generated || discriminator || source.version === true ||
      isCollection(source) || isInitialised(source, meta),
    generated,
    onCreate,
    onUpdate,
  })
}

/**
 * Whether a property is nullable. A nullable embedded object makes all its columns nullable. Its own class says which
 * members it requires.
 */
function isNullable (source: EntityProperty, meta: EntityMetadata): boolean {
  const declared = source.embedded === undefined
    ? source
    : meta.properties[source.embedded[1] as never] as EntityProperty | undefined
  return (declared ?? source).nullable === true
}

/** Whether an initializer or the constructor of the class sets the property of new entities. */
function isInitialised ({ name }: EntityProperty, { class: Entity, embeddable }: EntityMetadata): boolean {
  if (embeddable) return false
  try {
    const entity = new (Entity as new() => Record<string, unknown>)()
    return entity[name] !== undefined && entity[name] !== null
  } catch {
    // the constructor requires arguments
    return false
  }
}

const isCollection = ({ kind }: EntityProperty): boolean =>
  kind === ReferenceKind.ONE_TO_MANY || kind === ReferenceKind.MANY_TO_MANY

function isPersisted (source: EntityProperty): boolean {
  if (source.persist === false || source.formula !== undefined || source.generated !== undefined) return false
  switch (source.kind) {
    case ReferenceKind.ONE_TO_MANY:
      return false
    case ReferenceKind.ONE_TO_ONE:
      return source.owner === true
    default:
      return true
  }
}

/** The reason why links cannot be written: they give a row of the pivot table its keys, and the rest has defaults. */
function reasonOfPivot (pivot: EntityMetadata | undefined): string | undefined {
  const lacking = pivot?.props.find((property) =>
    property.kind === ReferenceKind.SCALAR && property.embedded === undefined && isPersisted(property) &&
    property.nullable !== true && property.autoincrement !== true && property.version !== true &&
    property.default === undefined && property.defaultRaw === undefined &&
    // a part of the keys, such as a tenant
    !pivot.relations.some(({ joinColumns }) => joinColumns?.includes(property.fieldNames[0]!))
  )
  return lacking && `the rows of ${pivot!.className} need a '${lacking.name}', which has no default in the database`
}

/** The reason why clients never write a property, as a clause; `undefined` if they may write it. */
function reasonNotToWrite (
  source: EntityProperty,
  meta: EntityMetadata,
  { persisted, generated, discriminator }: {
    readonly persisted: boolean,
    readonly generated: boolean,
    readonly discriminator: boolean,
  }
): string | undefined {
  if (source.hidden === true) {
    return "it is hidden, so clients cannot write it; set it in a hook or with 'values'"
  }
  if (!persisted) {
    if (meta.readonly === true) return 'the entity is read-only'
    return source.kind === ReferenceKind.ONE_TO_MANY || source.kind === ReferenceKind.ONE_TO_ONE
      ? 'the other side of the relation has the key, so write it there'
      : 'its value is computed'
  }
  if (source.version === true) return 'it is the version, which MikroORM counts'
  if (discriminator) return 'it tells the class of a row'
  // a constant is no key that the database makes
  const makesKey = generated && !isConstant(source)
  if (source.primary === true) return makesKey ? 'it is a key that is generated' : undefined
  if (source.name === 'uuid' && makesKey) return 'it is a key that is generated'
  const [columnType = ''] = source.columnTypes ?? []
  if (!/^(?:timestamp|date\b)/.test(columnType)) return undefined
  if (columnType !== 'date' && isDeletion(source)) return 'deleting and restoring a record sets it'
  return source.onCreate !== undefined || source.onUpdate !== undefined || (generated && TIMESTAMPS.has(source.name))
    ? 'it is a timestamp, which is set when a record is written'
    : undefined
}

const isConstant = ({ default: value, defaultRaw, autoincrement, onCreate }: EntityProperty): boolean =>
  autoincrement !== true && onCreate === undefined && (defaultRaw === undefined
    ? value !== undefined && !isRaw(value)
    : CONSTANT.test(defaultRaw))

/** Whether a column of datetimes marks deleted rows. */
const isDeletion = ({ name, fieldNames, nullable }: EntityProperty): boolean =>
  (name === 'deleted_at' || fieldNames[0] === 'deleted_at') && nullable === true
