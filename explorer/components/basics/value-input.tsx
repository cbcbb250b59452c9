/** An input for the text of a value. The API checks the value, so that its own words say what is wrong. */
import type { ValueDescription } from '../../../src/explorer/description.ts'
import { usePhone } from '../../state/phone.ts'
import { hasZone } from '../../url/periods.ts'

interface ValueInputProps {
  readonly label: string
  /** The type of the value. `null` if only the server knows it. */
  readonly value: ValueDescription | null
  readonly text: string
  readonly onInput: (text: string) => void
  readonly invalid: boolean
  readonly describedBy?: string | undefined
  readonly placeholder?: string | undefined
  /** Whether the input gets the focus when its panel opens. */
  readonly isFirst?: boolean
  /** Whether moments have buttons for usual values. */
  readonly presets?: boolean
}

export function ValueInput (props: ValueInputProps) {
  const { label, value, text, onInput, invalid, describedBy, placeholder, isFirst, presets = false } = props
  const isPhone = usePhone()
  const common = {
    'aria-label': label,
    'aria-invalid': invalid,
    'aria-describedby': describedBy,
    'data-first': isFirst,
    value: text,
  }
  const items = value?.items ?? (value?.type === 'boolean' ? ['true', 'false'] : undefined)
  if (items) {
    const names = items.map(String)
    return (
      <select {...common} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        {!names.includes(text) && <option value={text}>{text === '' ? placeholder ?? 'Choose…' : text}</option>}
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    )
  }
  // a native input for dates would drop text that is no date, such as that of a link
  if (value?.type === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text))) {
    return <input {...common} type='date' onInput={({ currentTarget }) => onInput(currentTarget.value)} />
  }
  const isMoment = value?.type === 'datetime'
  // the picker of a phone drops what it cannot show
  const isPicked = isMoment && isPhone && (text === '' || PICKED.test(text))
  const pad = value ? padOf(value) : undefined
  const plain = isPicked
    ? (
      <input
        {...common}
        type='datetime-local'
        step='any'
        value={text.slice(0, -1)}
        onInput={({ currentTarget: { value } }) => onInput(value === '' ? '' : momentOf(value))}
      />
      )
    : (
      <input
        {...common}
        class={isMoment || value?.type === 'uuid' ? 'mono' : undefined}
        inputMode={pad}
        placeholder={placeholder ?? (isMoment ? '2026-01-31 or 2026-01-31T09:30:00Z' : undefined)}
        spellcheck={false}
        autoCapitalize='none'
        autoComplete='off'
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      )
  // the pads for numbers of some phones lack the minus
  if (pad && !(value!.minimum! >= 0)) {
    return (
      <span class='signed'>
        {plain}
        {isPhone && (
          <button
            type='button'
            class='button'
            aria-label={`Change the sign of ${label}`}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onInput(text.startsWith('-') ? text.slice(1) : `-${text}`)}
          >
            ±
          </button>
        )}
      </span>
    )
  }
  if (!isMoment) return plain
  const input = (
    <span class='moment'>
      {plain}
      {(isPicked || !hasZone(text)) && <span class='zone'>UTC</span>}
    </span>
  )
  if (!presets) return input
  return (
    <div class='stack'>
      {input}
      <div class='row'>
        {Object.entries(PRESETS).map(([name, days]) => (
          <button
            type='button'
            class='button button-small'
            key={name}
            onClick={() => onInput(daysAgo(days))}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  )
}

/** A moment in UTC that the picker of a phone can show in full. */
const PICKED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/

/** The text of a moment that the picker returns. */
const momentOf = (value: string): string => `${value}${value.length === 16 ? ':00' : ''}Z`

/** The on-screen keyboard of a number. */
function padOf ({ type, json }: ValueDescription): 'numeric' | 'decimal' | undefined {
  if (type === 'integer' || type === 'bigint') return 'numeric'
  return json === 'number' || type === 'decimal' ? 'decimal' : undefined
}

const PRESETS = { Today: 0, '7 days ago': 7, '30 days ago': 30, 'A year ago': 365 } as const

/** The date in UTC some days ago. */
function daysAgo (days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
