/** A resource whose list the caller may not read: records are opened by their keys. */
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { titleOf } from '../../api/records.ts'
import { Empty } from '../basics/notice.tsx'
import { RoleHint } from '../profiles/role-hint.tsx'

interface NoListProps {
  readonly resource: ResourceDescription
  /** Called with the key of a record, as the end of its path. */
  readonly onOpen: (key: string) => void
}

export function NoList ({ resource: { title, key }, onOpen }: NoListProps) {
  return (
    <Empty title={`The API does not list ${title.toLowerCase()} for this caller`}>
      <form
        class='row'
        onSubmit={(event) => {
          event.preventDefault()
          const parts = [...new FormData(event.currentTarget).values()]
          onOpen(parts.map((part) => encodeURIComponent(String(part).trim())).join('/'))
        }}
      >
        {key.map(({ field, member }, index) => (
          <label class='row' key={index}>
            {titleOf(member ?? field)}
            <input name={String(index)} required autoComplete='off' />
          </label>
        ))}
        <button class='button button-main'>Open the record</button>
      </form>
      <RoleHint action={`list ${title.toLowerCase()}`} />
    </Empty>
  )
}
