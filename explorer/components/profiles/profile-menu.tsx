/** "Ask as": the headers with which the page asks. */
import type { ExplorerDescription } from '../../../src/explorer/description.ts'
import {
  askAs,
  currentProfile,
  knownProfiles,
  PLAIN,
  saveProfiles,
  useProfiles,
} from '../../state/profiles.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { NewProfile } from './new-profile.tsx'

interface ProfileMenuProps {
  readonly description: ExplorerDescription | undefined
  readonly opened?: boolean
}

export function ProfileMenu ({ description, opened = false }: ProfileMenuProps) {
  const profiles = useProfiles()
  const current = currentProfile(profiles)
  const role = description?.role ?? null
  const isPlain = current === PLAIN
  const caller = isPlain ? role : current.name
  const detail = isPlain ? 'without headers' : role !== null && role !== caller ? `role ${role}` : undefined
  return (
    <Popover
      name='Ask as'
      class='button as'
      opened={opened}
      label={
        <>
          <Icon name='person' />
          <span>
            {caller === null ? 'Ask without headers' : `Ask as ${caller}`}
            {caller !== null && detail && <span class='quiet'>{detail}</span>}
          </span>
        </>
      }
    >
      {(close) => (
        <div class='profiles'>
          <fieldset>
            <legend>Ask the API as</legend>
            {knownProfiles(profiles, description).map((profile) => (
              <div class='profile' key={profile.name}>
                <label>
                  <input
                    type='radio'
                    name='profile'
                    checked={profile.name === current.name}
                    onChange={() => askAs(profile)}
                  />
                  {profile.name}
                  <span class='quiet'>{profile.headers.map(([name]) => name).join(', ')}</span>
                </label>
                {profiles.list.includes(profile) && (
                  <button
                    type='button'
                    class='button button-bare'
                    aria-label={`Remove ${profile.name}`}
                    onClick={() =>
                      saveProfiles({
                        list: profiles.list.filter((other) => other !== profile),
                        current: profile === current ? PLAIN.name : profiles.current,
                      })}
                  >
                    <Icon name='close' />
                  </button>
                )}
              </div>
            ))}
          </fieldset>
          <NewProfile
            hints={description?.headers ?? []}
            isFirst={opened && profiles.list.length === 0}
            action='Use these headers'
            onAdd={(profile) => {
              askAs(profile)
              close()
            }}
          />
        </div>
      )}
    </Popover>
  )
}
