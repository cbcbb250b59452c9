/** A value of a record, in full. Long texts and JSON are folded. */
import type { FieldDescription } from '../../../src/explorer/description.ts'
import { ToOne } from '../list/cell.tsx'
import { bytesText, cut, foldedJson, textOf, type Json } from '../../api/format.ts'

const LONG = 400
/** Longer texts are cut even when they are unfolded: a browser needs seconds to lay out megabytes. */
const LONGEST = 100_000

export function Value ({ value, field }: { readonly value: Json, readonly field: FieldDescription | undefined }) {
  if (value === null) return <span class='null'>null</span>
  if (value === '') return <span class='null'>empty text</span>
  if (field?.reference) return <ToOne path={field.reference.resource} value={value} />
  if (typeof value === 'object') {
    const text = JSON.stringify(value, null, 2)
    return (
      <details>
        <summary class='mono'>{foldedJson(value)}</summary>
        <pre tabIndex={0}>{cut(text, LONGEST)}</pre>
      </details>
    )
  }
  if (typeof value === 'string' && field?.value.type !== 'datetime') {
    if (value.length <= LONG) {
      return <bdi class={field?.value.type === 'uuid' ? 'mono long' : 'long'}>{cut(value, LONG)}</bdi>
    }
    return (
      <details>
        <summary>
          <bdi>{cut(value, 120)}</bdi> <span class='quiet'>{bytesText(value.length)}</span>
        </summary>
        <bdi class='long'>{cut(value, LONGEST)}</bdi>
      </details>
    )
  }
  const isMoment = field?.value.type === 'datetime'
  return (
    <span class='figures' title={String(value)}>
      {textOf(value, field?.value)}
      {isMoment && <span class='zone'>{' UTC'}</span>}
    </span>
  )
}
