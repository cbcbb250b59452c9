/** The edge of a column. Pulling it changes the width, and a double click fits it to the values. */
import { useRef } from 'preact/hooks'

export interface Resizing {
  /** While it is pulled. */
  readonly onPull: (width: number) => void
  /** At the end. `undefined` if the width stays. */
  readonly onRelease: (width: number | undefined) => void
  readonly onFit: () => void
}

interface ResizeHandleProps extends Resizing {
  readonly width: number
}

export function ResizeHandle ({ width, onPull, onRelease, onFit }: ResizeHandleProps) {
  const start = useRef<{ readonly x: number, readonly width: number }>(undefined)
  const widthAt = ({ clientX }: PointerEvent): number => start.current!.width + clientX - start.current!.x
  const release = (width: number | undefined): void => {
    if (start.current === undefined) return
    onRelease(width === start.current.width ? undefined : width)
    start.current = undefined
  }
  // the keys of the header and the list of columns do the same for people without a pointer
  return (
    <span
      class='resize'
      aria-hidden='true'
      title='Pull to change the width. A double click fits it.'
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width }
      }}
      onPointerMove={(event) => start.current && onPull(widthAt(event))}
      onPointerUp={(event) => start.current && release(widthAt(event))}
      onPointerCancel={() => release(undefined)}
      onDblClick={onFit}
    />
  )
}
