/** Chooses groups, or the numbers about them. */
import type { Pair } from '../../url/address.ts'
import { namesOf } from '../../url/names.ts'
import { withTerm } from '../../url/numbers.ts'
import { Popover } from '../basics/popover.tsx'

interface TermsMenuProps {
  readonly parameter: 'group' | 'aggregate'
  readonly name: string
  /** The words if nothing is chosen. */
  readonly none: string
  readonly terms: ReadonlyArray<{ readonly name: string, readonly title: string, readonly hint: string | undefined }>
  readonly params: readonly Pair[]
  readonly onChange: (params: readonly Pair[]) => void
}

export function TermsMenu ({ parameter, name, none, terms, params, onChange }: TermsMenuProps) {
  const chosen = namesOf(params, parameter) ?? []
  const titles = chosen.map((name) => terms.find((term) => term.name === name)?.title ?? name)
  return (
    <Popover
      name={name}
      class='button button-quiet'
      label={<span>{name}: <strong>{titles.length === 0 ? none : titles.join('; ')}</strong></span>}
    >
      {() => (
        <fieldset class='menu'>
          <legend class='label'>{name}</legend>
          {terms.map(({ name, title, hint }) => (
            <label class='check-line' key={name}>
              <input
                type='checkbox'
                checked={chosen.includes(name)}
                onChange={({ currentTarget: { checked } }) => onChange(withTerm(params, parameter, name, checked))}
              />
              <span>{title}</span>
              {hint && <span class='quiet'>{hint}</span>}
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  )
}
