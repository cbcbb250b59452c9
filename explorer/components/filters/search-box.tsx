/** The search of a resource that has one. Enter asks. */
import type { FilterDescription } from '../../../src/explorer/description.ts'
import { usePhone } from '../../state/phone.ts'
import { useKept } from '../../state/unsaved.ts'
import type { Pair } from '../../url/address.ts'
import { withFilter, withoutFilter } from '../../url/change-filters.ts'
import { parameterOf } from '../../url/filters.ts'
import { valueOf } from '../../url/names.ts'

interface SearchBoxProps {
  /** The path of the resource. */
  readonly path: string
  readonly filter: FilterDescription
  readonly params: readonly Pair[]
  readonly onChange: (params: readonly Pair[]) => void
}

export function SearchBox ({ path, filter, params, onChange }: SearchBoxProps) {
  const use = { field: filter.name, operator: undefined }
  const isPhone = usePhone()
  const asked = valueOf(params, parameterOf(use)) ?? ''
  const [{ text }, keep] = useKept(`${path} search`, { text: asked })
  const apply = (): void => {
    keep(undefined)
    if (text === asked) return
    onChange(text === '' ? withoutFilter(params, parameterOf(use)) : withFilter(params, { ...use, value: text }))
  }
  return (
    <form
      role='search'
      class='search'
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <input
        type='search'
        aria-label={`Search: ${filter.description}`}
        title={filter.description}
        placeholder={isPhone ? 'Search' : 'Search, then Enter'}
        enterkeyhint='search'
        value={text}
        onInput={({ currentTarget: { value } }) => keep(value === asked ? undefined : { text: value })}
        onBlur={() => text === '' && apply()}
      />
    </form>
  )
}
