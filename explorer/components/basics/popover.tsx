/**
 * A button that opens a panel. Escape, a click elsewhere, and leaving it with Tab close the panel. On a phone, the
 * panel is a sheet above the page, with a heading and a button to close it.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePhone } from '../../state/phone.ts'
import { Icon } from './icon.tsx'

interface PopoverProps {
  /** The content of the button. */
  readonly label: ComponentChildren
  /** The name of the button, if its content is no text. */
  readonly title?: string
  /** The name of the panel. If it changes, the panel has another content, which gets the focus. */
  readonly name: string
  readonly class?: string
  /** The side of the button with which the panel is aligned. */
  readonly align?: 'start' | 'end'
  /** Whether it is open without a click. */
  readonly opened?: boolean
  readonly onClose?: () => void
  readonly children: (close: () => void) => ComponentChildren
}

const FIRST = 'input:not([type=hidden]), select, textarea, button, a[href]'

export function Popover (props: PopoverProps) {
  const { label, title, name, align = 'start', opened = false, onClose, children } = props
  const [open, setOpen] = useState(opened)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDialogElement>(null)
  const isPhone = usePhone()
  // what had the focus before the panel opened: its button, or a cell from which a key has opened it
  const origin = useRef<HTMLElement>(null)

  const close = (): void => {
    // while the sheet is open, nothing beside it can have the focus
    if (isPhone) panel.current?.close()
    setOpen(false)
    onClose?.()
    button.current?.focus()
  }
  const cancel = (): void => {
    close()
    origin.current?.focus()
  }
  useEffect(() => {
    if (opened) setOpen(true)
  }, [opened])
  useLayoutEffect(() => {
    if (open && document.activeElement instanceof HTMLElement) origin.current = document.activeElement
  }, [open])
  useLayoutEffect(() => {
    if (!open) return
    const inside = panel.current!
    if (isPhone) inside.showModal()
    // `show` gives the focus to an input, and scrolls the whole page to it if it is beyond an edge
    else inside.open = true
    return () => inside.close()
  }, [open, isPhone])
  // before the panel is painted: keys that are pressed at once belong to it, and it does not jump
  useLayoutEffect(() => {
    if (!open) return
    const inside = panel.current!
    // before the focus, which would scroll the whole page to an input beyond its edge
    keepInside(inside)
    // an input that has the focus brings up the keyboard of a phone, which covers half of the page
    const first = inside.querySelector<HTMLElement>('[data-first]') ??
      (isPhone ? null : inside.querySelector<HTMLElement>(FIRST))
    ;(first ?? inside).focus()
    const leave = (event: Event): void => {
      if (root.current?.contains(event.target as Node) !== false) return
      setOpen(false)
      onClose?.()
    }
    // a button of the panel that is gone after its click leaves the focus on the page
    const escape = ({ key, target }: KeyboardEvent): void => {
      if (key === 'Escape' && target === document.body) cancel()
    }
    document.addEventListener('keydown', escape)
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('keydown', escape)
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [open, name, isPhone])

  return (
    <div
      class='popover'
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return
        // the browser must not close the sheet below with the same key
        event.preventDefault()
        event.stopPropagation()
        cancel()
      }}
    >
      <button
        type='button'
        class={props.class ?? 'button'}
        ref={button}
        title={title}
        aria-label={title}
        aria-haspopup='dialog'
        aria-expanded={open}
        onClick={() => open ? close() : setOpen(true)}
      >
        {label}
      </button>
      {open && (
        <dialog
          class={`panel panel-${align}`}
          aria-label={name}
          tabIndex={-1}
          ref={panel}
          // Back of a phone closes a sheet
          onCancel={(event) => {
            event.preventDefault()
            cancel()
          }}
          onClick={({ currentTarget, target, clientY }) => {
            const isBeside = target === currentTarget && clientY < currentTarget.getBoundingClientRect().top
            if (isPhone && isBeside) cancel()
          }}
        >
          {isPhone
            ? (
              <>
                <div class='sheet-head'>
                  <h2>{name}</h2>
                  <button type='button' class='button button-bare' aria-label={`Close: ${name}`} onClick={cancel}>
                    <Icon name='close' />
                  </button>
                </div>
                <div class='sheet-body'>{children(close)}</div>
              </>
              )
            : children(close)}
        </dialog>
      )}
    </div>
  )
}

/** Moves a panel that reaches over an edge of the window, as far as it must. */
function keepInside (panel: HTMLElement): void {
  // on a phone, the panel has the width of the window
  if (getComputedStyle(panel).position === 'fixed') return
  panel.style.translate = ''
  const { left, right } = panel.getBoundingClientRect()
  const shift = right > innerWidth - 8 ? innerWidth - 8 - right : left < 8 ? 8 - left : 0
  if (shift !== 0) panel.style.translate = `${shift}px`
}
