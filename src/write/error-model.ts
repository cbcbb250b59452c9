/** The model with which errors of the database name the properties of a written row. */
import type { EntityModel, Property } from '../model/index.ts'
import type { BodyRules } from '../plan/index.ts'
import type { Write } from './write.ts'

const models = new WeakMap<BodyRules, EntityModel>()

/** The model of a write, in which only those properties are writable that bodies of the operation may set. */
export function errorModelOf ({ model, resource, operation }: Write): EntityModel {
  const { create, update } = resource.writable
  const rules = operation === 'update'
    ? update
    : operation === 'create' || operation === 'createMany'
      ? create
      : undefined
  if (rules === undefined) return model
  let narrowed = models.get(rules)
  if (narrowed === undefined) models.set(rules, narrowed = narrow(model, rules))
  return narrowed
}

function narrow (model: EntityModel, { properties }: BodyRules): EntityModel {
  const closed = (property: Property): Property =>
    properties.has(property) ? property : { ...property, write: { ...property.write, writable: false } }
  return { ...model, properties: new Map([...model.properties].map(([name, property]) => [name, closed(property)])) }
}
