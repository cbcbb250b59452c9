/** The end of a form: the request that it sends, and its buttons. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CrudError } from '../../../src/client/error.ts'
import type { Property } from '../../api/drafts.ts'
import type { Json } from '../../api/records.ts'
import { ErrorNotice } from '../basics/notice.tsx'
import { otherErrors } from './fields.tsx'

interface FormFootProps {
  readonly method: string
  readonly path: string
  /** The body, or `undefined` if there is nothing to send. */
  readonly body: Json | undefined
  readonly ifMatch?: string | undefined
  readonly action: string
  readonly busy: boolean
  readonly isOff: boolean
  readonly onCancel?: () => void
}

export function FormFoot ({ method, path, body, ifMatch, action, busy, isOff, onCancel }: FormFootProps) {
  return (
    <footer class='form-foot'>
      <details class='sent'>
        <summary>
          <span class='method'>{method}</span> {body === undefined ? 'nothing is changed yet' : 'what is sent'}
        </summary>
        <pre tabIndex={0}>
          {`${method} ${path}\n${ifMatch === undefined ? '' : `If-Match: ${ifMatch}\n`}` +
            `${body === undefined ? '' : `\n${JSON.stringify(body, null, 2)}`}`}
        </pre>
      </details>
      <div class='row'>
        <button class='button button-main' aria-disabled={isOff || busy}>{busy ? 'Sending…' : action}</button>
        {onCancel && <button type='button' class='button' onClick={onCancel}>Cancel</button>}
      </div>
    </footer>
  )
}

/** The errors that no input shows. If the inputs show all of them, it says so. */
export function FormError (
  { error, properties }: { readonly error: CrudError, readonly properties: readonly Property[] }
) {
  const others = otherErrors(error, properties)
  if (error.errors.length > 0 && others.length === 0) {
    const count = error.errors.length
    return (
      <p class='notice notice-error' role='alert'>
        {count === 1
          ? 'The API refuses one value. The reason is at its field.'
          : `The API refuses ${count} values. The reasons are at their fields.`}
      </p>
    )
  }
  const { status, code, detail } = error
  return (
    <ErrorNotice error={new CrudError({ status, code, detail, errors: others })}>
      {status === 401 && <p>Enter other headers under “Ask as”, and save again. The form keeps your changes.</p>}
    </ErrorNotice>
  )
}

/**
 * Moves the focus to the first input, and after an error to the first input that it is about. A form that appears while
 * a person is in a menu, e.g. to choose another caller, leaves the focus there.
 */
export function useFocusOnError (form: RefObject<HTMLFormElement | null>, error: CrudError | undefined): void {
  const isOpen = useRef(false)
  useEffect(() => {
    // a form that is sent again keeps the focus until there is an answer
    if (error === undefined && isOpen.current) return
    isOpen.current = true
    const { activeElement, body } = document
    if (activeElement !== body && !form.current?.parentElement?.contains(activeElement)) return
    const place = error === undefined ? '.field :is(input, select, textarea)' : '[aria-invalid=true]'
    form.current?.querySelector<HTMLElement>(place)?.focus()
  }, [error])
}
