/** The form for a profile with other headers. */
import type { HeaderHint } from '../../../src/explorer/description.ts'
import type { Profile } from '../../state/profiles.ts'
import { useKept } from '../../state/unsaved.ts'

interface NewProfileProps {
  readonly hints: readonly HeaderHint[]
  /** Whether the value gets the focus when the menu opens. */
  readonly isFirst: boolean
  /** The words of the button. */
  readonly action: string
  readonly onAdd: (profile: Profile) => void
}

export function NewProfile ({ hints, isFirst, action, onAdd }: NewProfileProps) {
  const [hint] = hints
  const initial = { name: '', header: hint?.name ?? 'authorization', value: hint?.prefix ?? 'Bearer ' }
  const [typed, keep] = useKept('new profile', initial)
  const { name, header, value } = typed
  return (
    <form
      class='new-profile'
      onSubmit={(event) => {
        event.preventDefault()
        keep(undefined)
        onAdd({ name: name.trim() || header, headers: [[header.trim(), value]] })
      }}
    >
      <p class='label'>Other headers</p>
      <label>
        Name of the caller
        <input
          value={name}
          placeholder='Ann'
          onInput={(event) => keep({ ...typed, name: event.currentTarget.value })}
        />
      </label>
      <label>
        Header
        <input
          class='mono'
          value={header}
          required
          list='header-names'
          onInput={(event) => keep({ ...typed, header: event.currentTarget.value })}
        />
      </label>
      <datalist id='header-names'>{hints.map(({ name }) => <option key={name} value={name} />)}</datalist>
      <label>
        Value
        <input
          class='mono'
          value={value}
          data-first={isFirst || undefined}
          autoComplete='off'
          spellcheck={false}
          onInput={(event) => keep({ ...typed, value: event.currentTarget.value })}
        />
      </label>
      {hint?.description && <p class='quiet'>{hint.description}</p>}
      <p class='quiet'>Headers stay in this tab, and are sent to this API only.</p>
      <button class='button button-main'>{action}</button>
    </form>
  )
}
