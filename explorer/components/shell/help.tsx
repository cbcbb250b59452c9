/** The keys of the page. */
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'

const KEYS = [
  ['Tab', 'to the next control; the table is one stop'],
  ['↑ ↓ ← →', 'move in the table'],
  ['Home, End', 'to the first and last column; with Ctrl, to the first and last row'],
  ['Page Up, Page Down', 'ten rows on'],
  ['Enter', 'in the table: open the record, follow the link, or sort by the header'],
  ['Shift + Enter', 'on a header: add it to the order'],
  ['Shift + ← →', 'on a header: change its width; with Ctrl, move the column'],
  ['Space', 'in the table: select the record for changes of many; with Shift, all from the one before'],
  ['F', 'in the table: filter by the column'],
  ['Ctrl + Enter', 'in a form: save'],
  ['Escape', 'close the panel or the record; with changes, it asks before'],
] as const

export function Help () {
  return (
    <Popover label={<Icon name='help' />} title='Keyboard' name='Keyboard' class='button button-bare' align='end'>
      {() => (
        <dl class='keys'>
          {KEYS.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </Popover>
  )
}
