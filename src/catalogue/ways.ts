/** Lists the ways in which the requests of a list or a record reach columns and related rows. */
import type { RelationProperty } from '../model/index.ts'
import { comparedBy, includePath, type Comparable, type Compared, type Whitelist } from '../plan/index.ts'

/** A parameter as a client writes it, without its value. */
export type Way =
  /** `include=project` */
  | { readonly kind: 'include', readonly parameter: string, readonly targets: readonly [WayTarget] }
  /** `filter[name]` */
  | { readonly kind: 'filter', readonly parameter: string, readonly targets: readonly Compared[] }
  /** `sort=name`, or the default sort. The targets are in the order of precedence. */
  | { readonly kind: 'order', readonly parameter: string, readonly targets: readonly WayTarget[] }

/** A property, and the relations that lead to it. An include and a custom sort have none. */
interface WayTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand?: Comparable
}

/** The ways of a whitelist: its includes, filters and sorts, and the default sort. */
export function waysOf ({ filters, sorts, defaultOrder, includes }: Whitelist): readonly Way[] {
  const order = (
    parameter: string,
    targets: ReadonlyArray<Whitelist['defaultOrder'][number]['target']>
  ): Way => ({
    kind: 'order',
    parameter,
    targets: targets.map((target) => 'callback' in target ? { relations: [] } : target),
  })
  return [
    ...[...includes.values()].map((entry): Way => ({
      kind: 'include',
      parameter: `include=${entry.name}`,
      targets: [{ relations: includePath(entry) }],
    })),
    ...[...filters.values()].map((entry): Way => ({
      kind: 'filter',
      parameter: `filter[${entry.name}]`,
      targets: comparedBy(entry),
    })),
    ...[...sorts.values()].map(({ name, targets }) => order(`sort=${name}`, targets)),
    order(DEFAULT_SORT, defaultOrder.map(({ target }) => target)),
  ]
}

/** How messages name the order of a list without a sort. */
export const DEFAULT_SORT = 'the default sort'
