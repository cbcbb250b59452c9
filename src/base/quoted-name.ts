/** Names in SQL. */

/** A name as SQL writes it between quotes. */
export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`
