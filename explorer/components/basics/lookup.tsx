/** Chooses related records by their names. It asks the API for records that match the text. */
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Reference } from '../../../src/explorer/description.ts'
import { ask } from '../../api/ask.ts'
import { keyOf, labelOf, resourceAt, titleOf, type PageAnswer, type Row } from '../../api/records.ts'
import { urlOf, useApi } from '../../state/context.ts'
import { useLoad } from '../../state/load.ts'
import { keepName, useNames } from '../../state/names.ts'
import type { Pair } from '../../url/address.ts'
import { Icon } from './icon.tsx'

interface LookupProps {
  readonly reference: Reference
  /** The chosen keys. */
  readonly keys: readonly string[]
  readonly many: boolean
  readonly label: string
  /** The names of records that are known already, by key. */
  readonly known?: Readonly<Record<string, string>>
  readonly isFirst?: boolean
  readonly invalid?: boolean
  readonly describedBy?: string | undefined
  readonly onChange: (keys: readonly string[]) => void
}

/** How long a person must pause before the API is asked, in milliseconds. */
const PAUSE = 200

export function Lookup (props: LookupProps) {
  const { reference, keys, many, label, known = {}, isFirst, invalid, describedBy, onChange } = props
  const api = useApi()
  const { description, profile } = api
  const resource = resourceAt(description, reference.resource)!
  const { lookup } = resource
  const id = useId()
  const [text, setText] = useState('')
  const [asked, setAsked] = useState<string>()
  const [active, setActive] = useState(0)
  /** The end of the choice, unless a person comes back to it. */
  const closing = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    if (asked === undefined || asked === text) return
    const timer = setTimeout(() => setAsked(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text])

  const [{ value: rows, error, busy }] = useLoad(asked, async (signal) => {
    const params: Pair[] = [
      ...(lookup?.parameter && asked ? [[lookup.parameter, asked] as const] : []),
      ...(lookup?.sort ? [['sort', lookup.sort] as const] : []),
      ...(lookup?.fields ? [['fields', lookup.fields] as const] : []),
      ['per_page', '8'],
    ]
    const url = urlOf(description, resource.path, params)
    return (await ask<PageAnswer>({ url, headers: profile.headers, signal })).data.items
  })

  const nameOf = useNames([{ path: resource.path, keys: keys.filter((key) => known[key] === undefined) }])
  const nameOfKey = (key: string): string => nameOf(resource.path, key) ?? known[key] ?? key
  const options = asked === undefined ? [] : rows ?? []
  const pick = (row: Row | undefined): void => {
    const key = row && keyOf(resource, row)
    if (row === undefined || key === undefined) return
    const plain = decodeURIComponent(key)
    keepName(api, resource.path, plain, labelOf(lookup, row) ?? plain)
    onChange(many ? [...keys.filter((other) => other !== plain && other !== ''), plain] : [plain])
    setText('')
    setAsked(undefined)
  }
  const search = (): void => setAsked(text)

  return (
    <div class='lookup'>
      <ul class='lookup-chosen'>
        {keys.filter((key) => key !== '').map((key) => (
          <li key={key} class='filter'>
            <span class='filter-text' title={key}>{nameOfKey(key)}</span>
            <button
              type='button'
              class='filter-remove'
              aria-label={`Remove ${nameOfKey(key)}`}
              onClick={() => onChange(keys.filter((other) => other !== key))}
            >
              <Icon name='close' />
            </button>
          </li>
        ))}
      </ul>
      <input
        id={id}
        role='combobox'
        aria-label={label}
        aria-expanded={asked !== undefined}
        aria-controls={`${id}-options`}
        aria-autocomplete='list'
        aria-activedescendant={options[active] && `${id}-${active}`}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        data-first={isFirst}
        placeholder={`Find ${resource.title.toLowerCase()} by ${lookup ? titleOf(lookup.label).toLowerCase() : 'key'}`}
        autoComplete='off'
        value={text}
        onInput={({ currentTarget }) => {
          clearTimeout(closing.current)
          setText(currentTarget.value)
          setActive(0)
          if (asked === undefined) setAsked(currentTarget.value)
        }}
        onFocus={() => clearTimeout(closing.current)}
        onBlur={() => {
          closing.current = setTimeout(() => setAsked(undefined), 150)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step !== undefined) {
            event.preventDefault()
            if (asked === undefined) search()
            else setActive(Math.max(0, Math.min(options.length - 1, active + step)))
          } else if (event.key === 'Enter' && asked !== undefined && options[active]) {
            event.preventDefault()
            pick(options[active])
          } else if (event.key === 'Escape' && asked !== undefined) {
            // the browser must not close the sheet below with the same key
            event.preventDefault()
            event.stopPropagation()
            setAsked(undefined)
          }
        }}
      />
      {asked !== undefined && (
        <ul id={`${id}-options`} role='listbox' aria-label={label} class='lookup-options'>
          {options.map((row, index) => (
            <li
              key={keyOf(resource, row)}
              id={`${id}-${index}`}
              role='option'
              class='option'
              aria-selected={index === active}
              onMouseDown={(event) => {
                event.preventDefault()
                pick(row)
              }}
            >
              <span>{labelOf(lookup, row)}</span>
              <span class='quiet mono'>{keyOf(resource, row)?.slice(0, 8)}</span>
            </li>
          ))}
          {options.length === 0 && (
            <li class='quiet option' role='option' aria-selected='false' aria-disabled='true'>
              {error ? error.detail : busy ? 'Looking…' : `No ${resource.title.toLowerCase()} match.`}
            </li>
          )}
        </ul>
      )}
    </div>
  )
}
