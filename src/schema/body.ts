/** The schemas of bodies with their compiled checks, made when they are first needed. */
import type { TObject } from '@sinclair/typebox'
import type { ErrorList } from '../base/error-list.ts'
import { isObject, type EntityModel, type Property } from '../model/index.ts'
import { namesForServer, type BodyRules, type Named } from '../plan/index.ts'
import { bodyErrors, type BodyError, type RecordNames } from './body-errors.ts'
import { clientSchema, serverSchema, type BodyOptions } from './body-schema.ts'
import { checkOf, type Check } from './check.ts'

/** The schema of the bodies of one operation, and what it refuses. */
export class Body {
  readonly schema: TObject
  /** The properties by the names that bodies use. */
  readonly byName: ReadonlyMap<string, Named>
  readonly #check: Check
  readonly #names: RecordNames

  constructor (schema: TObject, byName: ReadonlyMap<string, Named>, writable: () => Iterable<Property>) {
    this.schema = schema
    this.byName = byName
    this.#check = checkOf(schema)
    this.#names = {
      find: (name) => byName.get(name)?.property,
      writable: () =>
        [...writable()].filter((property) => property.write.writable).map((property) => property.publicName),
    }
  }

  /** Whether the data of a record is valid. */
  accepts (data: unknown): boolean {
    return isObject(data) && this.#check(data)
  }

  /**
   * All errors of a record that is not valid.
   *
   * @param pointer the prefix of their pointers, e.g. `/1` in a batch
   */
  errorsOf (data: unknown, pointer = ''): ErrorList<BodyError> {
    return bodyErrors(this.schema, data, this.#names, pointer)
  }
}

const ofClients = new WeakMap<BodyRules, (Body | undefined)[]>()
const ofServers = new WeakMap<EntityModel, Body>()

/** The bodies of clients by their rules. */
export function clientBody (model: EntityModel, rules: BodyRules, options: BodyOptions): Body {
  let bodies = ofClients.get(rules)
  if (bodies === undefined) ofClients.set(rules, bodies = new Array<Body | undefined>(4).fill(undefined))
  const index = (options.complete ? 1 : 0) + (options.readonly === true ? 2 : 0)
  bodies[index] ??= new Body(clientSchema(model, rules, options), rules.byName, () => rules.properties)
  return bodies[index]
}

/** The data of the application for an entity. */
export function serverBody (model: EntityModel): Body {
  let body = ofServers.get(model)
  if (body === undefined) {
    ofServers.set(
      model,
      body = new Body(serverSchema(model), namesForServer(model), () => model.properties.values())
    )
  }
  return body
}
