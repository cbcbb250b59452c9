/** Messages: errors of the API, and what to do when there is nothing to show. */
import type { ComponentChildren } from 'preact'
import type { CrudError, CrudErrorItem } from '../../../src/client/error.ts'

interface ErrorNoticeProps {
  readonly error: CrudError
  /** Returns the action that applies the suggestion of an error, if that is possible. */
  readonly mend?: (item: CrudErrorItem) => (() => void) | undefined
  readonly onRetry?: () => void
  readonly children?: ComponentChildren
}

/** An error of the API in its words: the sentence, or the sentence of each mistake with its suggestion. */
export function ErrorNotice ({ error, mend, onRetry, children }: ErrorNoticeProps) {
  const { status, code, detail } = error
  const items: readonly CrudErrorItem[] = error.errors.length > 0 ? error.errors : [{ code, detail }]
  return (
    <div class='notice notice-error' role='alert'>
      <p class='notice-head'>
        {status > 0 && <strong>{status}</strong>} <code>{code}</code>
      </p>
      <ul>
        {items.map((item) => {
          const apply = mend?.(item)
          return (
            <li key={item.detail}>
              {item.detail}
              {apply && ' '}
              {apply && (
                <button type='button' class='button button-small' onClick={apply}>Use {item.suggestion}</button>
              )}
            </li>
          )
        })}
      </ul>
      {children}
      {onRetry && <button type='button' class='button' onClick={onRetry}>Try again</button>}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** An empty state: what is empty, and what to do about it. */
export function Empty ({ title, children }: EmptyProps) {
  return (
    <div class='empty'>
      <p class='empty-title'>{title}</p>
      {children}
    </div>
  )
}
