/** Draws the CPU ratios as SVG, with a group of bars for each operation. */
import type { Samples } from './measure.ts'
import type { Operation } from './operations.ts'
import { ratio } from './statistics.ts'
import type { Variant, VariantName } from './variants.ts'

const COLOURS: Readonly<Record<VariantName, string>> = {
  'hand-written': '#8a94a6',
  'hand-written-any': '#8a94a6',
  unchecked: '#a7aebb',
  'crud-kit': '#0a7d5a',
  'crud-kit-access': '#4fa98a',
  before: '#7fbfa8',
  'two-queries': '#b9c0cc',
  'mikro-orm': '#c9762b',
  platformatic: '#3f6fb5',
  'nestjs-paginate': '#b5405a',
}
const WIDTH = 860
const LABELS = 300
const BAR = 14
const GAP = 16
const TOP = 84
/** Longer bars are cut off, because the others would become too short to compare. */
const LONGEST = 12

/** @returns an SVG document that follows the reader's light or dark scheme */
export function chart (samples: Samples, operations: readonly Operation[], variants: readonly Variant[]): string {
  const group = variants.length * BAR + GAP
  const height = TOP + operations.length * group
  const scale = (WIDTH - LABELS - 60) / LONGEST
  const bars = operations.map(({ name, title }, row) => {
    const top = TOP + row * group
    const label = text(LABELS - 12, top + variants.length * BAR / 2 + 4, title, 'end')
    return label + variants.map((variant, index) => {
      const value = ratio(samples, { operation: name, variant: variant.name }, 'cpu')
      if (value === undefined) return ''
      const length = Math.min(value, LONGEST) * scale
      const y = top + index * BAR
      return `<rect x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="${BAR - 2}" fill="${
        COLOURS[variant.name]
      }"/>` +
        text(LABELS + length + 5, y + BAR - 4, `${value.toFixed(2)}${value > LONGEST ? ' …' : ''}`, 'start', 'value')
    }).join('')
  })
  const legend = variants.map(({ name, title }, index) => {
    const x = 16 + index % 3 * 280
    const y = 38 + Math.floor(index / 3) * 20
    return `<rect x="${x}" y="${y}" width="12" height="12" fill="${COLOURS[name]}"/>${text(x + 18, y + 10, title)}`
  })
  const one = LABELS + scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"
  role="img" aria-labelledby="title">
<title id="title">CPU of a request, as a ratio to the route written by hand; shorter is better</title>
<style>
  svg { background: #fff } text { font: 12px system-ui, sans-serif; fill: #1d232e }
  .title { font-size: 15px; font-weight: 600 } .value { font-size: 11px }
  line { stroke: #1d232e; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) { svg { background: #14181f } text { fill: #e4e8ee } line { stroke: #e4e8ee } }
</style>
${text(16, 24, 'CPU of a request, as a ratio to the route written by hand (shorter is better)', 'start', 'title')}
${legend.join('\n')}
${bars.join('\n')}
<line x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="${TOP - 6}" y2="${height - 8}"/>
</svg>
`
}

function text (x: number, y: number, content: string, anchor = 'start', name?: string): string {
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}"${name === undefined ? '' : ` class="${name}"`}>${
    content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  }</text>`
}
