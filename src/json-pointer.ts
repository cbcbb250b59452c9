/** JSON pointers (RFC 6901), which say where in a body an error is. */

/** A name as a part of a pointer (section 3). */
export const escapedName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
