/** Below the grid: which records are shown, and the way to others. */
import type { Paging, ResourceDescription } from '../../../src/explorer/description.ts'
import type { List } from '../../state/list.ts'
import { usePhone } from '../../state/phone.ts'
import type { Pair } from '../../url/address.ts'
import { sortsOf } from '../../url/names.ts'
import { sizeOf, styleOf, withPlace, withSize, withStyle, type PageStyle } from '../../url/pages.ts'
import { Icon } from '../basics/icon.tsx'
import { countText } from '../../api/format.ts'

interface PagerProps {
  readonly paging: Paging
  /** Whether the order allows pages by cursor. */
  readonly canScroll: boolean
  /** A number of the things that are counted, in words. */
  readonly words: (count: number) => string
  readonly params: readonly Pair[]
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

const SIZES = [10, 20, 50, 100, 200, 500, 1000]

/** Whether pages by cursor are possible in the order of a list. */
export function canScroll ({ paging, sorts }: ResourceDescription, params: readonly Pair[]): boolean {
  const order = sortsOf(params)
  return order.length === 0
    ? paging.cursor
    : order.every(({ name }) => sorts.find((sort) => sort.name === name)?.cursor !== false)
}

export function Pager (props: PagerProps) {
  const { paging, words, params, list, onChange } = props
  const { page, busy, more, tailError } = list
  const style = styleOf(params)
  const size = pageSize(props)
  const isPhone = usePhone()
  return (
    <footer class='pager'>
      <p class='pager-count' role='status'>{page ? countOf(list, style, paging, words) : busy && 'Loading…'}</p>
      {style === 'cursor'
        ? (
          <>
            {tailError && <span class='bad'>{tailError.detail}</span>}
            <button type='button' class='button' disabled={busy || !more} onClick={more}>
              {more || busy ? 'Load more' : 'All loaded'}
            </button>
          </>
          )
        : (
          <div class='pager-steps'>
            <Step
              name='Previous page'
              icon='left'
              isOff={!page?.has_prev}
              onClick={() => onChange(stepped(params, list, size, -1))}
            />
            <span class='figures'>{page && placeOf(list)}</span>
            <Step
              name='Next page'
              icon='right'
              isOff={!page?.has_next}
              onClick={() => onChange(stepped(params, list, size, 1))}
            />
          </div>
          )}
      {!isPhone && <PageChoices {...props} />}
    </footer>
  )
}

/** How many records a page has, and the way to other pages. On a phone, they are among the tools. */
export function PageChoices (props: Omit<PagerProps, 'words'>) {
  const { paging, canScroll, params, onChange } = props
  const style = styleOf(params)
  const size = pageSize(props)
  const sizes = [...new Set([...SIZES.filter((each) => each <= paging.maxPerPage), size])].sort((a, b) => a - b)
  const styles: ReadonlyArray<readonly [PageStyle, string]> = [
    ['page', 'page'],
    ['offset', 'offset'],
    ...(canScroll || style === 'cursor' ? [['cursor', 'cursor'] as const] : []),
  ]
  return (
    <>
      <label class='pager-label'>
        <span class='wide'>Per page</span>
        <select
          aria-label='Per page'
          title='Per page'
          value={size}
          onChange={({ currentTarget }) => onChange(withSize(params, Number(currentTarget.value)))}
        >
          {sizes.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </label>
      <label class='pager-label'>
        <span class='wide'>Paging</span>
        <select
          aria-label='Paging'
          title='Paging: the way to other pages'
          value={style}
          onChange={({ currentTarget }) => onChange(withStyle(params, currentTarget.value as PageStyle))}
        >
          {styles.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
    </>
  )
}

const pageSize = ({ paging, params, list: { page } }: Pick<PagerProps, 'paging' | 'params' | 'list'>): number =>
  sizeOf(params) ?? page?.per_page ?? page?.limit ?? paging.defaultPerPage

interface StepProps {
  readonly name: string
  readonly icon: 'left' | 'right'
  readonly isOff: boolean
  readonly onClick: () => void
}

/** A button that stays focusable at the first and the last page, so that the focus is not lost there. */
function Step ({ name, icon, isOff, onClick }: StepProps) {
  return (
    <button
      type='button'
      class='button'
      title={name}
      aria-label={name}
      aria-disabled={isOff}
      onClick={() => isOff || onClick()}
    >
      <Icon name={icon} />
    </button>
  )
}

function stepped (params: readonly Pair[], { page }: List, size: number, by: 1 | -1): Pair[] {
  if (styleOf(params) === 'offset') return withPlace(params, Math.max(0, (page?.offset ?? 0) + by * size))
  return withPlace(params, (page?.page ?? 1) + by)
}

function placeOf ({ page, items }: List): string {
  if (page?.offset !== undefined) return `${countText(page.offset + 1)}–${countText(page.offset + items.length)}`
  const { page: number = 1, total_pages: pages } = page ?? {}
  const known = pages && page?.total_is_minimum !== true
  return `Page ${countText(number)}${known ? ` of ${countText(pages)}` : ''}`
}

function countOf (
  { page, items, more }: List,
  style: PageStyle,
  paging: Paging,
  words: PagerProps['words']
): string {
  if (style === 'cursor') return `${countText(items.length)} loaded${more ? ', more follow' : ''}`
  if (page?.total === null || page?.total === undefined) {
    return `${countText(items.length)} shown, the total is not counted`
  }
  const about = paging.count === 'planned' ? 'About ' : page.total_is_minimum === true ? 'More than ' : ''
  return `${about}${words(page.total)}`
}
