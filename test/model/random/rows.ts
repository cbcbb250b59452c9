/** Rows for all entities: with nulls, ties, deleted rows, links to deleted rows, and parents without children. */
import fc from 'fast-check'
import type { Row, Tables, Value } from '../reference/description.ts'
import { entities } from './graph.ts'
import { text, valueOf } from './values.ts'

const DELETED = '2024-06-01T00:00:00.000Z'

/** Values for all properties except the key. One row of five is deleted. */
function columns (entity: string): fc.Arbitrary<Row> {
  const { key, properties } = entities[entity]!
  const others = Object.entries(properties).filter(([name]) => !key.includes(name) && name !== 'deleted_at')
  const values = fc.record(Object.fromEntries(others.map(([name, property]) => [name, valueOf(property)])), {
    noNullPrototype: true,
  })
  if (!('deleted_at' in properties)) return values
  return fc.tuple(values, fc.option(fc.constant(DELETED), { freq: 5 }))
    .map(([row, deleted]) => ({ ...row, deleted_at: deleted === DELETED ? null : DELETED }))
}

/** Rows with these keys. A to-one relation has one of its possible keys. */
function table (
  entity: string,
  keys: ReadonlyArray<Record<string, Value>>,
  references: Record<string, readonly Value[]> = {}
): fc.Arbitrary<Row[]> {
  const { relations } = entities[entity]!
  const one = (name: string, values: readonly Value[]): fc.Arbitrary<Value> => {
    const relation = relations[name] as { nullable?: boolean }
    if (values.length === 0) return fc.constant(null)
    return relation.nullable ? fc.option(fc.constantFrom(...values), { freq: 4 }) : fc.constantFrom(...values)
  }
  const links = fc.record(
    Object.fromEntries(Object.entries(references).map(([name, values]) => [name, one(name, values)])),
    { noNullPrototype: true }
  )
  return fc.tuple(
    ...keys.map((key) => fc.tuple(columns(entity), links).map(([row, links]) => ({ ...key, ...row, ...links })))
  )
}

/** Mostly many rows, to fill pages, and sometimes few or none. */
const sizes = (max: number): fc.ArrayConstraints => ({ minLength: 0, maxLength: max, size: 'max' })
const keys = (max: number): fc.Arbitrary<number[]> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { ...sizes(max), minLength: Math.ceil(max / 2) }),
    },
    { weight: 1, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), sizes(3)) }
  )

export const tables: fc.Arbitrary<Tables> = fc.record({
  authors: keys(8),
  publishers: fc.uniqueArray(fc.constantFrom('1', '2', '10', '9007199254740993', '-5'), { ...sizes(5), minLength: 1 }),
  books: keys(18),
  tags: fc.uniqueArray(valueOf({ type: 'uuid' }), sizes(5)),
  copies: fc.uniqueArray(fc.record({ shelf: text, number: fc.integer({ min: 1, max: 3 }) }, { noNullPrototype: true }),
    { ...sizes(14), selector: ({ shelf, number }) => `${number} ${shelf}` }),
}).chain(({ authors, publishers, books, tags, copies }) =>
  fc.record({
    Author: table('Author', authors.map((id) => ({ id })), { mentor: authors }),
    Publisher: table('Publisher', publishers.map((id) => ({ id }))),
    Tag: table('Tag', tags.map((code) => ({ code }))),
    Book: table('Book', books.map((id) => ({ id })), { author: authors, publisher: publishers }),
    Copy: table('Copy', copies, { book: books }),
    links: fc.subarray(books.flatMap((book) => tags.map((tag) => [book, tag] as const))),
  })
).map(({ links, ...rows }) => ({ rows, links: { book_tags: links } }))
