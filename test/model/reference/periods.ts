/** The periods that days and moments belong to. */
import type { Unit } from './description.ts'

/** A day of the calendar. The year before year 1 is 0. */
interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** The first day of the period of a day, such as `2024-05-31`, or of a moment, for clocks in a time zone. */
export function firstDay (value: string, unit: Unit, timeZone: string): string {
  const { year, month, day } = value.includes('T') ? dayIn(value, timeZone) : written(value)
  switch (unit) {
    case 'day':
      return textOf({ year, month, day })
    case 'week':
      return textOf(mondayOf({ year, month, day }))
    case 'month':
      return textOf({ year, month, day: 1 })
    case 'year':
      return textOf({ year, month: 1, day: 1 })
  }
}

/** A number by which days are sorted. */
export function orderOfDay (text: string): number {
  return dateOf(written(text)).getTime()
}

function dayIn (moment: string, timeZone: string): Day {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone, era: 'short', year: 'numeric', month: 'numeric', day: 'numeric',
  })
  const parts = Object.fromEntries(format.formatToParts(new Date(moment)).map(({ type, value }) => [type, value]))
  const year = Number(parts['year'])
  return { year: parts['era'] === 'BC' ? 1 - year : year, month: Number(parts['month']), day: Number(parts['day']) }
}

function written (text: string): Day {
  const [, year, month, day, era] = /^(\d+)-(\d\d)-(\d\d)( BC)?$/.exec(text)!
  return { year: era === undefined ? Number(year) : 1 - Number(year), month: Number(month), day: Number(day) }
}

function textOf ({ year, month, day }: Day): string {
  const two = (number: number): string => String(number).padStart(2, '0')
  const [shown, era] = year > 0 ? [year, ''] : [1 - year, ' BC']
  return `${String(shown).padStart(4, '0')}-${two(month)}-${two(day)}${era}`
}

function mondayOf (day: Day): Day {
  const date = dateOf(day)
  date.setUTCDate(date.getUTCDate() - (date.getUTCDay() + 6) % 7)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** `Date.UTC` takes the years before 100 for those of the 20th century. */
function dateOf ({ year, month, day }: Day): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}
