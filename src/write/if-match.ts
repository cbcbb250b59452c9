/**
 * Reads the header If-Match (RFC 9110 section 13.1.1). The versions in it are compared by the `where` of the write
 * (`targetSql` in `src/sql/write.ts`), and by `checkVersion` in `src/write/write.ts` when a row has been read.
 */

/** The versions that a record may have: any, or one of a list. */
export type IfMatch = 'any' | readonly string[]

const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y

/**
 * Reads the header: `*`, or entity tags such as `"3"`. Weak tags never match, since the comparison is strong. Text that
 * is not a list of tags matches no version.
 *
 * @example
 * readIfMatch('"3", "4"') // ['3', '4']
 */
export function readIfMatch (header: string): IfMatch {
  if (header.trim() === '*') return 'any'
  const versions: string[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header)
    if (match === null) return []
    if (match[1] === undefined) versions.push(match[2]!)
  }
  return versions
}

/** A version as an entity tag. */
export function entityTag (version: string): string {
  return `"${version}"`
}
