/** Compares objects whose members are simple values, or objects that are the same object if they are equal. */
type Simple = string | number | boolean | object | undefined

/**
 * A comparison of objects, member by member.
 *
 * @param members all members of the type. It is an error of types to leave one out
 */
export function sameIn<Of extends { readonly [Member in keyof Of]: Simple }> (
  members: { readonly [Member in keyof Of]-?: true }
): (one: Of, other: Of) => boolean {
  const names = Object.keys(members) as unknown as ReadonlyArray<keyof Of>
  return (one, other) => {
    for (const name of names) if (one[name] !== other[name]) return false
    return true
  }
}
