/**
 * SQL of the application inside conditions in MikroORM's query language. MikroORM joins it to other conditions by `and`
 * without parentheses, so that an `or` would let rows through which these conditions leave out. In: conditions, or
 * values in them. Out: copies, in which SQL with such an `or` has parentheses.
 */
import { isRaw, RawQueryFragment } from '@mikro-orm/core'
import { madeOnce } from '../base/made-once.ts'
import { isPlainObject } from './plain-object.ts'

/**
 * The key of a fragment, with parentheses if it needs them.
 *
 * @param fragment the key that `raw()` returns
 */
export const closedKey = (fragment: symbol): symbol => closed(RawQueryFragment.getKnownFragment(fragment)!).key

/**
 * A copy of what a property or a fragment is compared with: a value, operators with their values, or members of a
 * document. MikroORM itself writes parentheses for SQL in `$in` and `$nin` only.
 *
 * @param name the operator or the member that has the value
 */
export function closedIn (value: unknown, name?: string): unknown {
  if (isRaw(value)) return name === '$in' || name === '$nin' ? value : closed(value)
  if (Array.isArray(value)) return Array.from(value, (item) => closedIn(item))
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closedIn(member, name)]))
    : value
}

const closed = madeOnce((fragment: RawQueryFragment): RawQueryFragment =>
  // the line ends a comment
  hasOpenOr(fragment) ? new RawQueryFragment(`(${fragment.sql}\n)`, fragment.params) : fragment
)

/** Whether a fragment may have an `or` outside of parentheses. MikroORM writes fragments among its values into it. */
const hasOpenOr = ({ sql, params }: RawQueryFragment): boolean =>
  isOpen(sql) || params.flat().some((param) => isRaw(param) && hasOpenOr(param))

/** Literals, quoted names, and parentheses without others in them. */
const CLOSED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\([^()'"]*\)/g

function isOpen (text: string): boolean {
  // literals in dollars or with escapes, and comments, may hide a quote or a parenthesis
  if (/[$\\]|--|\/\*/.test(text)) return true
  let open = text
  for (let inner = ''; inner !== open;) [inner, open] = [open, open.replace(CLOSED, ' ')]
  return /\bor\b/i.test(open)
}
