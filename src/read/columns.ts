/** The columns of a stream's records, for formats with columns such as CSV. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { wireTypeOf } from '../model/index.ts'
import { planStream, type Selection } from '../plan/index.ts'
import type { QueryParams } from '../query/index.ts'
import { knownActor, resourceFor, type CrudClass } from '../resource/index.ts'

/** A column of a stream. */
export interface StreamColumn {
  readonly name: string
  /** Whether its values are numbers, dates or times. */
  readonly numeric: boolean
}

/** The keys of a stream's records for `params`, in order. */
export function streamColumns (crud: CrudClass, em: EntityManager, params: QueryParams): readonly StreamColumn[] {
  const { whitelist } = resourceFor(crud, em, knownActor(em), 'stream')
  const { properties, includes, aggregates } = planStream(params, whitelist).selection
  return [
    ...properties.map((property) => ({ name: property.publicName, numeric: isNumeric(property) })),
    ...includes.map(({ relation }) => ({ name: relation.publicName, numeric: false })),
    ...aggregates.map(({ name, type, property }) => ({
      name,
      numeric: property?.codec === undefined && wireTypeOf(type).numeric,
    })),
  ]
}

/** A property with a custom type is not numeric, since the custom type may write any value. */
function isNumeric (property: Selection['properties'][number]): boolean {
  if (property.kind === 'embedded') return false
  const { codec, type } = property.kind === 'scalar' ? property : property.key[0]!
  return codec === undefined && wireTypeOf(type).numeric
}
