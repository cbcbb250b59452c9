/**
 * The surface of an application: what each role may ask of each resource, as sorted texts. It is a projection of
 * `src/catalogue`, made for a file that people read in reviews.
 */
import { describeOffer, eachInclude, isAllowed, type Description, type Offer } from '../../catalogue/index.ts'
import { BODY_NAMES, factsOf, formsOfBodies, isMany, removes, takesBodies } from '../../config/index.ts'
import type { EntityModel } from '../../model/index.ts'
import { waysOf, type Way, type WayTarget } from '../../plan/index.ts'
import { offerOf, type KnownResource, type RoleResource } from '../../http/index.ts'
import { filtersOfEntity } from '../../resource/index.ts'

/** The roles of each resource, by the prefix of its routes. */
export type Surface = Readonly<Record<string, Readonly<Record<string, RoleSurface>>>>

/** What a role may do with a resource. Empty parts are left out. */
export interface RoleSurface {
  /** What requests may name, by kind. */
  readonly [grants: string]: SurfaceNames | SurfaceLimits
}

/** Names, or names with their details, such as filters with their operators. */
export type SurfaceNames = readonly string[] | Readonly<Record<string, readonly string[]>>

/** Maxima, by what they limit. `null` is no limit. */
export type SurfaceLimits = Readonly<Record<string, number | null>>

/** The role of applications that have no roles. */
const EVERYONE = 'everyone'

/** The part of a surface with conditions on requests and rows. If a name is missing there, requests may do more. */
export const GUARDS = 'guards'

/** Stands in the name of a guard of related records, before the path that leads to them: `rows of shop`. */
export const GUARD_OF = ' of '

export const LIMITS = 'limits'

/** The surface of the resources of a server. */
export function surfaceOf (resources: readonly KnownResource[]): Surface {
  const surface: Record<string, Record<string, RoleSurface>> = {}
  for (const known of resources) {
    const prefix = known.prefix === '' ? '/' : known.prefix
    const name = prefix in surface ? `${prefix} (${known.routed.bound.model.name})` : prefix
    surface[name] = Object.fromEntries(
      known.limits === undefined
        ? [[EVERYONE, roleSurface(known, undefined)]]
        : known.limits.resources.map((role) => [role.role.name, roleSurface(known, role)])
    )
  }
  return surface
}

type Parts = Readonly<Record<string, SurfaceNames | SurfaceLimits>>

function roleSurface (known: KnownResource, role: RoleResource | undefined): RoleSurface {
  const offer = offerOf(role ?? known.routed, known.options)
  const description = describeOffer(offer)
  const parts: Parts = {
    operations: offer.operations,
    ...takesFilters(offer) && { filters: filterParts(description) },
    ...offer.operations.includes('list') && { sorts: sortParts(offer) },
    ...offer.operations.some((operation) => operation === 'list' || operation === 'get') && recordParts(description),
    ...summaryParts(description),
    ...bodyParts(offer, description),
    options: [...optionsOf(offer), ...known.options.query === true ? ['query'] : []],
    [GUARDS]: [
      ...new Set([
        ...guardsOf(known, offer, role),
        ...includeGuards(known, offer, description, role),
        ...pathGuards(known, offer, role),
      ]),
    ],
    [LIMITS]: limitsOf(offer, description),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))
}

const takesFilters = ({ operations }: Offer): boolean =>
  operations.some((operation) => ['list', 'groups', 'filters'].includes(factsOf(operation).query))

function filterParts ({ filters }: Description): SurfaceNames {
  return Object.fromEntries(filters.map(({ name, looks, inputs, compares, target }) => [name, [
    ...inputs.map(({ operator }) => operator ?? looks),
    // the name of a filter by operators is that of its property, unless it has an alias
    ...compares.map((compared) => pathOf(compared)).filter((path) => target === undefined || path !== name)
      .map((path) => `of ${path}`),
  ]]))
}

const sortParts = ({ whitelist }: Offer): SurfaceNames =>
  waysOf(whitelist).flatMap((way) => way.kind === 'sort' ? [sortText(way)] : [])

function sortText ({ parameter, targets }: Way): string {
  return named(parameter.slice('sort='.length), ...targets.map((target) => pathOf(target)))
}

/** A name with what it stands for, unless that is the name. */
function named (name: string, ...paths: readonly string[]): string {
  return paths.length === 1 && paths[0] === name ? name : `${name} (${paths.join(', ')})`
}

/** The path of a property in records. */
function pathOf ({ relations, operand }: WayTarget): string {
  if (operand === undefined) return 'a callback'
  if (operand.kind === 'number' || operand.kind === 'relevance') return operand.name
  const last = operand.kind === 'json' ? [operand.property.publicName, ...operand.keys] : [operand.publicName]
  return [...relations.map(({ publicName }) => publicName), ...last].join('.')
}

function recordParts ({ fields, includes }: Description): Parts {
  const all = eachInclude(includes)
  return {
    fields: [
      ...fields.keys(),
      ...all.flatMap((include) =>
        include.kind === 'relation' ? [...include.fields.keys()].map((name) => `${include.path}.${name}`) : []
      ),
    ],
    includes: all.filter(isAllowed).map(({ path }) => path),
  }
}

