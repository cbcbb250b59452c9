/** Which properties are written, by whom, and what fills those that nobody gives. */
import { ReferenceKind, type EntityMetadata, type EntityProperty } from '@mikro-orm/core'
import type { WriteRules } from './entity-model.ts'

/** Names of timestamps that are the database's or the entity's to set, whichever way it does. */
const TIMESTAMPS: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'deleted_at', 'createdAt', 'updatedAt', 'deletedAt'])

/** The rules of a property; inside an embeddable, `meta` is the embeddable's. */
export function writeRulesOf (source: EntityProperty, meta: EntityMetadata): WriteRules {
  const persisted = meta.readonly !== true && isPersisted(source)
  // the class says what is in it: a client that could write it would turn a row into one of another class
  const discriminator = source.name === meta.root.discriminatorColumn
  const generated = source.autoincrement === true || source.default !== undefined || source.defaultRaw !== undefined || source.onCreate !== undefined
  const { onCreate, onUpdate } = source as { onCreate?: WriteRules['onCreate'], onUpdate?: WriteRules['onUpdate'] }
  return Object.freeze({
    persisted,
    writable: persisted && source.hidden !== true && source.version !== true && !discriminator && !isOwn(source, generated),
    optional: !persisted || isNullable(source, meta) || generated || discriminator || source.version === true || isCollection(source) || isInitialised(source, meta),
    generated,
    onCreate,
    onUpdate,
  })
}

/** A nullable embedded object makes all of its columns so; what it has to have when it is there, its own class says. */
function isNullable (source: EntityProperty, meta: EntityMetadata): boolean {
  const declared = source.embedded === undefined ? source : meta.properties[source.embedded[1] as never] as EntityProperty | undefined
  return (declared ?? source).nullable === true
}

/** Whether new entities have a value by an initialiser or the constructor of their class. */
function isInitialised ({ name }: EntityProperty, { class: Entity, embeddable }: EntityMetadata): boolean {
  if (embeddable) return false
  try {
    const entity = new (Entity as new () => Record<string, unknown>)()
    return entity[name] !== undefined && entity[name] !== null
  } catch {
    // a constructor that needs what it is given
    return false
  }
}

const isCollection = ({ kind }: EntityProperty): boolean => kind === ReferenceKind.ONE_TO_MANY || kind === ReferenceKind.MANY_TO_MANY

function isPersisted (source: EntityProperty): boolean {
  if (source.persist === false || source.formula !== undefined || source.generated !== undefined) return false
  switch (source.kind) {
    case ReferenceKind.ONE_TO_MANY: return false
    case ReferenceKind.ONE_TO_ONE: return source.owner === true
    default: return true
  }
}

/** What the entity sets by itself: a key that is generated, the public UUID, timestamps. */
function isOwn (source: EntityProperty, generated: boolean): boolean {
  if (source.primary === true) return generated
  if (source.name === 'uuid' && generated) return true
  const isTime = /^(?:timestamp|date\b)/.test(source.columnTypes?.[0] ?? '')
  return isTime && (TIMESTAMPS.has(source.name) || source.onCreate !== undefined || source.onUpdate !== undefined)
}
