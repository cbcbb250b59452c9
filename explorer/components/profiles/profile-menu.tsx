/** "As": the headers with which the page asks. */
import { useState } from 'preact/hooks'
import type { ExplorerDescription, HeaderHint } from '../../../src/explorer/description.ts'
import {
  allProfiles,
  chooseProfile,
  PLAIN,
  profileNamed,
  saveProfiles,
  useProfiles,
  type Profile,
} from '../../state/profiles.ts'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'

interface ProfileMenuProps {
  readonly description: ExplorerDescription | undefined
  readonly opened?: boolean
}

/** Asks as a profile from now on. A profile that is new is kept. */
export function askAs (profile: Profile, list: readonly Profile[]): void {
  if (profile === PLAIN || list.some(({ name }) => name === profile.name)) chooseProfile(profile.name)
  else saveProfiles({ list: [...list, profile], current: profile.name })
}

/** Profiles that the description suggests: one for each value that a header may have. */
export function suggested (description: ExplorerDescription | undefined): Profile[] {
  return (description?.headers ?? []).flatMap(({ name, prefix, values }) =>
    values.map((value): Profile => ({ name: value, headers: [[name, prefix + value]] }))
  )
}

export function ProfileMenu ({ description, opened = false }: ProfileMenuProps) {
  const profiles = useProfiles()
  const current = profileNamed(profiles, profiles.current)
  const known = allProfiles(profiles)
  const more = suggested(description).filter(({ name }) => !known.some((profile) => profile.name === name))
  return (
    <Popover
      name='Ask as'
      class='button as'
      opened={opened}
      label={
        <>
          <Icon name='person' />
          <span>As {description?.role ?? current.name}</span>
        </>
      }
    >
      {(close) => (
        <div class='profiles'>
          <fieldset>
            <legend>Ask the API as</legend>
            {[...known, ...more].map((profile) => (
              <div class='profile' key={profile.name}>
                <label>
                  <input
                    type='radio'
                    name='profile'
                    checked={profile.name === current.name}
                    onChange={() => askAs(profile, profiles.list)}
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
            onAdd={(profile) => {
              saveProfiles({
                list: [...profiles.list.filter(({ name }) => name !== profile.name), profile],
                current: profile.name,
              })
              close()
            }}
          />
        </div>
      )}
    </Popover>
  )
}

interface NewProfileProps {
  readonly hints: readonly HeaderHint[]
  /** Whether the value gets the focus when the menu opens. */
  readonly isFirst: boolean
  readonly onAdd: (profile: Profile) => void
}

function NewProfile ({ hints, isFirst, onAdd }: NewProfileProps) {
  const [hint] = hints
  const [name, setName] = useState('')
  const [header, setHeader] = useState(hint?.name ?? 'authorization')
  const [value, setValue] = useState(hint?.prefix ?? 'Bearer ')
  return (
    <form
      class='new-profile'
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ name: name.trim() || header, headers: [[header.trim(), value]] })
      }}
    >
      <p class='label'>Other headers</p>
      <label>
        Name<input value={name} placeholder='Ann' onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        Header
        <input
          class='mono'
          value={header}
          required
          list='header-names'
          onInput={(event) => setHeader(event.currentTarget.value)}
        />
      </label>
      <datalist id='header-names'>{hints.map(({ name }) => <option key={name} value={name} />)}</datalist>
      <label>
        Value
        <input
          class='mono'
          value={value}
          data-first={isFirst || undefined}
          autoComplete='off'
          spellcheck={false}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      {hint?.description && <p class='quiet'>{hint.description}</p>}
      <p class='quiet'>Headers stay in this tab, and are sent to this API only.</p>
      <button class='button button-main'>Use these headers</button>
    </form>
  )
}
