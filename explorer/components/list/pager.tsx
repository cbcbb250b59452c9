/** Below the grid: which records are shown, and the way to others. */
import type { StyleName } from '../../../src/base/page-styles.ts'
import type { Paging, ResourceDescription } from '../../../src/explorer/description.ts'
import { isPastEnd, pageSize, totalOf, type List } from '../../state/list.ts'
import { usePhone } from '../../state/phone.ts'
import type { Pair } from '../../url/address.ts'
import {
  isNumbered, isScrolled, lastStart, numbersOf, skippedOf, STYLE_NAMES, styleOf, withSize, withSkipped, withStyle,
} from '../../url/pages.ts'
import { sortsOf } from '../../url/sorts.ts'
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
  const isEndless = isScrolled(style)
  const size = pageSize(paging, params, list)
  const isPhone = usePhone()
  const step = (by: 1 | -1): void => {
    const skipped = skippedOf(style, page, size) + by * size
    // before a page past the end is the last one
    const total = isPastEnd(list) ? totalOf(paging, list) : undefined
    onChange(withSkipped(params, total === undefined ? skipped : Math.min(skipped, lastStart(total, size)), size))
  }
  return (
    <footer class='pager'>
      <p class='pager-count' role='status'>{page ? countOf(list, isEndless, paging, words) : busy && 'Loading…'}</p>
      {isEndless
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
              onClick={() => step(-1)}
            />
            <span class='figures'>{page && placeOf(list, style, size)}</span>
            <Step
              name='Next page'
              icon='right'
              isOff={!page?.has_next}
              onClick={() => step(1)}
            />
          </div>
          )}
      {!isPhone && <PageChoices {...props} />}
    </footer>
  )
}

/** How many records a page has, and the way to other pages. On a phone, they are among the tools. */
export function PageChoices (props: Omit<PagerProps, 'words'>) {
  const { paging, canScroll, params, list, onChange } = props
  const style = styleOf(params)
  const size = pageSize(paging, params, list)
  const sizes = [...new Set([...SIZES.filter((each) => each <= paging.maxPerPage), size])].sort((a, b) => a - b)
  const styles = STYLE_NAMES.filter((name) => canScroll || name === style || !isScrolled(name))
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
          onChange={({ currentTarget }) => onChange(withStyle(params, currentTarget.value as StyleName))}
        >
          {styles.map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      </label>
    </>
  )
}

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

function placeOf (list: List, style: StyleName, size: number): string {
  const { page, items } = list
  if (isPastEnd(list)) return 'Past the end'
  const skipped = skippedOf(style, page, size)
  if (!isNumbered(style)) return `${countText(skipped + 1)}–${countText(skipped + items.length)}`
  const { place = 1, pages } = numbersOf(style, page)
  const known = pages && page?.total_is_minimum !== true
  return `Page ${countText(place)}${known ? ` of ${countText(pages)}` : ''}`
}

function countOf (
  { page, items, more }: List,
  isEndless: boolean,
  paging: Paging,
  words: PagerProps['words']
): string {
  if (isEndless) return `${countText(items.length)} loaded${more ? ', more follow' : ''}`
  if (page?.total === null || page?.total === undefined) {
    return `${countText(items.length)} shown, the total is not counted`
  }
  const about = paging.count === 'planned' ? 'About ' : page.total_is_minimum === true ? 'More than ' : ''
  return `${about}${words(page.total)}`
}
