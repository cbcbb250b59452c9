/** The names of a resource's schemas: the ids under which a server has them, and their names in OpenAPI documents. */
import { madeOnce } from '../../base/made-once.ts'
import type { EntityModel } from '../../model/index.ts'

export interface SchemaNames {
  /** A record as reads return it. */
  readonly record: string
  /** A record as writes return it: complete, and without related records. */
  readonly written: string
  readonly page: string
  /** A page of groups. */
  readonly groups: string
  /** A list's query as a body, and the filters in it. */
  readonly query: string
  readonly filter: string
  readonly create: string
  readonly update: string
  readonly upsert: string
}

/**
 * Chooses the names of a resource's schemas: `Category`, `NewCategory`, `CategoryChanges`, `CategoryPage`. If one of
 * them is taken, all of them get the name of the resource as well, or its prefix, or a number.
 *
 * @param isTaken whether the server has another schema with this name
 */
export function schemaNames (
  { name }: EntityModel,
  resource: string,
  prefix: string,
  isTaken: (name: string) => boolean
): SchemaNames {
  const entity = identifier(name)
  const candidates = [entity, `${entity}_${identifier(resource)}`, `${entity}_${identifier(prefix)}`]
  for (let number = 2; ; number++) {
    const names = namesOf(candidates.shift()!)
    if (!Object.values(names).some(isTaken)) return names
    candidates.push(`${entity}_${number}`)
  }
}

const namesOf = (name: string): SchemaNames => ({
  record: name,
  written: `Written${name}`,
  page: `${name}Page`,
  groups: `${name}Groups`,
  query: `${name}Query`,
  filter: `${name}Filter`,
  create: `New${name}`,
  update: `${name}Changes`,
  upsert: `${name}Upsert`,
})

/** Reduces a text to the characters that names of components may have (OpenAPI 3.1, section 4.8.7). */
const identifier = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'Root'

/** The names of the schemas that the resources of a server have, in all its contexts. */
export const takenNames: (server: object) => Set<string> = madeOnce(() => new Set())
