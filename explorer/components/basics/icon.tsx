/** Small drawings of 16 pixels. They are decoration: each button has a text of its own. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  open: 'M6 4h6v6M12 4l-8 8',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  filter: 'M2 4h12M4 8h8M6.5 12h3',
  facets: 'M3 4h10M3 8h6M3 12h3',
  chart: 'M3 13V8M8 13V3M13 13V6',
  columns: 'M2.5 3h11v10h-11zM6 3v10M10 3v10',
  download: 'M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10',
  compare: 'M2.5 3h11v10h-11zM8 3v10',
  person: 'M8 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4',
  edit: 'M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z',
  trash: 'M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9',
  undo: 'M6 4L3 7l3 3M3 7h6.5a3.5 3.5 0 010 7H7',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  help: 'M8 14A6 6 0 108 2a6 6 0 000 12zM6.3 6.5c0-2 3.4-2 3.4 0 0 1.2-1.7 1.3-1.7 2.7M8 11.2v.3',
} as const

export type IconName = keyof typeof PATHS

export function Icon ({ name }: { readonly name: IconName }) {
  return (
    <svg class='icon' viewBox='0 0 16 16' aria-hidden='true' focusable='false'>
      <path d={PATHS[name]} />
    </svg>
  )
}
