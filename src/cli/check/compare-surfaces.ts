/** Finds what a surface has more than another one, and what it has less. */
import {
  GUARD_OF, GUARDS, LIMITS, type SurfaceLimits, type SurfaceNames, type RoleSurface, type Surface,
} from './surface.ts'

interface SurfaceChanges {
  /** Sentences, one for each thing that requests may do now. */
  readonly widened: readonly string[]
  /** The same for what they may no longer do. */
  readonly narrowed: readonly string[]
}

export function compareSurfaces (old: Surface, young: Surface): SurfaceChanges {
  return { widened: gains(old, young), narrowed: gains(young, old) }
}

/** What the second surface allows and the first one does not. */
function gains (one: Surface, other: Surface): string[] {
  return Object.entries(other).flatMap(([prefix, roles]) =>
    Object.entries(roles).flatMap(([role, surface]) => {
      const place = `${prefix} for ${role}:`
      const before = one[prefix]?.[role]
      if (before !== undefined) return roleGains(before, surface).map((gain) => `${place} ${gain}`)
      return [`${place} the whole resource (${namesIn(surface['operations']).join(', ')})`]
    })
  )
}

function roleGains (one: RoleSurface, other: RoleSurface): string[] {
  const parts = Object.entries(other).filter(([part]) => part !== GUARDS && part !== LIMITS)
  return [
    ...parts.flatMap(([part, names]) => {
      const before = new Set(namesIn(one[part]))
      return namesIn(names).filter((name) => !before.has(name)).map((name) => `${part} ${name}`)
    }),
    // a guard that is gone lets requests do more
    ...namesIn(one[GUARDS]).filter((guard) => !namesIn(other[GUARDS]).includes(guard) && guardsOffer(guard, other))
      .map((guard) => `without ${guard}`),
    ...limitGains(one[LIMITS] as SurfaceLimits | undefined, other[LIMITS] as SurfaceLimits | undefined),
  ]
}

/** Whether a surface still has what a guard protects: the resource itself, or a way to the related records. */
function guardsOffer (guard: string, surface: RoleSurface): boolean {
  const [, path] = guard.split(GUARD_OF)
  if (path === undefined || namesIn(surface['includes']).includes(path)) return true
  // a name has the paths that it stands for: `title of shop.name`, `best (shop.name)`
  const paths = WAYS.flatMap((part) => namesIn(surface[part])).flatMap((name) => name.split(/[ (),]+/))
  return paths.some((one) => one.startsWith(`${path}.`))
}

/** The parts of a surface that lead to related records, beside its includes. */
const WAYS = ['filters', 'sorts', 'facets', 'groups', 'aggregates']

/** The names of a part, each with its details: `price gte`. */
function namesIn (part: SurfaceNames | SurfaceLimits | undefined): string[] {
  if (part === undefined) return []
  if (Array.isArray(part)) return part as string[]
  return Object.entries(part as Readonly<Record<string, readonly string[]>>).flatMap(([name, details]) =>
    details.map((detail) => `${name} ${detail}`)
  )
}

/** A limit that only one surface has belongs to an operation, an include or a facet that only this surface has. */
function limitGains (one: SurfaceLimits = {}, other: SurfaceLimits = {}): string[] {
  return Object.entries(other).flatMap(([name, limit]) => {
    const before = one[name]
    const grows = before !== undefined && (limit ?? Infinity) > (before ?? Infinity)
    return grows ? [`${name} ${before} is now ${limit ?? 'without limit'}`] : []
  })
}
