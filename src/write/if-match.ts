/**
 * Reads the header If-Match (RFC 9110 section 13.1.1). The versions in it are compared by the `where` of the write
 * (`targetSql` in `src/sql/write-target.ts`), and by `checkVersion` when a row has been read.
 */
import { readTags } from '../base/read-tags.ts'
import { PreconditionFailedError } from '../base/errors.ts'
import type { Row } from '../sql/index.ts'
import type { Write } from './write.ts'

/** Characters of a digest in an entity tag: 132 bits. */
export const DIGEST_LENGTH = 22

const DIGEST = new RegExp(`~[\\w-]{${DIGEST_LENGTH}}$`)

/** A version as an entity tag, perhaps with a digest of what is shown of the record. */
export function entityTag (version: string, digest?: string): string {
  return digest === undefined ? `"${version}"` : `"${version}~${digest}"`
}

/**
 * The versions in If-Match, or `undefined` if any version is allowed. Weak tags never match, since the comparison is
 * strong. Text that is not a list of tags matches no version. The digest in a tag is ignored: it tells what a request
 * showed of a record.
 *
 * @example
 * versionsOf({ options: { ifMatch: '"3", "4~47DEQpj8HBSa-_TImW-5JC"' } }) // ['3', '4']
 */
export function versionsOf ({ options: { ifMatch } }: Pick<Write, 'options'>): readonly string[] | undefined {
  const tags = ifMatch === undefined ? '*' : readTags(ifMatch)
  return tags === '*' ? undefined : tags.flatMap(({ weak, text }) => weak ? [] : [text.replace(DIGEST, '')])
}

/** @throws {PreconditionFailedError} if the version is not in If-Match. Without a version, only `*` matches. */
export function checkVersion (write: Write, row: Row): void {
  const versions = versionsOf(write)
  if (versions === undefined || versions.includes(row['version'] as string)) return
  throw new PreconditionFailedError(mismatch(write, versions))
}

/**
 * Refuses the versions of a write of many records, which no single version can stand for.
 *
 * @throws {PreconditionFailedError} unless If-Match is absent or `*`
 */
export function refuseVersions (write: Pick<Write, 'options'>): void {
  if (versionsOf(write) === undefined) return
  throw new PreconditionFailedError('A write of many records has no version, so that only * matches in If-Match.')
}

/** The reason why no version matches, or `undefined` if it is that the record has another one. */
function mismatch ({ model }: Write, versions: readonly string[]): string | undefined {
  // who does not see the version must not learn that there is one
  if (model.version === undefined || model.version.hidden) {
    return 'These records have no version, so that only * matches in If-Match.'
  }
  return versions.length === 0
    ? 'If-Match takes entity tags in double quotes, without W/ before them, such as "1".'
    : undefined
}
