/** A form beside the list. It is sent by its button, and with Ctrl and Enter. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CrudError } from '../../../src/client/error.ts'

interface FormProps {
  readonly error: CrudError | undefined
  /** Whether it has nothing to send, or waits for an answer. */
  readonly isOff: boolean
  readonly onSend: () => Promise<void>
  readonly children: ComponentChildren
}

export function Form ({ error, isOff, onSend, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const isOpen = useRef(false)
  // The focus moves to the first input, and after an error to the first input that it is about. A form that appears
  // while a person is in a menu, e.g. to choose another caller, leaves the focus there.
  useEffect(() => {
    // a form that is sent again keeps the focus until there is an answer
    if (error === undefined && isOpen.current) return
    isOpen.current = true
    const { activeElement, body } = document
    if (activeElement !== body && !form.current?.parentElement?.contains(activeElement)) return
    const place = error === undefined ? '.field :is(input, select, textarea)' : '[aria-invalid=true]'
    const input = form.current?.querySelector<HTMLElement>(place)
    input?.focus()
    // the error is below its input, where an on-screen keyboard or the buttons of the form could cover it
    if (error === undefined) return
    const told = input ? input.closest('.field') : form.current?.querySelector('.notice-error')
    told?.scrollIntoView({ block: 'center' })
  }, [error])
  return (
    <form
      class='form'
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isOff) void onSend() // eslint-disable-line no-void
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
      }}
    >
      {children}
    </form>
  )
}
