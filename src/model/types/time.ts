/** Times of a day, without a zone. */
import { accept, fromString, refuse, type Converted, type SqlValue } from './converted.ts'
import { ORDERED, unchanged, type FromColumn, type WireType } from './wire-type.ts'

export interface TimeType {
  readonly kind: 'time'
  /** The digits after the point that the column keeps, if the property declares one to five. */
  readonly places?: number
}

const MOST_PLACES = 6

const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/
const STORED_TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?|24:00:00)$/
/** The end of a day, which differs from its start for the database. */
const END_OF_DAY = /^24:00(?::00(?:\.0{1,6})?)?$/

/** MikroORM declares `time(0)` for each of its own times, so this does not tell what a column keeps. */
const type: FromColumn<TimeType> = (_, [places = MOST_PLACES]) =>
  places > 0 && places < MOST_PLACES ? { kind: 'time', places } : { kind: 'time' }

export const time: WireType<TimeType> = {
  columns: { time: type, 'time without time zone': type },
  abilities: () => ORDERED,
  extremes: true,
  fromText: (text) => timeFromText(text),
  fromJson: (value, { places }) => fromString(value, (text) => timeFromText(text, places)),
  bound: true,
  fromStored: (text) => STORED_TIME.test(text) ? text : undefined,
  toBody: unchanged,
  takesDates: false,
  // with seconds and without a fraction, because MikroORM's type accepts no other form
  fromScope: (value) =>
    typeof value === 'string' && isTime(value.trim()) && Number(TIME.exec(value.trim())![4] ?? 0) === 0
      ? accept(`${value.trim()}:00`.slice(0, 8))
      : refuse('a time, HH:MM or HH:MM:SS'),
  canonical: (value) => String(secondsOf(String(value))),
  isSame: isSameTime,
  inEntity: 'json',
  numeric: true,
  plainInPath: false,
  families: () => ['time'],
  plainInJson: true,
}

/** A column of less precision rounds its values, so that times of one second may become the same. */
function isSameTime (one: SqlValue, other: SqlValue): boolean | undefined {
  return Math.abs(secondsOf(String(one)) - secondsOf(String(other))) < 1 ? undefined : false
}

function secondsOf (text: string): number {
  const [, hours, minutes, seconds = 0, fraction = ''] = TIME.exec(text) ?? []
  return (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) + Number(`0.${fraction}0`)
}

/** @param places the digits after the point that a column keeps: it would round others, the last second to 24:00:00 */
function timeFromText (text: string, places = MOST_PLACES): Converted {
  const isRead = isTime(text) || END_OF_DAY.test(text)
  if (isRead && (places === MOST_PLACES || placesOf(text) <= places)) return accept(text)
  return refuse(`a time, HH:MM or HH:MM:SS, with at most ${places} digits after the point`)
}

/** The number of digits after the point, without zeros at their end. */
const placesOf = (text: string): number => /\.(\d*?)0*$/.exec(text)?.[1]!.length ?? 0

export function isTime (text: string): boolean {
  const match = TIME.exec(text)
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3] ?? 0) <= 59
}
