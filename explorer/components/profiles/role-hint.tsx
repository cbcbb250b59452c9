/** Says what the role of the caller may not do, and offers the other roles that are known. */
import { useApi } from '../../state/context.ts'
import { askAs, knownProfiles, PLAIN, useProfiles } from '../../state/profiles.ts'

/** @param action what the role may not do: `change these records` */
export function RoleHint ({ action }: { readonly action: string }) {
  const { description, profile } = useApi()
  const profiles = useProfiles()
  if (description.role === null) return null
  const others = knownProfiles(profiles, description).filter((other) =>
    other !== PLAIN && other.name !== profile.name && other.name !== description.role
  )
  return (
    <p class='row quiet'>
      <span>The role {description.role} may not {action}. Ask as</span>
      {others.map((other) => (
        <button
          type='button'
          class='button button-small'
          key={other.name}
          onClick={() => askAs(other)}
        >
          {other.name}
        </button>
      ))}
    </p>
  )
}
