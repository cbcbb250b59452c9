/** The facets of a list: the values of properties, each with its number of records. A click chooses a value. */
import type { FacetDescription, ResourceDescription } from '../../../src/explorer/description.ts'
import { countText, recordsText, textOf, type Json } from '../../api/format.ts'
import type { FacetValue } from '../../api/records.ts'
import type { List } from '../../state/list.ts'
import { useNames } from '../../state/names.ts'
import type { Pair } from '../../url/address.ts'
import { canChoose, choiceOf, toggled, withChoice } from '../../url/choices.ts'
import { namesOf, withNames } from '../../url/names.ts'
import { Icon } from '../basics/icon.tsx'
import { filterTitle } from '../filters/words.ts'
import { TOOLS } from './tools.tsx'

interface FacetsProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

const PANEL = 'facets'
const BUTTON = 'facets-button'

interface FacetsButtonProps extends Omit<FacetsProps, 'list'> {
  /** Called after the click. */
  readonly onChosen?: (() => void) | undefined
}

/** Asks for all facets, or for none. */
export function FacetsButton ({ resource, params, onChange, onChosen }: FacetsButtonProps) {
  const isOpen = namesOf(params, 'facets') !== undefined
  return (
    <button
      type='button'
      class='button'
      id={BUTTON}
      title='Facets'
      aria-label='Facets'
      aria-expanded={isOpen}
      aria-controls={isOpen ? PANEL : undefined}
      onClick={() => {
        onChange(withNames(params, 'facets', isOpen ? [] : resource.facets.map(({ name }) => name)))
        onChosen?.()
        if (!isOpen) requestAnimationFrame(() => document.getElementById(PANEL)?.focus())
      }}
    >
      <Icon name='facets' />
      <span class='wide'>Facets</span>
    </button>
  )
}

export function Facets ({ resource, params, list, onChange }: FacetsProps) {
  const asked = namesOf(params, 'facets') ?? []
  const total = list.page?.total
  const others = resource.facets.filter(({ name }) => !asked.includes(name))
  const close = (): void => {
    onChange(withNames(params, 'facets', []))
    // on a phone, the button is in a menu
    ;(document.getElementById(BUTTON) ?? document.querySelector<HTMLElement>(`.${TOOLS}`))?.focus()
  }
  return (
    <aside
      class='facets'
      id={PANEL}
      aria-label='Facets'
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
    >
      <div class='facets-head'>
        <h2>Facets</h2>
        <button
          type='button'
          class='button button-bare'
          title='Close the facets'
          aria-label='Close the facets'
          onClick={close}
        >
          <Icon name='close' />
        </button>
      </div>
      <div class='facets-body'>
        {resource.facets.filter(({ name }) => asked.includes(name)).map((facet) => (
          <Facet
            key={facet.name}
            resource={resource}
            facet={facet}
            values={list.facets?.[facet.name] ?? []}
            params={params}
            onChange={onChange}
          />
        ))}
        {others.map(({ name }) => (
          <button
            type='button'
            class='button button-quiet'
            key={name}
            onClick={() => onChange(withNames(params, 'facets', [...asked, name]))}
          >
            <Icon name='plus' />
            <span>{filterTitle(name)}</span>
          </button>
        ))}
      </div>
      <button type='button' class='button button-main facets-done' onClick={close}>
        {total === null || total === undefined ? 'Show the records' : `Show ${recordsText(total)}`}
      </button>
    </aside>
  )
}

interface FacetProps {
  readonly resource: ResourceDescription
  readonly facet: FacetDescription
  readonly values: readonly FacetValue[]
  readonly params: readonly Pair[]
  readonly onChange: (params: readonly Pair[]) => void
}

interface FacetRow {
  /** The value as the URL has it. */
  readonly text: string | null
  readonly value: Json
  /** Absent if the value is not among those that the answer has. */
  readonly count?: number
}

function Facet ({ resource, facet, values, params, onChange }: FacetProps) {
  const filter = resource.filters.find(({ name }) => name === facet.filter)
  const choice = choiceOf(params, filter)
  const rows: FacetRow[] = values.map(({ value, count }) => ({
    text: value === null ? null : String(value), value, count,
  }))
  // what is chosen is always there, also if no record has it, or too few to be among the values
  for (const text of choice.texts) {
    if (!rows.some((row) => row.text === text)) {
      rows.push({ text, value: text, ...values.length < facet.limit && { count: 0 } })
    }
  }
  const most = Math.max(1, ...values.map(({ count }) => count))
  const path = facet.reference?.resource ?? null
  const nameOf = useNames([{ path, keys: rows.flatMap(({ text }) => text ?? []) }])
  return (
    <fieldset class='facet-group'>
      <legend>{filterTitle(facet.name)}</legend>
      {rows.length === 0 && <p class='quiet'>No values.</p>}
      {rows.map(({ text, value, count }) => {
        const isOn = text === null ? choice.isNone : choice.texts.includes(text)
        const content = (
          <>
            {text === null
              ? <span class='facet-value null'>null</span>
              : <bdi class='facet-value'>{nameOf(path, text) ?? textOf(value, facet.value)}</bdi>}
            <span class='figures quiet'>{count === undefined ? '' : countText(count)}</span>
            <span class='facet-bar' aria-hidden='true' style={{ width: `${((count ?? 0) / most) * 100}%` }} />
          </>
        )
        return (text === null || typeof value !== 'object') && canChoose(facet, filter, text)
          ? (
            <label class='facet' key={text}>
              <input
                type='checkbox'
                checked={isOn}
                onChange={() => onChange(withChoice(params, filter!, toggled(choice, filter!, text)))}
              />
              {content}
            </label>
            )
          : <p class='facet' key={text}>{content}</p>
      })}
      {values.length === facet.limit && (
        <p class='quiet'>The {countText(facet.limit)} most frequent values.</p>
      )}
    </fieldset>
  )
}
