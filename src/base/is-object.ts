/** Whether a value is an object with members: not an array, a date, a map or a set. */
export function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date) &&
    !(value instanceof Map) && !(value instanceof Set)
}
