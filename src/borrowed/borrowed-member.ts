/** A member of another package that is not public API, or that is replaced. */
export interface Borrowed {
  /** The package, and the version whose source was read. */
  readonly from: string
  readonly version: string
  /** The class or kind of object that has the member. */
  readonly of: string
  readonly name: string
  /** The use that public API does not cover. */
  readonly reason: string
  /** The effect if a version lacks the member. A version without a member that has no such text is refused. */
  readonly without?: string
}

/** The entries of one package: owner, name and reason of each member, and the effect of its absence. */
export function borrowedMembers (
  from: string,
  version: string,
  members: ReadonlyArray<readonly [of: string, name: string, reason: string, without?: string]>
): readonly Borrowed[] {
  return members.map(([of, name, reason, without]) => ({ from, version, of, name, reason, ...without && { without } }))
}
