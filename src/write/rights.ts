/** The rights of the caller of a write with a key: the answer of the write shows what they allowed. */
import { wait, type Steps } from '../base/steps.ts'
import { textOfCondition, type Where } from '../conditions/index.ts'
import { factsOf, OPERATIONS } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import { rulesOfBody, type BodyRules, type ManyTarget } from '../plan/index.ts'
import {
  activeFilters, switchedFilters, waitForFilteredRows, type ActiveFilters, type Call,
} from '../resource/index.ts'
import { beginWrite, entitiesOfLinks, filterTypeOf, type Write } from './write.ts'

/**
 * Returns a text that is the same only for callers with the same rights. It has the role and its operations, the scope,
 * the rows of the role, and the conditions of MikroORM's filters. It is about all entities that the write can lead to,
 * whatever the request says of them. Filters that requests switch on count only if this request does.
 *
 * @param target the records that filters of the request select, if the operation writes these
 * @throws the errors of a scope that is not a valid condition
 */
export function * rightsOf (call: Call, target?: ManyTarget): Steps<string> {
  const write = beginWrite(call)
  const { scope, model, resource, session, conditions } = write
  const { actor } = call
  const entities = entitiesBehindWrite(write)
  const reads = yield * wait(activeFilters(session, resource.entitiesWithScope(entities, conditions)))
  const writes = yield * wait(activeFilters(session, [model], filterTypeOf(write)))
  const switched = target === undefined ? [] : [...(yield * wait(switchedFilters(session, target))).values()]
  const ofRole: string[] = []
  if (actor?.role.unlimited === false) {
    for (const other of entities) {
      // the scope has the rows of the resource itself
      if (other === model) continue
      const rule = actor.role.ruleOf(other.name)
      const allowed = OPERATIONS.filter((one) => rule?.allows(one) === true)
      ofRole.push(other.name, allowed.join(), textOf(yield * waitForFilteredRows(session, actor, other)))
    }
  }
  return JSON.stringify([
    actor?.role.name ?? '',
    textOf(scope?.where),
    textsOf(reads),
    textsOf(writes),
    switched.map(textOf),
    ofRole,
  ])
}

/** The entities that a write may read or write: by its filters, its references and links, and its children. */
function entitiesBehindWrite ({ model, resource, operation }: Write): readonly EntityModel[] {
  const entities = new Set(factsOf(operation).query === 'filters' ? resource.entities : [model])
  addWritten(rulesOfBody(resource.writable, operation), entities)
  return [...entities]
}

function addWritten (rules: BodyRules | undefined, entities: Set<EntityModel>): void {
  if (rules === undefined) return
  for (const property of rules.properties) {
    if (property.kind !== 'relation') continue
    for (const entity of entitiesOfLinks(property)) entities.add(entity)
  }
  for (const { relation, create, update } of rules.children.values()) {
    entities.add(relation.target)
    addWritten(create, entities)
    addWritten(update, entities)
  }
}

const textsOf = (filters: ActiveFilters): readonly string[] =>
  [...filters].flatMap(([{ name }, where]) => [name, textOf(where)])

const textOf = (where: Where | undefined): string => where === undefined ? '' : textOfCondition(where)
