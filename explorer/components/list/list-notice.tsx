/** The error of a list or of its numbers. What it suggests is one click. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { List } from '../../state/list.ts'
import type { Pair } from '../../url/address.ts'
import { withSuggestion } from '../../url/suggestions.ts'
import { ErrorNotice } from '../basics/notice.tsx'

interface ListNoticeProps {
  readonly resource: ResourceDescription
  readonly params: readonly Pair[]
  readonly list: List
  readonly onChange: (params: readonly Pair[]) => void
}

export function ListNotice ({ resource, params, list: { error, reload }, onChange }: ListNoticeProps) {
  if (error === undefined) return null
  const filterOf = (field: string) => resource.filters.find(({ name }) => name === field)
  return (
    <ErrorNotice
      error={error}
      {...error.errors.length === 0 && { onRetry: reload }}
      mend={(item) => {
        const next = withSuggestion(params, item, filterOf)
        // the button is gone after the click
        return next && (() => {
          onChange(next)
          document.getElementById('content')?.focus()
        })
      }}
    />
  )
}
