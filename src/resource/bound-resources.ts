/** The resources of one CRUD class: one for each ORM that uses it, each schema of its entities, and each role. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { madeOnce } from '../base/made-once.ts'
import type { Role } from '../access/index.ts'
import type { Models } from '../model/index.ts'
import { modelsOf } from './models.ts'
import type { Resource } from './resource.ts'

export class BoundResources {
  /** By the models of an ORM and schema, so that resources are kept as long as these. */
  readonly #byModels = new WeakMap<Models, Resource>()
  readonly #ofRole: (role: Role) => BoundResources = madeOnce(() => new BoundResources())

  /** The resource for the ORM and schema of an EntityManager and for a role, bound at the first call for them. */
  of (em: EntityManager, role: Role | undefined, bind: () => Resource): Resource {
    if (role !== undefined) return this.#ofRole(role).of(em, undefined, bind)
    const models = modelsOf(em)
    let resource = this.#byModels.get(models)
    if (resource === undefined) this.#byModels.set(models, resource = bind())
    return resource
  }
}
