/** Chooses a further property to change. */
import { useEffect, useRef } from 'preact/hooks'
import type { Property } from '../../api/drafts.ts'

interface AddPropertyProps {
  readonly properties: readonly Property[]
  readonly onAdd: (name: string) => void
}

export function AddProperty ({ properties, onAdd }: AddPropertyProps) {
  const select = useRef<HTMLSelectElement>(null)
  useEffect(() => select.current?.focus(), [])
  if (properties.length === 0) return null
  return (
    <label class='stack'>
      <span class='label'>Add a property to change</span>
      <select
        ref={select}
        value=''
        onChange={({ currentTarget }) => {
          const { value } = currentTarget
          currentTarget.value = ''
          if (value !== '') onAdd(value)
        }}
      >
        <option value=''>Choose…</option>
        {properties.map(({ name, title }) => <option key={name} value={name}>{title}</option>)}
      </select>
    </label>
  )
}
