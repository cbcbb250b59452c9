/** The resources of one CRUD class: one for each ORM that uses it, each schema of its entities, and each role. */
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../access/index.ts'
import { schemaOf } from './models.ts'
import type { Resource } from './resource.ts'

export class BoundResources {
  readonly #byMetadata = new WeakMap<object, Map<string | undefined, Resource>>()
  readonly #byRole = new WeakMap<Role, BoundResources>()

  /** The resource for the ORM and schema of an EntityManager and for a role, bound at the first call for them. */
  of (em: EntityManager, role: Role | undefined, bind: () => Resource): Resource {
    if (role !== undefined) {
      let resources = this.#byRole.get(role)
      if (resources === undefined) this.#byRole.set(role, resources = new BoundResources())
      return resources.of(em, undefined, bind)
    }
    const metadata = em.getMetadata()
    const schema = schemaOf(em)
    let bySchema = this.#byMetadata.get(metadata)
    if (bySchema === undefined) this.#byMetadata.set(metadata, bySchema = new Map())
    let resource = bySchema.get(schema)
    if (resource === undefined) bySchema.set(schema, resource = bind())
    return resource
  }
}
