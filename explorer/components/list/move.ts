/** The keys that move in the grid. */

/** A cell of the grid. The row of the header is -1. */
export interface Place {
  readonly row: number
  readonly column: number
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
}

/** The cell to which a key moves. Returns `undefined` for keys that do not move. */
export function nextCell (
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  { row, column }: Place,
  rows: number,
  columns: number
): Place | undefined {
  if (altKey) return undefined
  const isFar = ctrlKey || metaKey
  if (key === 'Home') return { row: isFar ? Math.min(0, rows - 1) : row, column: 0 }
  if (key === 'End') return { row: isFar ? rows - 1 : row, column: columns - 1 }
  const step = STEPS[key]
  if (step === undefined || isFar) return undefined
  return {
    row: Math.max(-1, Math.min(rows - 1, row + step[0])),
    column: Math.max(0, Math.min(columns - 1, column + step[1])),
  }
}
