/** Measures texts as the grid shows them. */
import type { Font, Measure } from '../../api/widths.ts'

/** The width of a character where texts cannot be measured. */
const CHARACTER = 7.4

let context: CanvasRenderingContext2D | null | undefined

/** The measure in the present fonts. */
export function currentMeasure (): Measure {
  if (context === undefined) context = document.createElement('canvas').getContext('2d')
  const style = getComputedStyle(document.documentElement)
  const of = (name: string): string => style.getPropertyValue(name)
  const fonts: Readonly<Record<Font, string>> = {
    text: `${of('--text')} ${of('--sans')}`,
    head: `600 ${of('--text-small')} ${of('--sans')}`,
    mono: `12px ${of('--mono')}`,
  }
  return (text, font) => {
    if (!context) return text.length * CHARACTER
    context.font = fonts[font]
    // the grid has figures of one width
    return context.measureText(text.replace(/\d/g, '0')).width
  }
}
