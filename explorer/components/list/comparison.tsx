/** The same request as two callers, side by side. */
import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { ExplorerDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { columnsOf } from '../../api/columns.ts'
import { compare, type ComparedSide, type Side as SideList } from '../../api/compare.ts'
import { countText } from '../../api/format.ts'
import { keyOf, resourceAt, type Row } from '../../api/records.ts'
import { change } from '../../state/address.ts'
import { ApiContext, useApi, useDescription } from '../../state/context.ts'
import { useList, type List } from '../../state/list.ts'
import { callerWords, knownProfiles, useProfiles, type Profile } from '../../state/profiles.ts'
import type { Address } from '../../url/address.ts'
import { inChosenOrder } from '../../url/columns.ts'
import { sortsOf } from '../../url/sorts.ts'
import { Icon } from '../basics/icon.tsx'
import { Empty, ErrorNotice } from '../basics/notice.tsx'
import { keepWidths } from './column-order.tsx'
import { stopComparing } from './compare-menu.tsx'
import { Records } from './records.tsx'

interface ComparedProps {
  readonly resource: ResourceDescription
  readonly address: Address
  /** The list as the caller in use gets it. */
  readonly list: List
  /** Says why that list is refused. */
  readonly notice: ComponentChildren
  /** The name of the other profile. */
  readonly name: string
  readonly onSort: (name: string, add: boolean) => void
  readonly onFilter: (name: string) => void
}

export function Compared ({ resource, address, list, notice, name, onSort, onFilter }: ComparedProps) {
  const { description, profile } = useApi()
  const other = knownProfiles(useProfiles(), description).find((profile) => profile.name === name)
  const [{ value: theirs, error }] = useDescription(other)
  const theirAnswer = useList(description, other, address.path, address.params)
  const theirList = error ? { ...theirAnswer, error } : theirAnswer
  const theirResource = (theirs && resourceAt(theirs, resource.path)) ?? resource
  const left = useSide(resource, address, list)
  const right = useSide(theirResource, address, theirList)
  const both = useMemo(() => {
    if (!left.isComplete || !right.isComplete) return undefined
    return compare(
      left,
      right,
      (row) => keyOf(resource, row),
      (column) => column.field?.key === true || column.name === resource.lookup?.label
    )
  }, [left, right, resource])
  const sample = useMemo(() => both?.sides.flatMap(({ rows }) => rows.slice(0, 50)), [both])
  const follow = useScrollTogether()

  const common = { address, columns: both?.columns, sample, onSort, onFilter }
  return (
    <div class='comparison' onScrollCapture={follow}>
      <Caller
        {...common}
        profile={profile}
        description={description}
        resource={resource}
        list={list}
        notice={notice}
        own={left}
        compared={both?.sides[0]}
      />
      {other === undefined
        ? (
          <Empty title={`This tab has no caller “${name}”`}>
            <p>Add the headers under “Ask as”, or choose another caller under “Compare roles”.</p>
            <button type='button' class='button' onClick={() => stopComparing(address.own)}>Stop comparing</button>
          </Empty>
          )
        : (
          <Caller
            {...common}
            profile={other}
            description={theirs}
            resource={theirResource}
            list={theirList}
            notice={theirList.error && <ErrorNotice error={theirList.error} />}
            own={right}
            compared={both?.sides[1]}
            isSecond
          />
          )}
    </div>
  )
}

interface ListSide extends SideList {
  /** Whether the list has arrived. */
  readonly isComplete: boolean
}

function useSide (
  resource: ResourceDescription,
  { params, own: { order } }: Address,
  { page, items, error }: List
): ListSide {
  const isComplete = page !== undefined && error === undefined
  return useMemo(
    () => ({ columns: inChosenOrder(columnsOf(resource, params, items), order), rows: items, isComplete }),
    [resource, params, items, isComplete, order]
  )
}

/** Moves the other table along when one of them is scrolled. */
function useScrollTogether (): (event: Event & { readonly currentTarget: HTMLElement }) => void {
  // moving the other table is an event of that table, which must not move the first one
  const moved = useRef<{ readonly table: Element, readonly top: number, readonly left: number }>(undefined)
  return ({ currentTarget, target }) => {
    const table = target as HTMLElement
    const { scrollTop: top, scrollLeft: left } = table
    const last = moved.current
    if (last?.table === table && last.top === top && last.left === left) return
    for (const other of currentTarget.querySelectorAll('.grid-scroll')) {
      if (other === table) continue
      other.scrollTo(left, top)
      moved.current = { table: other, top: other.scrollTop, left: other.scrollLeft }
    }
  }
}

interface CallerProps {
  readonly profile: Profile
  readonly description: ExplorerDescription | undefined
  readonly resource: ResourceDescription
  readonly address: Address
  readonly list: List
  readonly notice: ComponentChildren
  readonly own: ListSide
  /** The columns of both lists, and the records beside those of the other list, when both have arrived. */
  readonly columns: SideList['columns'] | undefined
  readonly compared: ComparedSide | undefined
  readonly sample: readonly Row[] | undefined
  readonly isSecond?: boolean
  readonly onSort: (name: string, add: boolean) => void
  readonly onFilter: (name: string) => void
}

function Caller (props: CallerProps) {
  const { profile, description, resource, address, list, own, columns, compared, sample, isSecond } = props
  const name = callerWords(profile)
  return (
    <section class='caller' aria-label={name}>
      <header class='caller-head'>
        <Icon name='person' />
        <h2>{name}</h2>
        <span class='quiet'>
          {list.error ? `refused with ${list.error.status}` : own.isComplete && countsOf(list, own, compared)}
        </span>
        {isSecond && (
          <button
            type='button'
            class='button button-bare'
            title='Stop comparing'
            aria-label='Stop comparing'
            onClick={() => stopComparing(address.own)}
          >
            <Icon name='close' />
          </button>
        )}
      </header>
      {list.error
        ? props.notice
        : description && (
          <ApiContext.Provider value={{ description, profile }}>
            <Records
              params={address.params}
              resource={resource}
              columns={columns ?? own.columns}
              rows={compared?.rows ?? list.items}
              sorts={sortsOf(address.params)}
              busy={list.busy}
              label={`${resource.title}, ${name}`}
              total={undefined}
              open={address.own.open}
              marks={compared?.marks}
              sample={sample}
              onOpen={(open) => change({ own: { ...address.own, open } })}
              onSort={props.onSort}
              onFilter={props.onFilter}
              widths={address.own.widths}
              onWidths={(widths, how) => keepWidths(address.own, widths, how)}
              onEnd={undefined}
            />
          </ApiContext.Provider>
        )}
    </section>
  )
}

function countsOf ({ page, items }: List, { columns }: SideList, compared: ComparedSide | undefined): string {
  const about = page?.total_is_minimum === true ? 'more than ' : ''
  const only = compared !== undefined && compared.only > 0 ? `, ${compared.only} only here` : ''
  return `${about}${countText(page?.total ?? items.length)} records, ${columns.length} columns${only}`
}
