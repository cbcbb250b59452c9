/** Numbers about the records of a resource, by groups: as a chart, and as a table. */
import { useMemo, useState } from 'preact/hooks'
import type { GroupDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { countText, type Json } from '../../api/format.ts'
import { groupText, groupTitle, numberTitle, pointsOf } from '../../api/groups.ts'
import { isNumeric } from '../../api/records.ts'
import { change } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { isPastEnd, useList, type List } from '../../state/list.ts'
import { useNames } from '../../state/names.ts'
import type { Address, Pair } from '../../url/address.ts'
import { filterTreeOf } from '../../url/filter-tree.ts'
import { namesOf } from '../../url/names.ts'
import { ascending } from '../../url/numbers.ts'
import { sortsOf, toggledSorts, withSorts } from '../../url/sorts.ts'
import { Empty } from '../basics/notice.tsx'
import { FilterBar } from '../filters/filter-bar.tsx'
import { NoMatch } from '../list/empty-list.tsx'
import { ListNotice } from '../list/list-notice.tsx'
import { Pager } from '../list/pager.tsx'
import { PastEnd } from '../list/past-end.tsx'
import { RequestLine } from '../list/request-line.tsx'
import { Tools } from '../list/tools.tsx'
import { ViewSwitch } from '../list/view-switch.tsx'
import { Chart } from './chart.tsx'
import { GroupsTable } from './groups-table.tsx'
import { TermsMenu } from './terms-menu.tsx'

interface NumbersPageProps {
  readonly resource: ResourceDescription
  readonly address: Address
}

export function NumbersPage ({ resource, address }: NumbersPageProps) {
  const { description, profile } = useApi()
  const { path, params } = address
  const list = useList(description, profile, path, params)
  const [draft, setDraft] = useState<string>()
  const set = (params: readonly Pair[]): void => change({ params })
  const bar = { params, onChange: set }
  const request = <RequestLine resource={resource} address={address} list={list} call={{ name: 'aggregate' }} />
  const paging = { ...bar, paging: resource.groupPaging, canScroll: false, list }
  const words = (count: number): string => `${countText(count)} ${count === 1 ? 'group' : 'groups'}`
  const view = (
    <div class='toolbar'>
      <h2 class='title'>{resource.title}</h2>
      <div class='row'>
        <ViewSwitch resource={resource} params={params} isNumbers />
      </div>
    </div>
  )
  const filters = (
    <FilterBar {...bar} resource={resource} error={list.error} draft={draft} onDraft={setDraft}>
      {resource.groups.length > 0 && (
        <TermsMenu
          {...bar}
          parameter='group'
          name='Group by'
          none='nothing'
          terms={resource.groups.map((group) => ({
            name: group.name,
            title: groupTitle(group),
            hint: group.period?.timeZone ?? undefined,
          }))}
        />
      )}
      {resource.numbers.length > 0 && (
        <TermsMenu
          {...bar}
          parameter='aggregate'
          name='Numbers'
          none='none'
          terms={resource.numbers.map((number) => ({
            name: number.name,
            title: numberTitle(number),
            hint: undefined,
          }))}
        />
      )}
    </FilterBar>
  )
  return (
    <div class='page'>
      <div class='page-list'>
        <Tools {...{ resource, request, filters, paging }} toolbar={() => view} done='Show the numbers' />
        <div class='page-main'>
          {list.error
            ? <ListNotice {...bar} resource={resource} list={list} />
            : isPastEnd(list)
              ? <PastEnd {...paging} words={words} />
              : <Numbers {...bar} resource={resource} address={address} list={list} />}
          {list.error === undefined && <Pager {...paging} words={words} />}
        </div>
      </div>
    </div>
  )
}

interface NumbersProps extends NumbersPageProps {
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

function Numbers ({ resource, address: { params, own }, list, onChange }: NumbersProps) {
  const { items, page, busy } = list
  // until the answer arrives, the former one stays, and has the former names
  const [groups, asked] = useMemo(
    () => [named(resource.groups, params, 'group'), named(resource.numbers, params, 'aggregate')] as const,
    [page]
  )
  const sorts = sortsOf(params)
  const drawable = asked.filter((number) => isNumeric(number))
  const number = drawable.find(({ name }) => name === own.chart) ??
    drawable.find(({ name }) => sorts.some((sort) => sort.name === name)) ?? drawable[0]
  const referring = groups.find(({ reference, period }) => reference !== null && period === null)
  const keys = items.flatMap((item) =>
    referring === undefined || item[referring.key] === null
      ? []
      : String(item[referring.key])
  )
  const path = referring?.reference?.resource ?? null
  const lookUp = useNames([{ path, keys }])
  const nameOf = (group: GroupDescription, value: Json | undefined): string =>
    (group === referring && value !== null ? lookUp(path, String(value)) : undefined) ?? groupText(value, group)
  const isTime = groups[0]?.period != null
  const isFirst = sorts.length === 0 || (groups[0] !== undefined && sorts[0]?.name === groups[0].name)
  const points = number && pointsOf(items, groups, number, nameOf, isTime && (isFirst || page?.total === items.length))
  const by = `by ${groups.map(wordsOf).join(' and ')}`
  if (page !== undefined && items.length === 0) {
    return filterTreeOf(params).length > 0
      ? <NoMatch {...{ resource, params, onChange }} />
      : <Empty title={`There are no ${resource.title.toLowerCase()} yet`} />
  }
  return (
    <div class='numbers'>
      {points && points.length > 0 && groups.length > 0 && (
        <Chart points={points} isTime={isTime} name={`${numberTitle(number)} ${by}`}>
          {drawable.length > 1
            ? (
              <label class='pager-label'>
                Chart of
                <select
                  value={number.name}
                  onChange={({ currentTarget }) => change({ own: { ...own, chart: currentTarget.value } }, 'replace')}
                >
                  {drawable.map((each) => <option key={each.name} value={each.name}>{numberTitle(each)}</option>)}
                </select>
                {by}
              </label>
              )
            : <span class='label'>{numberTitle(number)} {by}</span>}
        </Chart>
      )}
      <GroupsTable
        resource={resource}
        groups={groups}
        numbers={asked}
        items={items}
        params={params}
        sorts={sorts}
        busy={busy}
        nameOf={nameOf}
        onSort={(name, add) => onChange(withSorts(params, toggledSorts(sorts, name, add, ascending), ascending))}
      />
    </div>
  )
}

/** A group within a sentence. */
const wordsOf = (group: GroupDescription): string =>
  groupTitle(group).toLowerCase() + (group.period?.timeZone ? ` in ${group.period.timeZone}` : '')

/** The groups or the numbers that a parameter names, in its order. */
function named<Term extends { readonly name: string }> (
  terms: readonly Term[],
  params: readonly Pair[],
  parameter: string
): Term[] {
  return (namesOf(params, parameter) ?? []).flatMap((name) => terms.find((term) => term.name === name) ?? [])
}
