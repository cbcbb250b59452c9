/** How a member of another package is listed that is no public API of it, or that is replaced. */
export interface Borrowed {
  /** The package, and the version whose source it was read in. */
  readonly from: string
  readonly version: string
  /** The class or kind of object that has it. */
  readonly of: string
  readonly name: string
  /** What it is used for that public API does not offer. */
  readonly reason: string
}

/** The entries of one package: owner, name and reason of each member. */
export function membersOf (
  from: string,
  version: string,
  members: ReadonlyArray<readonly [of: string, name: string, reason: string]>
): readonly Borrowed[] {
  return members.map(([of, name, reason]) => ({ from, version, of, name, reason }))
}
