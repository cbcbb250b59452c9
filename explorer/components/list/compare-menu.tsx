/** Chooses the second caller of the same request. */
import { change } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import { callerWords, keepProfile, knownProfiles, useProfiles } from '../../state/profiles.ts'
import type { Own } from '../../url/address.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'
import { NewProfile } from '../profiles/new-profile.tsx'

/** Shows one list again. */
export function stopComparing ({ compare: _, ...own }: Own): void {
  change({ own })
}

interface CompareMenuProps {
  readonly own: Own
  /** Called after a caller is chosen. */
  readonly onChosen?: (() => void) | undefined
}

export function CompareMenu ({ own, onChosen }: CompareMenuProps) {
  const { description, profile } = useApi()
  const profiles = useProfiles()
  const others = knownProfiles(profiles, description).filter(({ name }) => name !== profile.name)
  const label = (
    <>
      <Icon name='compare' />
      <span class='wide'>Compare roles</span>
    </>
  )
  return (
    <Popover name='Compare roles' title='Compare roles' label={label}>
      {(close) => {
        const compare = (name: string): void => {
          close()
          onChosen?.()
          change({ own: { ...own, compare: name } })
        }
        return (
          <div class='menu'>
            {others.length > 0 && <p class='label'>Compare this list with</p>}
            {others.map((other) => (
              <button
                type='button'
                class='menu-item'
                key={other.name}
                aria-current={other.name === own.compare}
                onClick={() => compare(other.name)}
              >
                {callerWords(other)}
              </button>
            ))}
            {others.length === 0 && (
              <NewProfile
                hints={description.headers}
                isFirst={false}
                action='Compare with these headers'
                onAdd={(profile) => {
                  keepProfile(profile)
                  compare(profile.name)
                }}
              />
            )}
            {own.compare !== undefined && (
              <button
                type='button'
                class='menu-item'
                onClick={() => {
                  close()
                  onChosen?.()
                  stopComparing(own)
                }}
              >
                Stop comparing
              </button>
            )}
          </div>
        )
      }}
    </Popover>
  )
}
