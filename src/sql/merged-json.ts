/** Updates of embedded objects that are stored as JSON. The new value keeps the hidden members of the old one. */
import { arrayLiteral, holdsHidden, membersOf, type Property } from '../model/index.ts'
import { join, literal, sql, trusted, type Sql } from './fragment.ts'

type Members = ReadonlyMap<string, Property>

const EMPTY_OBJECT = trusted("'{}'::jsonb")

/** An object with one member. Updates of a distributed server refuse `jsonb_build_object`, which is not immutable. */
const objectOf = (key: Sql, value: Sql): Sql => sql`jsonb_set(${EMPTY_OBJECT}, array[${key}], ${value})`

/**
 * The new value with the hidden members of the old one. A value that is not an object, such as null, replaces the old
 * one.
 */
export function mergedJson (value: Sql, old: Sql, members: Members): Sql {
  const inner = nested(members).map(([key, members]) => {
    const [part, before] = [sql`(${value} -> ${key})`, sql`(${old} -> ${key})`]
    return sql`case when jsonb_typeof(${part}) = 'object' then ${
      objectOf(key, mergedJson(part, before, members))
    } else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${value}) = 'object' then ${
    join([kept(old, members), value, ...inner], ' || ')
  } else ${value} end`
}

/** The old value without the members that clients see. */
function kept (old: Sql, members: Members): Sql {
  const shown = literal(arrayLiteral([...members.values()].filter(({ hidden }) => !hidden).map(storedName)))
  const inner = nested(members).map(([key, members]) => {
    const part = kept(sql`(${old} -> ${key})`, members)
    return sql`case when ${part} <> ${EMPTY_OBJECT} then ${objectOf(key, part)} else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${old}) = 'object' then ${
    join([sql`(${old} - ${shown}::text[])`, ...inner], ' || ')
  } else ${EMPTY_OBJECT} end`
}

/** The nested objects that have hidden members, with their keys in JSON. */
function nested (members: Members): (readonly [key: Sql, members: Members])[] {
  return [...members.values()].flatMap((member) => {
    const inner = member.hidden ? undefined : membersOf(member)
    return inner !== undefined && holdsHidden(inner) ? [[literal(storedName(member)), inner] as const] : []
  })
}

const storedName = (member: Property): string => (member as Exclude<Property, { kind: 'relation' }>).column
