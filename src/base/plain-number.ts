/** A number without an exponent, with the digits that JavaScript writes for it. */
export function plainNumber (value: number): string {
  const written = String(value)
  return written.includes('e') ? withoutExponent(written) : written
}

/** The same number without its exponent. The result has as many digits as the exponent says, so bound it before. */
export function withoutExponent (written: string): string {
  const [mantissa = '', exponent = '0'] = written.split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  const sign = mantissa.startsWith('-') ? '-' : ''
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
