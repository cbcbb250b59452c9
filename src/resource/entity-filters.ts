/** MikroORM's filters of entities, as they are declared. */
import { Utils, type FilterDef } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'

/** The filters that the ORM's configuration and the entity declare for it, without those that `addFilter` adds. */
export function filtersOfEntity (em: EntityManager, entity: unknown): readonly FilterDef[] {
  const meta = em.getMetadata().get(entity as never)
  const declared = { ...meta.filters, ...em.config.get('filters') } as Record<string, FilterDef>
  return Object.entries(declared)
    .map(([name, filter]) => ({ ...filter, name }))
    .filter(({ entity }) =>
      entity === undefined || Utils.asArray(entity).some((named) => Utils.matchesEntity(named as never, meta as never))
    )
}
