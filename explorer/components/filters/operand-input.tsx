/** The input for the value of a condition, by its operator and type. */
import type { OperatorDescription, Reference } from '../../../src/explorer/description.ts'
import { Lookup } from '../basics/lookup.tsx'
import { ValueInput } from '../basics/value-input.tsx'
import { takesKeys } from './words.ts'

interface OperandInputProps {
  readonly operator: OperatorDescription
  readonly reference: Reference | null
  readonly items: readonly string[]
  readonly onChange: (items: readonly string[]) => void
  readonly invalid: boolean
}

export function OperandInput ({ operator, reference, items, onChange, invalid }: OperandInputProps) {
  const { takes, value, parts } = operator
  // the editor has the words of the API below
  const checked = { invalid, describedBy: invalid ? 'filter-error' : undefined }
  const at = (index: number) => (text: string): void => {
    const next = [...items]
    for (let before = next.length; before < index; before++) next[before] = ''
    next[index] = text
    onChange(next)
  }
  if (takes === 'boolean') {
    return (
      <div class='segments' role='radiogroup' aria-label='Value'>
        {[['true', 'Yes'], ['false', 'No']].map(([text, name]) => (
          <label class='segment' key={text}>
            <input
              type='radio'
              name='boolean'
              data-first={text === 'true' ? true : undefined}
              checked={(items[0] ?? 'true') === text}
              onChange={() => onChange([text!])}
            />
            <span>{name}</span>
          </label>
        ))}
      </div>
    )
  }
  if (reference?.resource && takesKeys(operator)) {
    return (
      <Lookup
        {...checked}
        reference={reference}
        keys={items}
        many={takes === 'list'}
        label='Value'
        onChange={onChange}
        isFirst
      />
    )
  }
  if (takes === 'list' && value?.items) {
    return (
      <fieldset class='checks'>
        <legend class='hidden'>Values</legend>
        {value.items.map(String).map((item, index) => (
          <label key={item}>
            <input
              type='checkbox'
              data-first={index === 0 ? true : undefined}
              checked={items.includes(item)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...items, item] : items.filter((other) => other !== item))}
            />
            {item}
          </label>
        ))}
      </fieldset>
    )
  }
  if (takes === 'list') {
    return (
      <label class='stack'>
        <span class='hidden'>Values, one a line</span>
        <textarea
          data-first
          rows={4}
          placeholder='One value a line'
          value={items.join('\n')}
          aria-invalid={invalid}
          aria-describedby={checked.describedBy}
          onInput={({ currentTarget }) => onChange(currentTarget.value.split('\n'))}
        />
      </label>
    )
  }
  if (takes === 'pair') {
    return (
      <div class='pair'>
        <span>From</span>
        <ValueInput
          label='From'
          value={value}
          text={items[0] ?? ''}
          onInput={at(0)}
          {...checked}
          isFirst
          presets
        />
        <span>To</span>
        <ValueInput label='To' value={value} text={items[1] ?? ''} onInput={at(1)} {...checked} />
      </div>
    )
  }
  if (takes === 'tuple') {
    return (
      <div class='stack'>
        {(parts ?? []).map(({ name, value }, index) => (
          <label key={name} class='stack'>
            {name}
            <ValueInput label={name} value={value} text={items[index] ?? ''} onInput={at(index)} {...checked} />
          </label>
        ))}
      </div>
    )
  }
  return (
    <ValueInput
      label='Value'
      value={value}
      text={items[0] ?? ''}
      onInput={at(0)}
      {...checked}
      isFirst
      presets={takes === 'one'}
    />
  )
}
