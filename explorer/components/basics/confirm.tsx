/** A question that must be answered before anything else: the focus stays in it, and Escape is the harmless answer. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface ConfirmProps {
  readonly question: string
  /** The words of the two buttons. */
  readonly yes: string
  readonly no: string
  readonly onAnswer: (isYes: boolean) => void
  readonly children: ComponentChildren
}

export function Confirm ({ question, yes, no, onAnswer, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => dialog.current!.showModal(), [])
  // the browser gives the focus back to where it was
  const answer = (value: string) => (): void => dialog.current!.close(value)
  return (
    <dialog
      class='confirm'
      ref={dialog}
      aria-labelledby={id}
      onClose={({ currentTarget }) => onAnswer(currentTarget.returnValue === 'yes')}
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
    >
      <h2 id={id}>{question}</h2>
      {children}
      <div class='row'>
        <button type='button' class='button button-main' onClick={answer('no')}>{no}</button>
        <button type='button' class='button button-bad' onClick={answer('yes')}>{yes}</button>
      </div>
    </dialog>
  )
}
