/** Lists the ways in which requests that read or select rows reach columns and related rows. */
import type { RelationProperty } from '../model/index.ts'
import {
  comparedBy, documentOf, includePath, type Comparable, type Compared, type Relevance, type TextDocument,
  type Whitelist,
} from '../plan/index.ts'

/** A parameter as a client writes it, without its value. */
export type Way =
  /** `include=project` */
  | { readonly kind: 'include', readonly parameter: string, readonly targets: readonly [WayTarget] }
  /** `filter[name]` */
  | {
    readonly kind: 'filter',
    readonly parameter: string,
    readonly targets: readonly Compared[],
    /** The texts in which it looks for words. */
    readonly document: TextDocument | undefined,
  }
  /** `sort=name`, or the default sort. The targets are in the order of precedence. */
  | { readonly kind: 'order', readonly parameter: string, readonly targets: readonly WayTarget[] }
  /** `facets=status` */
  | { readonly kind: 'facet', readonly parameter: string, readonly targets: readonly [WayTarget] }
  /** `group=status` or `aggregate=price.sum` */
  | { readonly kind: 'group', readonly parameter: string, readonly targets: readonly [WayTarget] }

/** A property, and the relations that lead to it. An include, a custom sort and the number of rows have none. */
interface WayTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand?: Comparable | Relevance
}

/** The ways of a whitelist: its includes, filters, sorts, facets, groups and aggregates, and the default sort. */
export function waysOf (
  { filters, sorts, defaultOrder, includes, facets, groups, numbers }: Whitelist
): readonly Way[] {
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
      document: documentOf(entry),
    })),
    ...[...sorts.values()].map(({ name, targets }) => order(`sort=${name}`, targets)),
    order(DEFAULT_SORT, defaultOrder.map(({ target }) => target)),
    ...[...facets.values()].map((term): Way => ({
      kind: 'facet',
      parameter: `facets=${term.name}`,
      targets: [term],
    })),
    ...[...groups.values()].map((term): Way => ({ kind: 'group', parameter: `group=${term.name}`, targets: [term] })),
    ...[...numbers.values()].map((term): Way => ({
      kind: 'group',
      parameter: `aggregate=${term.name}`,
      targets: [term],
    })),
  ]
}

/** How messages name the order of a list without a sort. */
export const DEFAULT_SORT = 'the default sort'
