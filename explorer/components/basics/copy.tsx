/** A button that copies a text. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface CopyProps {
  readonly text: string
  readonly class?: string
  readonly children: ComponentChildren
}

type Outcome = 'copied' | 'failed' | undefined

export function Copy ({ text, class: kind = 'button', children }: CopyProps) {
  const [outcome, setOutcome] = useState<Outcome>()
  const copy = async (): Promise<void> => {
    const done = await copyText(text)
    setOutcome(done ? 'copied' : 'failed')
    setTimeout(() => setOutcome(undefined), 2000)
  }
  return (
    <button type='button' class={kind} onClick={copy}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span>{outcome === 'failed' ? 'Copying is blocked' : children}</span>
      <span class='hidden' role='status'>{outcome === 'copied' ? 'Copied' : ''}</span>
    </button>
  )
}

/** Copies a text. Pages without HTTPS have no clipboard, so a selection is the second way. */
async function copyText (text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'hidden'
    // beside an open sheet, nothing can be selected
    ;(document.activeElement?.closest('dialog') ?? document.body).append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}
