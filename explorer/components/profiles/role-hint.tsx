/** Says what the role of the caller may not do, and offers the other roles that are known. */
import { useApi } from '../../state/context.ts'
import { useProfiles } from '../../state/profiles.ts'
import { askAs, suggested } from './profile-menu.tsx'

/** @param action what the role may not do: `change these records` */
export function RoleHint ({ action }: { readonly action: string }) {
  const { description, profile } = useApi()
  const { list } = useProfiles()
  if (description.role === null) return null
  const known = [...list, ...suggested(description).filter(({ name }) => !list.some((each) => each.name === name))]
  const others = known.filter(({ name }) => name !== profile.name && name !== description.role)
  return (
    <p class='row quiet'>
      <span>The role {description.role} may not {action}. Ask as</span>
      {others.map((other) => (
        <button
          type='button'
          class='button button-small'
          key={other.name}
          onClick={() => askAs(other, list)}
        >
          {other.name}
        </button>
      ))}
    </p>
  )
}
