/** Entity tags in headers (RFC 9110, sections 8.8.3 and 13.1). */

interface EntityTag {
  readonly weak: boolean
  /** The text between the quotes. */
  readonly text: string
}

const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y

/**
 * Reads `If-Match` or `If-None-Match`: `*`, or a list of tags. Text that is neither has no tags.
 *
 * @example
 * readTags('W/"3", "4"') // [{ weak: true, text: '3' }, { weak: false, text: '4' }]
 */
export function readTags (header: string): '*' | readonly EntityTag[] {
  if (header.trim() === '*') return '*'
  const tags: EntityTag[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header)
    if (match === null) return []
    tags.push({ weak: match[1] !== undefined, text: match[2]! })
  }
  return tags
}

/**
 * Whether `If-None-Match` names an entity tag, by the weak comparison. `*` names every answer.
 *
 * @param tag as the answer has it: `"3"`, `W/"3"`
 */
export function namesTag (header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  const tags = readTags(header)
  const wanted = tag.replace(/^W\//, '')
  return tags === '*' || tags.some(({ text }) => `"${text}"` === wanted)
}
