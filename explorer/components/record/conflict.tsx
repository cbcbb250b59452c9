/** After a 412: somebody else has changed the record. The difference, and a choice for each property. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { isChildren, isSameDraft, type Difference, type Draft } from '../../api/drafts.ts'

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
  // the form is gone, and with it what had the focus
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => root.current?.focus(), [])
  return (
    <div class='drawer-body' ref={root} tabIndex={-1}>
      <div class='notice notice-error' role='alert'>
        <p>The record has changed since you opened it. Nothing was saved. Choose what to keep.</p>
      </div>
      <table class='conflict'>
        <thead>
          <tr>
            <th scope='col'>Property</th>
            <th scope='col'>Now</th>
            <th scope='col'>Yours</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ property: { name, title, children }, before, theirs, mine: own }) => {
            const words = (draft: Draft): string => wordsOf(draft, children === undefined ? ', ' : '; ')
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
                {words(draft)}
              </label>
            )
            return (
              <tr key={name}>
                <th scope='row'>
                  {title}
                  <span class='quiet'>before: {words(before)}</span>
                </th>
                <td>{option(false, theirs)}</td>
                <td>{option(true, own)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
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

function wordsOf (draft: Draft, separator: string): string {
  if (draft === null) return 'null'
  if (draft === undefined || isChildren(draft)) return 'not read'
  return typeof draft === 'string' ? draft || 'empty text' : draft.join(separator) || 'none'
}
