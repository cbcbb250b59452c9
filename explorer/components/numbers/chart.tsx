/** A bar chart of a number: bars beside each other over time, below each other for other groups. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ticksOf, type Point } from '../../api/groups.ts'
import { cut } from '../../api/format.ts'

interface ChartProps {
  readonly points: readonly Point[]
  /** Whether the points are in the order of time. */
  readonly isTime: boolean
  /** The number and the groups, in words. */
  readonly name: string
  /** The words above the chart. */
  readonly children: ComponentChildren
}

/** Bars below each other. More of them are a table. */
const MOST_BARS = 60
/** The width of a character in pixels, at the size of the labels. */
const CHARACTER = 6.6
const LINE = 26
/** The width until it is measured. */
const UNKNOWN = 640
const HEIGHT = 240

const labelOf = (points: readonly Point[], isTime: boolean, name: string): string =>
  `Bar chart: ${name}${isTime ? ', in the order of time' : ''}. The table has its ${points.length} values.`

/** The numbers between which bars are drawn, with 0 among them. */
function rangeOf (points: readonly Point[]): readonly [low: number, high: number] {
  const values = points.flatMap(({ value }) => value ?? [])
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  return low === high ? [0, 1] : [low, high]
}

export function Chart ({ points, isTime, name, children }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(UNKNOWN)
  useLayoutEffect(() => {
    const measure = (): void => setWidth(frame.current?.clientWidth || UNKNOWN)
    const observer = new ResizeObserver(measure)
    observer.observe(frame.current!)
    measure()
    return () => observer.disconnect()
  }, [])
  const shown = isTime ? points : points.slice(0, MOST_BARS)
  return (
    <figure class='chart'>
      <figcaption>{children}</figcaption>
      <div ref={frame}>
        {isTime
          ? <Columns points={shown} name={labelOf(points, isTime, name)} width={width} />
          : <Bars points={shown} name={labelOf(points, isTime, name)} width={width} />}
      </div>
      {shown.length < points.length && <p class='quiet'>The chart has the first {MOST_BARS} groups of the page.</p>}
    </figure>
  )
}

interface DrawingProps {
  readonly points: readonly Point[]
  readonly name: string
  readonly width: number
}

function Bars ({ points, name, width }: DrawingProps) {
  const [low, high] = rangeOf(points)
  const longest = Math.max(...points.map(({ label }) => label.length))
  const start = Math.round(Math.min(width * 0.38, longest * CHARACTER + 14))
  const end = Math.max(...points.map(({ text }) => text.length)) * CHARACTER + 14
  const x = (value: number): number => start + ((value - low) / (high - low)) * Math.max(20, width - start - end)
  return (
    <svg role='img' aria-label={name} width={width} height={points.length * LINE}>
      {points.map(({ label, value, text }, index) => (
        <g key={index} transform={`translate(0 ${index * LINE})`}>
          <title>{`${label}: ${text}`}</title>
          <text x={start - 10} y={17} class='chart-end'>{cut(label, Math.floor((start - 14) / CHARACTER))}</text>
          {value !== undefined && (
            <rect
              class='bar'
              x={Math.min(x(0), x(value))}
              y={4}
              width={Math.max(1, Math.abs(x(value) - x(0)))}
              height={LINE - 8}
              rx={2}
            />
          )}
          <text x={x(Math.max(0, value ?? 0)) + 7} y={17} class='chart-value'>{text}</text>
        </g>
      ))}
      <line class='axis' x1={x(0)} x2={x(0)} y1={0} y2={points.length * LINE} />
    </svg>
  )
}

const TOP = 18
const BOTTOM = 24

function Columns ({ points, name, width }: DrawingProps) {
  const [low, high] = rangeOf(points)
  const ticks = ticksOf(low, high, points.every(({ value = 0 }) => Number.isInteger(value)))
  const start = Math.max(...ticks.map((tick) => String(tick).length)) * CHARACTER + 14
  const band = (width - start) / points.length
  const thick = Math.max(1, Math.min(56, band * 0.72))
  const y = (value: number): number => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM)
  const longest = Math.max(...points.map(({ label }) => label.length)) * CHARACTER + 16
  const within = (x: number): number => Math.max(longest / 2, Math.min(width - longest / 2 + 8, x))
  // as many labels as have room
  const every = Math.max(1, Math.ceil(longest / band))
  const hasTexts = band > Math.max(...points.map(({ text }) => text.length)) * CHARACTER + 6
  return (
    <svg role='img' aria-label={name} width={width} height={HEIGHT}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class={tick === 0 ? 'axis' : 'grid-line'} x1={start} x2={width} y1={y(tick)} y2={y(tick)} />
          <text class='chart-end' x={start - 8} y={y(tick) + 4}>{tick}</text>
        </g>
      ))}
      {points.map(({ label, value, text }, index) => {
        const middle = start + band * (index + 0.5)
        return (
          <g key={index}>
            <title>{`${label}: ${text}`}</title>
            {value !== undefined && (
              <rect
                class='bar'
                x={middle - thick / 2}
                y={Math.min(y(0), y(value))}
                width={thick}
                height={Math.max(1, Math.abs(y(value) - y(0)))}
                rx={Math.min(2, thick / 4)}
              />
            )}
            {hasTexts && value !== undefined && (
              <text class='chart-value chart-middle' x={middle} y={y(Math.max(0, value)) - 5}>{text}</text>
            )}
            {index % every === 0 && (
              <text class='chart-middle' x={within(middle)} y={HEIGHT - 6}>{label}</text>
            )}
          </g>
        )
      })}
    </svg>
  )
}
