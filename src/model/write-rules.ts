/** Which properties are written, by whom, and what fills those that nobody gives. */
import { ReferenceKind, type EntityProperty } from '@mikro-orm/core'
import type { WriteRules } from './entity-model.ts'

/** Names of timestamps that are the database's or the entity's to set, whichever way it does. */
const TIMESTAMPS: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'deleted_at', 'createdAt', 'updatedAt', 'deletedAt'])

export function writeRulesOf (source: EntityProperty): WriteRules {
  const persisted = isPersisted(source)
  const generated = source.autoincrement === true || source.default !== undefined || source.defaultRaw !== undefined || source.onCreate !== undefined
  const { onCreate, onUpdate } = source as { onCreate?: WriteRules['onCreate'], onUpdate?: WriteRules['onUpdate'] }
  return Object.freeze({
    persisted,
    writable: persisted && source.hidden !== true && source.version !== true && !isOwn(source, generated),
    optional: !persisted || source.nullable === true || generated || source.version === true || isCollection(source),
    onCreate,
    onUpdate,
  })
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
