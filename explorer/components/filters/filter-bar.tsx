/** The filters of the list, and the builder of new ones. */
import type { ComponentChildren } from 'preact'
import type { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { useNames } from '../../state/names.ts'
import { usePhone } from '../../state/phone.ts'
import type { Pair } from '../../url/address.ts'
import { added, replaced, withoutFilters } from '../../url/change-filters.ts'
import { filterTreeOf, filtersOf, isGroup, withFilterTree, type FilterNode } from '../../url/filter-tree.ts'
import { parameterOf } from '../../url/filters.ts'
import { AddFilter, isJoinable } from './add-filter.tsx'
import type { FilterTree } from './filter-chip.tsx'
import { FilterNodes } from './filter-nodes.tsx'
import { SearchBox } from './search-box.tsx'
import { isSearch, wantedByFilters } from './words.ts'

interface FilterBarProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly error: CrudError | undefined
  /** The name of a filter for which a new condition is being made. */
  readonly draft: string | undefined
  readonly onDraft: (name: string | undefined) => void
  readonly onChange: (params: readonly Pair[]) => void
  /** Stands at the end of the bar. */
  readonly children?: ComponentChildren
}

export function FilterBar ({ resource, params, error, draft, onDraft, onChange, children }: FilterBarProps) {
  const { filters, combinesFilters } = resource
  // there, the search stands beside the menu that has this bar
  const isPhone = usePhone()
  const nodes = filterTreeOf(params)
  const nameOf = useNames(wantedByFilters(filters, nodes))
  const tree: FilterTree = {
    resource,
    error,
    nodes,
    nameOf,
    onChange: (next) => onChange(withFilterTree(params, next)),
  }
  const search = filters.find(isSearch)
  // the search has a box of its own, unless the API refuses its value
  const isInBox = (node: FilterNode): boolean =>
    !isGroup(node) && node.field === search?.name && node.operator === undefined &&
    error?.errorFor(parameterOf(node)) === undefined
  const canJoin = (node: FilterNode): boolean =>
    isGroup(node) || isJoinable(filters.find(({ name }) => name === node.field))
  const items = nodes.map((node, index) => ({ node, place: [index] })).filter(({ node }) => !isInBox(node))
  const joined = items.filter(({ node }) => canJoin(node))
  const [first, ...more] = joined
  // one `or` beside what holds for all records: any of its nodes must match
  const any = more.length === 0 && first && isGroup(first.node) && first.node.word === 'or' ? first : undefined
  const matched = any
    ? (any.node as { readonly nodes: readonly FilterNode[] }).nodes.map((node, index) => ({
        node,
        place: [...any.place, index],
      }))
    : joined
  const setAny = (isAny: boolean): void => {
    const others = nodes.filter((node) => !joined.some((each) => each.node === node))
    const those = matched.map(({ node }) => node)
    tree.onChange([...others, ...isAny ? [{ word: 'or', nodes: those } as const] : those])
  }
  const add = (node: FilterNode): void => {
    if (any && canJoin(node)) return tree.onChange(added(nodes, any.place, node))
    const isSame = (other: FilterNode): boolean =>
      !isGroup(node) && !isGroup(other) && parameterOf(other) === parameterOf(node)
    const same = combinesFilters ? -1 : nodes.findIndex(isSame)
    tree.onChange(same === -1 ? [...nodes, node] : replaced(nodes, [same], [node]))
  }
  return (
    <div class='filters' role='group' aria-label='Filters'>
      {search && !isPhone && <SearchBox path={resource.path} filter={search} params={params} onChange={onChange} />}
      <FilterNodes
        tree={tree}
        items={items.filter(({ node }) => !canJoin(node))}
        word='and'
        isWritten={false}
      />
      {(any || (combinesFilters && joined.length > 1)) && <MatchSwitch isAny={any !== undefined} onChange={setAny} />}
      <FilterNodes tree={tree} items={matched} word={any ? 'or' : 'and'} isWritten={any !== undefined} />
      {filters.length > 0 && (
        <AddFilter
          label='Add filter'
          slot={resource.path}
          filters={filters}
          draft={draft}
          onDraft={onDraft}
          taken={any ? [] : filtersOf(params)}
          canNegate={combinesFilters}
          onApply={(use, isNot) => add(isNot ? { word: 'not', nodes: [use] } : use)}
        />
      )}
      {items.length + matched.length > 2 && (
        <button
          type='button'
          class='button button-bare'
          onClick={() => onChange(withoutFilters(params))}
        >
          Remove all
        </button>
      )}
      {children}
    </div>
  )
}

interface MatchSwitchProps {
  readonly isAny: boolean
  readonly onChange: (isAny: boolean) => void
}

/** Whether records must match all filters, or any of them. */
function MatchSwitch ({ isAny, onChange }: MatchSwitchProps) {
  return (
    <div class='match' role='radiogroup' aria-label='Match'>
      <span class='quiet' aria-hidden='true'>Match</span>
      <div class='segments'>
        {[false, true].map((any) => (
          <label class='segment' key={String(any)}>
            <input type='radio' name='match' checked={any === isAny} onChange={() => onChange(any)} />
            <span>{any ? 'any' : 'all'}</span>
          </label>
        ))}
      </div>
    </div>
  )
}
