/** The resources of one CRUD class: one for each ORM that uses it, and for each schema of its entities. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { schemaOf } from './models.ts'
import type { Resource } from './resource.ts'

export class BoundResources {
  readonly #byMetadata = new WeakMap<object, Map<string | undefined, Resource>>()

  /** The resource for the ORM and schema of an EntityManager, bound at the first call for them. */
  of (em: EntityManager, bind: () => Resource): Resource {
    const metadata = em.getMetadata()
    const schema = schemaOf(em)
    let bySchema = this.#byMetadata.get(metadata)
    if (bySchema === undefined) this.#byMetadata.set(metadata, bySchema = new Map())
    let resource = bySchema.get(schema)
    if (resource === undefined) bySchema.set(schema, resource = bind())
    return resource
  }
}
