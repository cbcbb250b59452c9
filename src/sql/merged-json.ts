/** Embedded objects that are stored as JSON: a new value with the members of the old one that clients don't see. */
import { arrayLiteral, holdsHidden, membersOf, type Property } from '../model/index.ts'
import { join, literal, sql, trusted, type Sql } from './fragment.ts'

type Members = ReadonlyMap<string, Property>

const EMPTY_OBJECT = trusted("'{}'::jsonb")

/** The new value, where it is an object; anything else, such as null, replaces the old one as a whole. */
export function mergedJson (value: Sql, old: Sql, members: Members): Sql {
  const inner = nested(members).map(([key, members]) => {
    const [part, before] = [sql`(${value} -> ${key})`, sql`(${old} -> ${key})`]
    return sql`case when jsonb_typeof(${part}) = 'object' then jsonb_build_object(${key}, ${
      mergedJson(part, before, members)
    }) else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${value}) = 'object' then ${
    join([kept(old, members), value, ...inner], ' || ')
  } else ${value} end`
}

/** The old value without what clients see of it. */
function kept (old: Sql, members: Members): Sql {
  const shown = literal(arrayLiteral([...members.values()].filter(({ hidden }) => !hidden).map(storedName)))
  const inner = nested(members).map(([key, members]) => {
    const part = kept(sql`(${old} -> ${key})`, members)
    return sql`case when ${part} <> ${EMPTY_OBJECT} then jsonb_build_object(${key}, ${part}) else ${EMPTY_OBJECT} end`
  })
  return sql`case when jsonb_typeof(${old}) = 'object' then ${
    join([sql`(${old} - ${shown}::text[])`, ...inner], ' || ')
  } else ${EMPTY_OBJECT} end`
}

/** Objects inside that have hidden members themselves, by the keys that they have in JSON. */
function nested (members: Members): (readonly [key: Sql, members: Members])[] {
  return [...members.values()].flatMap((member) => {
    const inner = member.hidden ? undefined : membersOf(member)
    return inner !== undefined && holdsHidden(inner) ? [[literal(storedName(member)), inner] as const] : []
  })
}

const storedName = (member: Property): string => (member as Exclude<Property, { kind: 'relation' }>).column
