/** Makes the document of the resources that a caller may use. */
import { describeFilters, type DescribedFilter } from '../catalogue/index.ts'
import { MAX_INCLUDE_DEPTH } from '../config/index.ts'
import type { EntityModel } from '../model/index.ts'
import { MAX_PATTERN_LENGTH } from '../operators/index.ts'
import { MAX_INCLUDES } from '../plan/index.ts'
import { MAX_LIST_ITEMS, MAX_QUERY_BYTES } from '../query/index.ts'
import type { ExplorerDescription, HeaderHint } from './description.ts'
import { describeResource, type Others, type UsableResource } from './resource.ts'

/** The parts of the document that do not depend on the caller. */
export interface ExplorerFacts {
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
  const others = othersOf(usable)
  const roles = usable.flatMap(({ known }) => [...known.limits?.access.roles.keys() ?? []])
  return {
    format: 1,
    title,
    root,
    docs,
    resources: usable.map((resource) => describeResource(resource, others)),
    role: usable.find(({ role }) => role !== undefined)?.role?.role.name ?? null,
    roles: namesRoles ? [...new Set(roles)] : [],
    headers,
    explain,
    limits: {
      includes: MAX_INCLUDES,
      includeDepth: MAX_INCLUDE_DEPTH,
      listItems: MAX_LIST_ITEMS,
      patternLength: MAX_PATTERN_LENGTH,
      queryLength: MAX_QUERY_BYTES,
    },
  }
}

/** Finds the resource that has the records of an entity. One that lists and gets them comes first. */
function othersOf (usable: readonly UsableResource[]): Others {
  const byEntity = new Map<string, UsableResource[]>()
  for (const resource of usable) {
    const { bound: { model } } = resource.known.routed
    byEntity.set(model.name, [...byEntity.get(model.name) ?? [], resource])
  }
  const offers = ({ known, role }: UsableResource, operation: 'list' | 'get'): boolean =>
    (role ?? known.routed).operations.includes(operation)
  const find = ({ name }: EntityModel, ...tests: readonly ((resource: UsableResource) => boolean)[]) => {
    const having = byEntity.get(name) ?? []
    for (const test of tests) {
      const found = having.find(test)
      if (found !== undefined) return found
    }
    return undefined
  }
  const described = new Map<UsableResource, readonly DescribedFilter[]>()
  const filtersOf = (resource: UsableResource): readonly DescribedFilter[] => {
    let filters = described.get(resource)
    if (filters === undefined) {
      described.set(resource, filters = describeFilters((resource.role ?? resource.known.routed).bound.whitelist))
    }
    return filters
  }
  const lists = (resource: UsableResource): boolean => offers(resource, 'list')
  const gets = (resource: UsableResource): boolean => offers(resource, 'get')
  return {
    referenceTo: (model) => ({
      entity: model.name,
      resource: find(model, (resource) => lists(resource) && gets(resource), gets, lists)?.known.prefix ?? null,
    }),
    listOf: (model) => {
      const found = find(model, (resource) => lists(resource) && gets(resource), lists)
      return found && { path: found.known.prefix, filters: filtersOf(found) }
    },
  }
}
