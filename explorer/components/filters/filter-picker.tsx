/** The list of all filters, from which a person picks one. Typing narrows it. */
import { useState } from 'preact/hooks'
import type { FilterDescription } from '../../../src/explorer/description.ts'
import { usePhone } from '../../state/phone.ts'
import { filterTitle, typeWord } from './words.ts'

interface FilterPickerProps {
  readonly filters: readonly FilterDescription[]
  readonly onPick: (name: string) => void
}

export function FilterPicker ({ filters, onPick }: FilterPickerProps) {
  const isPhone = usePhone()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const words = text.toLowerCase().split(/\s+/)
  const found = filters.filter(({ name }) =>
    words.every((word) => filterTitle(name).toLowerCase().includes(word) || name.includes(word))
  )
  const at = Math.min(active, found.length - 1)
  return (
    <div class='picker'>
      <input
        // on a phone, the list needs the room of the keyboard
        data-first={isPhone ? undefined : true}
        role='combobox'
        aria-label='Find a filter'
        aria-expanded='true'
        aria-controls='filter-options'
        aria-activedescendant={found[at] && `filter-${found[at].name}`}
        placeholder='Find a filter'
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive(0)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined) {
            event.preventDefault()
            const next = Math.max(0, Math.min(found.length - 1, at + step))
            setActive(next)
            document.getElementById(`filter-${found[next]?.name}`)?.scrollIntoView({ block: 'nearest' })
          } else if (event.key === 'Enter' && found[at]) {
            event.preventDefault()
            onPick(found[at].name)
          }
        }}
      />
      <ul id='filter-options' role='listbox' aria-label='Filters' tabIndex={-1}>
        {found.map((filter, index) => (
          <li
            key={filter.name}
            id={`filter-${filter.name}`}
            role='option'
            aria-selected={index === at}
            class='option'
            onClick={() => onPick(filter.name)}
          >
            <span>{filterTitle(filter.name, filter)}</span>
            <span class='quiet'>{typeWord(filter)}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class='quiet'>No filter has this name. The API allows {filters.length} filters.</p>}
    </div>
  )
}
