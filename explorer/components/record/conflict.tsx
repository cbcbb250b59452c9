/** After a 412: the record has changed since it was read. The differences, and a choice for each property. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { isChildren, isSameDraft, type Difference, type Draft, type Property } from '../../api/drafts.ts'
import { wantedOf } from '../../api/names.ts'
import { useNames, type NameOf } from '../../state/names.ts'

interface ConflictProps {
  readonly differences: readonly Difference[]
  /** Called with the names of the properties whose drafts the person keeps. */
  readonly onBack: (chosen: readonly string[]) => void
}

export function Conflict ({ differences, onBack }: ConflictProps) {
  // properties that only one side has changed need no choice
  const [mine, setMine] = useState<ReadonlySet<string>>(() => {
    const changed = differences.filter(({ before, mine }) => !isSameDraft(before, mine))
    return new Set(changed.map(({ property }) => property.name))
  })
  const nameOf = useNames(
    wantedOf(
      differences.flatMap(({ property, before, theirs, mine }) =>
        [before, theirs, mine].flatMap((draft) => keysOf(property, draft))
          .map((key) => [property.reference?.resource ?? null, key] as const)
      )
    )
  )
  // the form is gone, and with it what had the focus
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => root.current?.focus(), [])
  return (
    <div class='drawer-body' ref={root} tabIndex={-1}>
      <div class='notice notice-error' role='alert'>
        <p>The record has changed since you opened it. Nothing was saved. Choose what to keep.</p>
      </div>
      <div class='conflict'>
        {differences.map(({ property, before, theirs, mine: own }) => {
          const { name, title } = property
          const choose = (isMine: boolean): void =>
            setMine((all) => new Set(isMine ? [...all, name] : [...all].filter((each) => each !== name)))
          const option = (isMine: boolean, draft: Draft) => (
            <label>
              <input
                type='radio'
                name={`keep-${name}`}
                checked={mine.has(name) === isMine}
                onChange={() => choose(isMine)}
              />
              <span>
                <span class='label'>{isMine ? 'Yours' : 'Now'}</span>
                <bdi>{wordsOf(draft, property, nameOf)}</bdi>
              </span>
            </label>
          )
          return (
            <fieldset key={name}>
              <legend>{title}</legend>
              <p class='quiet'>Before: {wordsOf(before, property, nameOf)}</p>
              <div class='versions'>
                {option(false, theirs)}
                {option(true, own)}
              </div>
            </fieldset>
          )
        })}
      </div>
      <div class='row'>
        <button
          type='button'
          class='button button-main'
          onClick={() => onBack([...mine])}
        >
          Continue with this choice
        </button>
        <button type='button' class='button' onClick={() => onBack([])}>Discard my changes</button>
      </div>
    </div>
  )
}

function wordsOf (draft: Draft, property: Property, nameOf: NameOf): string {
  if (draft === null) return 'null'
  if (draft === undefined || isChildren(draft)) return 'not read'
  if (draft === '') return 'empty text'
  const path = property.reference?.resource ?? null
  const words = keysOf(property, draft).map((key) => nameOf(path, key) ?? key)
  if (words.length > 0) return words.join(', ')
  return typeof draft === 'string' ? draft : draft.join('; ') || 'none'
}

/** The keys of related records in a draft. */
function keysOf ({ kind }: Property, draft: Draft): readonly string[] {
  if ((kind !== 'key' && kind !== 'keys') || draft === null || draft === undefined || isChildren(draft)) return []
  return [draft].flat()
}
