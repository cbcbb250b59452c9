/** The related records that a form needs beside the record itself. */
import type { ResourceDescription } from '../../src/explorer/description.ts'
import { relationsOf } from './records.ts'

/**
 * The paths of to-many relations that the body of an update may set, and that can be included. Children come with the
 * records to which they refer, for their names.
 */
export function includesOfForm ({ bodies, includes, children }: ResourceDescription): string[] {
  const writable = Object.keys(bodies.update?.properties ?? {})
  return relationsOf(includes).filter(({ name, many, allowed }) => many && allowed && writable.includes(name))
    .flatMap((relation) => {
      const own = children.find(({ name }) => name === relation.name)
      const named = own &&
        relationsOf(relation.includes).filter(({ name, many, allowed }) =>
          !many && allowed && own.fields.some((field) => field.name === name && field.create)
        )
      return [relation.path, ...named?.map(({ path }) => path) ?? []]
    })
}
