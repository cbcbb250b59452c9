/** The page of a resource: the request, the filters, the records, and the record in the drawer. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { columnsOf } from '../../api/columns.ts'
import { change, go, goBack } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { totalOf, useList } from '../../state/list.ts'
import { usePhone } from '../../state/phone.ts'
import { useSelection } from '../../state/selection.ts'
import type { Address, Pair } from '../../url/address.ts'
import { inChosenOrder } from '../../url/columns.ts'
import { targetOf } from '../../url/many.ts'
import { recordsText } from '../../api/format.ts'
import { namesOf } from '../../url/names.ts'
import { withoutIrrelevant } from '../../url/relevance.ts'
import { sortsOf, toggledSorts, withSorts, type Direction, type SortUse } from '../../url/sorts.ts'
import { Icon } from '../basics/icon.tsx'
import { FilterBar } from '../filters/filter-bar.tsx'
import { ManyBar, selectedWords } from '../many/many-bar.tsx'
import { ManyDrawer } from '../many/many-drawer.tsx'
import { Drawer } from '../record/drawer.tsx'
import { keepWidths, moveColumn, type Arrangement } from './column-order.tsx'
import { Compared } from './comparison.tsx'
import { EmptyList } from './empty-list.tsx'
import { Facets } from './facets.tsx'
import { ListNotice } from './list-notice.tsx'
import { NoList } from './no-list.tsx'
import { canScroll, Pager } from './pager.tsx'
import { Records } from './records.tsx'
import { RequestLine } from './request-line.tsx'
import { SortMenu } from './sort-menu.tsx'
import { NewButton, Toolbar } from './toolbar.tsx'
import { TOOLS, Tools } from './tools.tsx'
import type { Widths } from './use-widths.ts'

interface ResourcePageProps {
  readonly resource: ResourceDescription
  readonly address: Address
}

export function ResourcePage ({ resource, address }: ResourcePageProps) {
  const { description, profile } = useApi()
  const { path, params, own } = address
  const list = useList(description, resource.operations.list ? profile : undefined, path, params)
  const { more, reload } = list
  const [draft, setDraft] = useState<string>()
  const selection = useSelection(resource, params, list, profile)
  const selected = selection?.selected
  const isPhone = usePhone()
  const [isSelecting, setSelecting] = useState(false)
  const isSplit = own.open !== undefined || own.create !== undefined
  const kind = own.many === 'update' || own.many === 'delete' ? own.many : undefined
  const many = kind && resource.operations[`${kind}Many`] && own.compare === undefined ? kind : undefined
  // a link or a reload selects nothing, and other filters end the selection
  const isOver = own.many !== undefined && (many === undefined || selected === undefined) && !list.busy
  useEffect(() => {
    if (isOver) change({ own: { ...own, many: undefined! } }, 'replace')
  }, [isOver])
  const usualColumns = useMemo(() => columnsOf(resource, params, list.items), [resource, params, list.page])
  const columns = useMemo(() => inChosenOrder(usualColumns, own.order), [usualColumns, own.order])
  const shown = useRef<Widths>([])
  const arrangement: Arrangement = { usual: usualColumns, columns, shown }
  const usual = (name: string): Direction =>
    resource.sorts.find((sort) => sort.name === name)?.descending ? 'desc' : 'asc'
  const sorts = usedSorts(resource, params)

  const set = (params: readonly Pair[]): void => change({ params: withoutIrrelevant(params, resource.sorts) })
  const open = (key: string): void => go({ path, params, own: { ...own, open: key } })
  const sort = (name: string, add: boolean): void =>
    set(withSorts(params, toggledSorts(sorts, name, add, usual), usual))

  const hasDrawer = isSplit || (many !== undefined && selected !== undefined)
  const closeDrawer = (): void => {
    const { open: _, create: __, many: ___, ...others } = own
    const list: Address = { path, params, own: others }
    if (isPhone) goBack(list)
    else go(list)
  }
  // When the drawer is closed, also by Back, the focus goes to its record, unless it is elsewhere
  const opened = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (!hasDrawer && opened.current !== undefined && document.activeElement === document.body) {
      focusRow(opened.current)
    }
    opened.current = hasDrawer ? own.open ?? '' : undefined
  })

  // a phone has little room, so that its cards have boxes only when they are needed
  const isSelectable = selection !== undefined &&
    (!isPhone || isSelecting || selection.done !== undefined || Array.isArray(selected))
  const paging = { paging: resource.paging, canScroll: canScroll(resource, params), params, list, onChange: set }
  const newButton = <NewButton resource={resource} address={address} list={list} />
  const toolbar = (close?: () => void) => (
    <Toolbar {...{ resource, address, arrangement }} onChange={set} onChosen={close}>
      {close === undefined
        ? newButton
        : selection && (
          <button
            type='button'
            class='button'
            onClick={() => {
              close()
              setSelecting(true)
            }}
          >
            <Icon name='check' />
            <span>Select records</span>
          </button>
        )}
    </Toolbar>
  )
  const request = <RequestLine resource={resource} address={address} list={list} call={{ name: 'list' }} />
  const filters = (
    <FilterBar
      resource={resource}
      params={params}
      error={list.error}
      draft={draft}
      onDraft={setDraft}
      onChange={set}
    >
      {resource.sorts.length > 0 && (
        <SortMenu
          resource={resource}
          params={params}
          sorts={sorts}
          usual={usual}
          detail={list.error?.errorFor('sort')?.detail}
          onChange={set}
        />
      )}
    </FilterBar>
  )
  const notice = list.error && <ListNotice resource={resource} params={params} list={list} onChange={set} />

  return (
    <div class={hasDrawer ? 'page page-split' : 'page'}>
      <div class='page-list'>
        {resource.operations.list
          ? (
            <Tools
              {...{ resource, request, filters, toolbar, paging }}
              done={list.page?.total == null ? 'Show the records' : `Show ${recordsText(list.page.total)}`}
              beside={newButton}
            />
            )
          : toolbar()}
        <div class='page-body'>
          {namesOf(params, 'facets') && own.compare === undefined && (
            <Facets resource={resource} params={params} list={list} onChange={set} />
          )}
          <div class='page-main'>
            {own.compare === undefined && notice}
            {isSelectable && own.compare === undefined && list.page && !list.error && (
              <ManyBar
                resource={resource}
                list={list}
                selection={selection}
                onEnd={isPhone
                  ? () => {
                      selection.clear()
                      setSelecting(false)
                    }
                  : undefined}
              />
            )}
            {!resource.operations.list
              ? <NoList resource={resource} onOpen={open} />
              : own.compare !== undefined
                ? (
                  <Compared
                    resource={resource}
                    address={address}
                    list={list}
                    notice={notice}
                    name={own.compare}
                    onSort={sort}
                    onFilter={setDraft}
                  />
                  )
                : list.error === undefined && (
                  <>
                    {list.page !== undefined && list.items.length === 0
                      ? <EmptyList resource={resource} params={params} list={list} onChange={set} />
                      : (
                        <Records
                          params={params}
                          resource={resource}
                          columns={columns}
                          rows={list.items}
                          sorts={sorts}
                          busy={list.busy}
                          label={resource.title}
                          total={list.page?.total_is_minimum === true ? undefined : list.page?.total ?? undefined}
                          open={own.open}
                          selection={isSelectable && selection.filter && selection.hasKeys ? selection : undefined}
                          onOpen={open}
                          onSort={sort}
                          onFilter={setDraft}
                          widths={own.widths}
                          shown={shown}
                          onWidths={(widths, how) => keepWidths(own, widths, how)}
                          onMove={(name, step) => moveColumn(arrangement, own, name, step)}
                          onEnd={more}
                        />
                        )}
                    <Pager {...paging} words={recordsText} />
                  </>
                )}
          </div>
        </div>
      </div>
      {!isSplit && many && selected && (
        <ManyDrawer
          key={many}
          resource={resource}
          kind={many}
          target={targetOf(params, selected, selection.filter)}
          words={selectedWords(selected, totalOf(resource.paging, list))}
          onDone={(words) => {
            selection.finish(words)
            reload()
            closeDrawer()
          }}
          onClose={closeDrawer}
        />
      )}
      {isSplit && (
        <Drawer
          key={own.open ?? 'new'}
          resource={resource}
          address={address}
          onChanged={reload}
          onClose={closeDrawer}
        />
      )}
    </div>
  )
}

/** Moves the focus to the record with a key, or to the place in the table, or to the tools of a phone. */
function focusRow (key: string): void {
  const records = [...document.querySelectorAll<HTMLElement>('[data-record]')]
  const place = records.find(({ dataset }) => dataset['record'] === key) ??
    document.querySelector<HTMLElement>('[data-cell][tabindex="0"]') ?? document.querySelector<HTMLElement>(`.${TOOLS}`)
  place?.focus()
}

/** The order of the list: that of the URL, or the default. A default that has no name in `sort` is not shown. */
function usedSorts (resource: ResourceDescription, params: readonly Pair[]): SortUse[] {
  const asked = sortsOf(params)
  if (asked.length > 0) return asked
  return resource.defaultSort.flatMap(({ name, descending }): SortUse[] =>
    name === null ? [] : [{ name, direction: descending ? 'desc' : 'asc' }]
  )
}
