/** The columns of a property in the entity's own table. */
import type { Property } from './entity-model.ts'

/** The columns that hold a property. An embedded object has those of its members, a to-one relation its foreign key. */
export function columnsOf (property: Property): readonly string[] {
  switch (property.kind) {
    case 'scalar':
      return [property.column]
    case 'embedded':
      return [...property.properties.values()].flatMap(columnsOf)
    case 'relation':
      return property.join.kind === 'owner' ? property.join.columns : []
  }
}
