/** Makes the document of the resources that a caller may use. */
import { MAX_INCLUDE_DEPTH } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import { MAX_PATTERN_LENGTH } from '../operators/index.ts'
import { MAX_INCLUDES } from '../plan/index.ts'
import { MAX_CONDITIONS, MAX_GROUP_DEPTH, MAX_LIST_ITEMS, MAX_QUERY_BYTES } from '../query/index.ts'
import type { ExplorerDescription, HeaderHint } from './description.ts'
import type { Others } from './show-include.ts'
import { describeUsable, showResource, type DescribedResource, type UsableResource } from './show-resource.ts'

/** The parts of the document that do not depend on the caller. */
interface ExplorerFacts {
  readonly title: string
  readonly root: string
  readonly docs: string | null
  readonly headers: readonly HeaderHint[]
  readonly explain: boolean
  /** Whether the document names roles. */
  readonly namesRoles: boolean
}

export function describeApi (facts: ExplorerFacts, usable: readonly UsableResource[]): ExplorerDescription {
  const { title, root, docs, headers, explain, namesRoles } = facts
  const described = usable.map(describeUsable)
  const others = othersOf(described)
  const roles = usable.flatMap(({ known }) => [...known.limits?.access.roles.keys() ?? []])
  return {
    format: 1,
    title,
    root,
    docs,
    resources: described.map((resource) => showResource(resource, others)),
    role: usable.find(({ role }) => role !== undefined)?.role?.role.name ?? null,
    roles: namesRoles ? [...new Set(roles)] : [],
    headers,
    explain,
    limits: {
      includes: MAX_INCLUDES,
      includeDepth: MAX_INCLUDE_DEPTH,
      listItems: MAX_LIST_ITEMS,
      groupDepth: MAX_GROUP_DEPTH,
      conditions: MAX_CONDITIONS,
      patternLength: MAX_PATTERN_LENGTH,
      queryLength: MAX_QUERY_BYTES,
    },
  }
}

/** Finds the resource that has the records of an entity. One that lists and gets them comes first. */
function othersOf (usable: readonly DescribedResource[]): Others {
  const byEntity = Map.groupBy(usable, ({ offer }) => offer.model.name)
  const find = ({ name }: EntityModel, ...tests: ReadonlyArray<(resource: DescribedResource) => boolean>) => {
    const having = byEntity.get(name) ?? []
    for (const test of tests) {
      const found = having.find(test)
      if (found !== undefined) return found
    }
    return undefined
  }
  const lists = ({ offer }: DescribedResource): boolean => offer.operations.includes('list')
  const gets = ({ offer }: DescribedResource): boolean => offer.operations.includes('get')
  const both = (resource: DescribedResource): boolean => lists(resource) && gets(resource)
  return {
    referenceTo: (model) => ({
      entity: model.name,
      resource: find(model, both, gets, lists)?.known.prefix ?? null,
    }),
    listOf: (model) => {
      const found = find(model, both, lists)
      return found && { path: found.known.prefix, filters: found.description.filters }
    },
  }
}
