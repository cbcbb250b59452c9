/** Reads the items of `defaultSort` and of the option `sort`, which are names with or without a sign. */
interface SignedName {
  readonly name: string
  /** The direction that the sign says. Absent without a sign. */
  readonly descending?: boolean
}

export const readSignedName = (item: string): SignedName =>
  /^[+-]/.test(item) ? { name: item.slice(1), descending: item.startsWith('-') } : { name: item }
