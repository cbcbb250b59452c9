/** A link to another address of the page. */
import type { ComponentChildren } from 'preact'
import { go, hrefOf } from '../../state/address.ts'
import type { Address } from '../../url/address.ts'

interface LinkProps {
  readonly to: Address
  readonly class?: string
  readonly title?: string | undefined
  readonly tabIndex?: number
  /** Whether the page shows this address. */
  readonly current?: boolean
  readonly onGo?: () => void
  readonly children: ComponentChildren
}

export function Link ({ to, class: kind, title, tabIndex, current, onGo, children }: LinkProps) {
  return (
    <a
      class={kind}
      href={hrefOf(to)}
      title={title}
      tabIndex={tabIndex}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        // other clicks open tabs and windows
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        event.stopPropagation()
        go(to)
        onGo?.()
      }}
    >
      {children}
    </a>
  )
}
