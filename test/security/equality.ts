/** A second implementation of `eq`: whether a value in a record equals the text in a URL. */
import { isDeepStrictEqual } from 'node:util'

type Equality = (stored: any, text: string) => boolean

const integer: Equality = (stored, text) => /^[+-]?\d+$/.test(text) && BigInt(stored) === BigInt(text.replace('+', ''))

/** Exact like numeric: digits and the place of the decimal point, without insignificant zeros. */
function canonical (text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text)!
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  return trimmed === ''
    ? '0'
    : `${sign === '-' ? '-' : ''}${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const exact: Equality = (stored, text) => DECIMAL.test(text) && canonical(String(stored)) === canonical(text)
/** A custom type whose values are read by the database, which allows spaces around a number. */
const degrees: Equality = (stored, text) => exact(stored, text.trim())
const float: Equality = (stored, text) => DECIMAL.test(text) && Number(stored) === Number(text)
const real: Equality = (stored, text) => DECIMAL.test(text) && Math.fround(stored) === Math.fround(Number(text))
const boolean: Equality = (stored, text) => stored === (text === 'true' || text === '1')
const plain: Equality = (stored, text) => stored === text
/** Spaces at the end of `character` are padding. */
const padded: Equality = (stored, text) => stored === text.replace(/ +$/, '')
const uuid: Equality = (stored, text) => stored === text.toLowerCase()
const moment: Equality = (stored, text) => Date.parse(stored) === Date.parse(text)
const time: Equality = (stored, text) => stored === (text.length === 5 ? `${text}:00` : text)
const json: Equality = (stored, text) => isDeepStrictEqual(stored, JSON.parse(text))

/** One comparison for each property of the specimen. */
export const EQUALITIES: Readonly<Record<string, Equality>> = {
  leaves: integer, stems: integer, cells: integer, pollen: integer, spores: integer, dryMass: exact, value: exact,
  acidity: float, chlorophyll: real, minimum: degrees, alive: boolean, nickname: plain, description: plain, code: plain,
  grade: padded, tracker: uuid, health: plain, hardiness: integer, flowering: plain, sownOn: plain, measuredAt: moment,
  recordedAt: moment, wateredAt: time, readings: json, petals: padded,
}
