/** A button that opens a panel. Escape, a click elsewhere, and leaving it with Tab close the panel. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

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

const FIRST = '[data-first], input:not([type=hidden]), select, textarea, button, a[href]'

export function Popover (props: PopoverProps) {
  const { label, title, name, align = 'start', opened = false, onClose, children } = props
  const [open, setOpen] = useState(opened)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  // what had the focus before the panel opened: its button, or a cell from which a key has opened it
  const origin = useRef<HTMLElement>(null)

  const close = (): void => {
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
  // before the panel is painted: keys that are pressed at once belong to it, and it does not jump
  useLayoutEffect(() => {
    if (!open) return
    const inside = panel.current
    const first = inside?.querySelector<HTMLElement>('[data-first]') ?? inside?.querySelector<HTMLElement>(FIRST)
    ;(first ?? inside)?.focus()
    if (inside) keepInside(inside)
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
  }, [open, name])

  return (
    <div
      class='popover'
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return
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
        <div class={`panel panel-${align}`} role='dialog' aria-label={name} tabIndex={-1} ref={panel}>
          {children(close)}
        </div>
      )}
    </div>
  )
}

/** Moves a panel that reaches over an edge of the window, as far as it must. */
function keepInside (panel: HTMLElement): void {
  // on a phone, the panel has the width of the window
  if (getComputedStyle(panel).position === 'fixed') return
  const { left, right } = panel.getBoundingClientRect()
  const shift = right > innerWidth - 8 ? innerWidth - 8 - right : left < 8 ? 8 - left : 0
  if (shift !== 0) panel.style.translate = `${shift}px`
}
