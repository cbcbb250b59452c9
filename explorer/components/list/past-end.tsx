/** A page behind the last one, which an address may ask for: how many pages there are, and the way to them. */
import type { Paging } from '../../../src/explorer/description.ts'
import { countText } from '../../api/format.ts'
import { pageSize, totalOf, type List } from '../../state/list.ts'
import type { Pair } from '../../url/address.ts'
import { atStart, isNumbered, lastStart, numbersOf, styleOf, withSkipped } from '../../url/pages.ts'
import { Empty } from '../basics/notice.tsx'

interface PastEndProps {
  readonly paging: Paging
  readonly params: readonly Pair[]
  readonly list: List
  /** A number of the things that are counted, in words. */
  readonly words: (count: number) => string
  readonly onChange: (params: readonly Pair[]) => void
}

export function PastEnd ({ paging, params, list, words, onChange }: PastEndProps) {
  const style = styleOf(params)
  const { place, pages } = numbersOf(style, list.page)
  const size = pageSize(paging, params, list)
  const total = totalOf(paging, list)
  const last = total === undefined ? undefined : lastStart(total, size)
  return (
    <Empty title={`${isNumbered(style) && place ? `Page ${countText(place)}` : 'This page'} is past the end`}>
      {total !== undefined && (
        <p class='quiet'>
          The list has {words(total)}
          {pages ? ` on ${countText(pages)} ${pages === 1 ? 'page' : 'pages'}` : ''}.
        </p>
      )}
      <p class='row'>
        {last !== undefined && (
          <button
            type='button'
            class='button button-main'
            onClick={() => onChange(withSkipped(params, last, size))}
          >
            Go to the last page
          </button>
        )}
        <button type='button' class='button' onClick={() => onChange(atStart(params))}>Go to the first page</button>
      </p>
    </Empty>
  )
}
