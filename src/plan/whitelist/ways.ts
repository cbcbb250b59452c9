/** Lists the ways in which requests reach columns and related rows: all that a whitelist lets them name. */
import type { RelationProperty } from '../../model/index.ts'
import type { Comparable, Relevance, TextDocument } from '../condition-types.ts'
import { comparedBy, documentOf, type Compared } from '../filters/index.ts'
import { includePath } from './includes.ts'
import type { Whitelist } from './index.ts'
import type { DefaultTerm } from './sorts.ts'

/** A parameter as a client writes it, without its value, and what it leads to. */
export type Way =
  /** `include=project`. `order` leads to the properties of related records by which they are sorted. */
  | WayOf<'include', readonly [WayTarget]> & { readonly order: readonly WayTarget[] }
  /** `filter[name]`. `document` has the texts in which it looks for words. */
  | WayOf<'filter', readonly Compared[]> & { readonly document: TextDocument | undefined }
  /** `sort=name`, or the order without a sort. The targets are in the order of precedence. */
  | WayOf<'sort' | 'defaultSort', readonly WayTarget[]>
  /** `facets=status`, and `group=status` or `aggregate=price.sum` */
  | WayOf<'facet' | 'group', readonly [WayTarget]>

interface WayOf<Kind, Targets> {
  readonly kind: Kind
  readonly parameter: string
  readonly targets: Targets
}

/** A property, and the relations that lead to it. An include, a custom sort and the number of rows have none. */
export interface WayTarget {
  readonly relations: readonly RelationProperty[]
  readonly operand?: Comparable | Relevance
}

/** The ways of a whitelist: its includes, filters, sorts, facets, groups and aggregates, and the default sort. */
export function waysOf (
  { filters, sorts, defaultOrder, includes, facets, groups, numbers }: Whitelist
): readonly Way[] {
  return [
    ...[...includes.values()].map((entry): Way => ({
      kind: 'include',
      parameter: `include=${entry.name}`,
      targets: [{ relations: includePath(entry) }],
      order: entry.kind === 'relation' ? entry.rules?.order ?? [] : [],
    })),
    ...[...filters.values()].map((entry): Way => ({
      kind: 'filter',
      parameter: `filter[${entry.name}]`,
      targets: comparedBy(entry),
      document: documentOf(entry),
    })),
    ...[...sorts.values()].map(({ name, targets }): Way => ({
      kind: 'sort',
      parameter: `sort=${name}`,
      targets: targets.map(sorted),
    })),
    { kind: 'defaultSort', parameter: DEFAULT_SORT, targets: defaultOrder.map(({ target }) => sorted(target)) },
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

const sorted = (target: DefaultTerm['target']): WayTarget => 'callback' in target ? { relations: [] } : target

/** The relations that a whitelist uses: to find rows, to order them, and to show them. */
export const relationsOfWhitelist = (whitelist: Whitelist): readonly RelationProperty[] =>
  waysOf(whitelist).flatMap((way) =>
    [...way.targets, ...way.kind === 'include' ? way.order : []].flatMap(({ relations }) => relations)
  )

/** How messages name the order of a list without a sort. */
export const DEFAULT_SORT = 'the default sort'
