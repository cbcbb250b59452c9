/** Inputs with a label and an error, and the errors of whole requests. */
import { useId, type ReactNode } from 'react'
import { isCrudError } from '../../../src/client/index.ts' // in an application: 'fastify-crud-kit/client'

interface FieldProps {
  readonly label: string
  /** A sentence about the value, from the API. */
  readonly error?: string | undefined
  readonly children: (props: { id: string, 'aria-invalid': boolean, 'aria-describedby': string }) => ReactNode
}

/** An input with its label, and the API's error beside it. */
export function Field ({ label, error, children }: FieldProps) {
  const id = useId()
  return (
    <div className='field'>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': `${id}-error` })}
      <span className='error' id={`${id}-error`}>{error}</span>
    </div>
  )
}

/** The API's error of one place in a request: a parameter such as `filter[name]`, or a property such as `/name`. */
export function messageOf (error: Error | null, place: string): string | undefined {
  return isCrudError(error) ? error.errorFor(place)?.detail : undefined
}

/** The sentence of a failed request. */
export function Failure ({ error }: { readonly error: Error | null }) {
  return error === null ? null : <p role='alert'>{error.message}</p>
}
