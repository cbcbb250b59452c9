/** A text as one word of a command that a developer copies. Backslashes stay, since paths of Windows have them. */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}\p{M}_@%+=:,./\\-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