/** Numbers about many records. */
function summaryParts ({ facets, groups, numbers }: Description): Parts {
  return {
    facets: facets.map((facet) => named(facet.name, pathOf(facet))),
    groups: groups.map((group) => {
      const period = group.period === undefined ? [] : [group.period.unit]
      return named(group.name, [pathOf(group), ...period].join('.'))
    }),
    aggregates: numbers.map(({ name, function: by, relations, operand }) =>
      named(name, operand === undefined ? name : `${pathOf({ relations, operand })}.${by}`)
    ),
  }
}

function bodyParts ({ operations, upsertKeys }: Offer, { settable, children }: Description): Parts {
  const names = (kind: 'create' | 'update'): string[] => [
    ...[...settable[kind] ?? []].map(({ publicName }) => publicName),
    ...children.flatMap(({ relation, added }) =>
      [...added[kind] ?? []].map(({ publicName }) => `${relation.publicName}.${publicName}`)
    ),
  ]
  return {
    create: names('create'),
    update: names('update'),
    children: children.flatMap(({ relation, changed, removed }) => [
      ...[...changed ?? []].map(({ publicName }) => `${relation.publicName}.${publicName}`),
      ...removed ? [`${relation.publicName} (remove)`] : [],
    ]),
    upsertKeys: takesBodies(operations, 'upsert')
      ? upsertKeys.map(({ properties }) => properties.map(({ publicName }) => publicName).join(','))
      : [],
  }
}

function optionsOf ({ hardDelete, ignoresReadonly, streams, operations, whitelist }: Offer): string[] {
  const { count, estimateAllRows } = whitelist.pagination
  return [
    ...operations.includes('list') && count !== 'none' ? ['total'] : [],
    // an estimate tells of rows that the caller does not see
    ...operations.includes('list') && count === 'planned' && estimateAllRows ? ['estimateAllRows'] : [],
    ...hardDelete && operations.some(removes) ? ['hardDelete'] : [],
    ...ignoresReadonly ? ['ignoresReadonly'] : [],
    ...operations.some((operation) => factsOf(operation).streams) ? streams : [],
  ]
}

function guardsOf ({ instance, routed }: KnownResource, offer: Offer, role: RoleResource | undefined): string[] {
  return [
    ...offer.scoped ? ['scope'] : [],
    ...entityGuards(routed.bound.model, instance, role),
    ...offer.requireIfMatch ? ['requireIfMatch'] : [],
    ...offer.idempotency === 'required' ? ['idempotencyKey'] : [],
  ]
}

/** What guards the rows of an entity wherever they are read. */
function entityGuards (
  model: EntityModel,
  { orm }: KnownResource['instance'],
  role: RoleResource | undefined
): string[] {
  return [
    ...role?.role.ruleOf(model.name)?.limitsRows === true ? ['rows'] : [],
    ...filtersOfEntity(orm.em, model.entity).filter((filter) => filter.default === true)
      .map(({ name }) => `filter ${name}`),
  ]
}

/** What guards related records: `rows of parts`. */
function includeGuards (
  { instance }: KnownResource,
  { whitelist }: Offer,
  { includes }: Description,
  role: RoleResource | undefined
): string[] {
  return eachInclude(includes).filter(isAllowed).flatMap((include) => {
    const entry = whitelist.includes.get(include.path)
    const where = entry?.kind === 'relation' ? entry.rules?.where : entry?.aggregate.where
    const { target } = include.kind === 'aggregate' ? include.aggregate.relation : include.relation
    const guards = [...where === undefined ? [] : ['where'], ...entityGuards(target, instance, role)]
    return guards.map((guard) => `${guard}${GUARD_OF}${include.path}`)
  })
}

/** What guards the records to which filters, sorts, facets and groups lead: `rows of shop`. */
function pathGuards ({ instance }: KnownResource, { whitelist }: Offer, role: RoleResource | undefined): string[] {
  return waysOf(whitelist).flatMap(({ kind, targets }) =>
    kind === 'include'
      ? []
      : targets.flatMap(({ relations }) =>
        relations.flatMap(({ target }, index) => {
          const path = relations.slice(0, index + 1).map(({ publicName }) => publicName).join('.')
          return entityGuards(target, instance, role).map((guard) => `${guard}${GUARD_OF}${path}`)
        })
      )
  )
}

function limitsOf (
  { operations, maxBatch, maxAffected }: Offer,
  { pages, includes, facets }: Description
): SurfaceLimits {
  const lists = operations.includes('list')
  return {
    ...lists && {
      maxPerPage: pages.maxPerPage,
      maxOffset: pages.maxOffset,
      maxIncluded: pages.maxIncluded,
      maxBytes: pages.maxBytes,
    },
    ...BODY_NAMES.some((name) => formsOfBodies(operations, name).list) && { maxBatch },
    ...operations.some(isMany) && { maxAffected },
    ...Object.fromEntries(
      eachInclude(includes).flatMap((include) =>
        include.kind === 'relation' && include.allowed && include.relation.many
          ? [[`include ${include.path}`, include.limit ?? null]]
          : []
      )
    ),
    ...Object.fromEntries(facets.map(({ name, limit }) => [`facet ${name}`, limit])),
  }
}
