/** JSON pointers (RFC 6901), which name the place of an error in a body. */

/** Escapes a name as a part of a pointer (section 3). */
export const escapedName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
