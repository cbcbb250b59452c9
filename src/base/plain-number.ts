/** A number without an exponent, with the digits that JavaScript writes for it. */
export function plainNumber (value: number): string {
  const written = String(value)
  if (!written.includes('e')) return written
  const [mantissa = '', exponent = '0'] = written.split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const shift = Number(exponent)
  const digits = whole + fraction
  const sign = value < 0 ? '-' : ''
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - whole.length)}${digits}`
  return sign + digits.padEnd(whole.length + shift, '0')
}
