/**
 * Reduces a whitelist to the entries whose properties exist for a role. The whitelist has been looked up in the
 * entity's own model before. So an entry that is not found in the role's model names a property that the role does not
 * see.
 */
import {
  changed, readSignedName, sortNames, type ChildrenConfig, type Facet, type Field, type GroupEntry, type GroupAggregate,
  type Include, type QueryBuilderConfig, type Sort, type WritableConfig,
} from '../config/index.ts'
import { ConfigError } from '../base/errors.ts'
import { aggregateName, leadsToHidden, owningSide, resolvePath, type EntityModel } from '../model/index.ts'
import type { Role } from './role.ts'

/**
 * The whitelist of a role.
 *
 * @param view the role's model of the entity
 */
export function whitelistFor (config: QueryBuilderConfig, view: EntityModel): QueryBuilderConfig {
  const allowedIncludes = config.allowedIncludes.flatMap((include) => includeFor(include, view))
  const numbers = new Set(allowedIncludes.flatMap((include) => numberNames(include, view)))
  const sight = {
    sees: (path: string) => exists(view, path) || numbers.has(path),
    isFree: (name: string) => isFree(name, view),
    seesDeletion: view.deletedAt?.hidden === false,
  }
  const allowedFilters = config.allowedFilters.flatMap((filter) => filter['~seenBy'](sight) ?? [])
  const allowedSorts = config.allowedSorts.flatMap((sort) => sortFor(sort, view, sight.sees))
  const urlNames = new Set([
    ...allowedSorts.flatMap(sortNames),
    // each allows a sort by relevance
    ...allowedFilters.flatMap(({ kind, alias, field }) => kind === 'fullText' ? [alias ?? field] : []),
  ])
  const declared = new Set(config.allowedSorts.flatMap(({ alias }) => alias ?? []))
  return changed(config, {
    allowedFilters,
    allowedSorts,
    allowedFields: config.allowedFields.filter(({ field }: Field) => exists(view, field)),
    allowedIncludes,
    allowedFacets: config.allowedFacets.filter(({ field }: Facet) => exists(view, field)),
    allowedGroups: config.allowedGroups.filter(({ field }: GroupEntry) => exists(view, field)),
    allowedAggregates: config.allowedAggregates.filter((entry: GroupAggregate) =>
      entry.kind === 'count' || exists(view, entry.field)
    ),
    defaultSort: config.defaultSort.filter((item) => {
      const { name } = readSignedName(item)
      return urlNames.has(name) || (!declared.has(name) && sight.sees(name))
    }),
  })
}

/** The option `writable` of a role: the names of properties that exist for it and that it may set. */
export function writableFor (
  config: WritableConfig | undefined,
  view: EntityModel,
  role: Pick<Role, 'ruleOf'>
): WritableConfig | undefined {
  if (config === undefined) return undefined
  const names = (list: 'all' | readonly string[] | undefined) =>
    typeof list === 'object' ? list.filter((name) => view.properties.get(name)?.write.writable) : list
  const own = { create: names(config.create), update: names(config.update) } as WritableConfig
  const { children } = config
  return children === undefined
    ? own
    : {
        ...own,
        children: {
          ...children.create && { create: childrenFor(children.create, view, role) },
          ...children.update && { update: childrenFor(children.update, view, role) },
        },
      }
}

/** The children that a role may write with their parent. They do not exist for it if it may not set their parent. */
function childrenFor (config: ChildrenConfig, view: EntityModel, role: Pick<Role, 'ruleOf'>): ChildrenConfig {
  const children = new Map<string, WritableConfig>()
  for (const [name, lists] of config) {
    const relation = view.properties.get(name)
    // the application's own model has been checked before
    if (relation?.kind !== 'relation' || relation.hidden || role.ruleOf(view.name)?.freezes(name) === true) continue
    const parent = owningSide(relation)
    if (parent === undefined || role.ruleOf(relation.target.name)?.freezes(parent.name) === true) continue
    children.set(name, writableFor(lists, relation.target, role)!)
  }
  return children
}

/** Whether a path leads to a property that exists for the role. */
function exists (view: EntityModel, path: string): boolean {
  try {
    resolvePath(view, path, '')
    return true
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}

function sortFor (sort: Sort, view: EntityModel, sees: (path: string) => boolean): Sort[] {
  if (sort.kind === 'custom') return isFree(sort.field, view) ? [sort] : []
  const fields = sort.fields.filter((field) => sees(field))
  return fields.length === 0 ? [] : [changed(sort, { fields })]
}

function includeFor (include: Include, view: EntityModel): Include[] {
  if (!exists(view, include.path)) return []
  if (include.kind === 'aggregate' || include.sort === undefined) return [include]
  const sort = include.sort.filter((item) => exists(view, `${include.path}.${readSignedName(item).name}`))
  return [changed(include, { sort: sort.length === 0 ? undefined : sort })]
}

/** The names of a number about a relation that filters and sorts may name: none for one about included records. */
function numberNames (include: Include, view: EntityModel): readonly string[] {
  if (include.kind !== 'aggregate') return []
  const path = resolvePath(view, include.path, '')
  // the path leads through the relation to a property, unless the number is about the related rows themselves
  const isOwn = path.relations.length === (path.property.kind === 'relation' ? 0 : 1)
  if (!isOwn) return []
  const own = aggregateName(path, include.function)
  return include.alias === undefined ? [own] : [own, include.alias]
}

/** Whether a name that need not be a property does not lead to a hidden one, which it would disclose. */
const isFree = (name: string, view: EntityModel): boolean => !leadsToHidden(view, name)
