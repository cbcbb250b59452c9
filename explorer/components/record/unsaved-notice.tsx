/** Signs of what was typed and not saved. */
import type { Drafts } from '../../api/drafts.ts'

/** Above a form that has what was typed before. */
export function RestoredNotice ({ isStale = false }: { readonly isStale?: boolean }) {
  return (
    <p class='notice notice-unsaved' role='status'>
      Your changes from before are here. They are not saved yet.
      {isStale && ' The record has changed since: Save shows the difference.'}
    </p>
  )
}

interface KeptNoticeProps {
  readonly typed: Drafts
  readonly onDiscard: () => void
}

/** In place of a form that cannot be shown, e.g. because another caller may not change the record. */
export function KeptNotice ({ typed, onDiscard }: KeptNoticeProps) {
  return (
    <div class='notice notice-unsaved' role='status'>
      <p>You have changes to this record that are not saved. They stay here until you can save them.</p>
      <pre tabIndex={0} aria-label='Changes that are not saved'>{JSON.stringify(typed, null, 2)}</pre>
      <button type='button' class='button button-small' onClick={onDiscard}>Discard</button>
    </div>
  )
}
