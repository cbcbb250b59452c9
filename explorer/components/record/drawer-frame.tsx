/** The frame of everything that is shown beside the list. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { usePhone } from '../../state/phone.ts'
import { Icon } from '../basics/icon.tsx'

interface DrawerFrameProps {
  readonly label: string
  /** The element, for those who move the focus to it. */
  readonly root?: RefObject<HTMLElement | null>
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function DrawerFrame ({ label, root, onClose, children }: DrawerFrameProps) {
  const own = useRef<HTMLElement>(null)
  const element = root ?? own
  useEffect(() => {
    // a form inside may have the focus already
    if (!element.current?.contains(document.activeElement)) element.current?.focus()
  }, [])
  return (
    <aside
      class='drawer'
      tabIndex={-1}
      ref={element}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // the browser must not close a question with the same key
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      {children}
    </aside>
  )
}

interface DrawerHeadProps {
  readonly title: string
  readonly detail: string
  readonly onClose: () => void
}

export function DrawerHead ({ title, detail, onClose }: DrawerHeadProps) {
  const isPhone = usePhone()
  return (
    <header class='drawer-head'>
      <div class='drawer-title'>
        <p class='quiet'>{detail}</p>
        <h2>{title}</h2>
      </div>
      <button type='button' class='button button-bare' title='Close (Escape)' aria-label='Close' onClick={onClose}>
        {/* on a phone, it is a page above the list */}
        <Icon name={isPhone ? 'left' : 'close'} />
      </button>
    </header>
  )
}
