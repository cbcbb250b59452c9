/** The entities of the random tests: every type of value, and every kind of relation, that a resource may have. */
import type { Entities, Property } from '../reference/description.ts'

const text: Property = { type: 'text' }
const integer: Property = { type: 'integer' }
const deletedAt: Property = { type: 'datetime', nullable: true }
const maybe = (property: Property): Property => ({ ...property, nullable: true })

const LANGUAGES = ['english', 'french', 'welsh']
export const CONDITIONS = ['worn', 'mint', 'good']

export const entities: Entities = {
  Author: {
    name: 'Author',
    key: ['id'],
    properties: {
      id: integer, name: text, rank: maybe(integer), born: maybe({ type: 'date' }),
      secret: { type: 'text', hidden: true }, deleted_at: deletedAt,
    },
    relations: {
      mentor: { kind: 'one', target: 'Author', nullable: true },
      students: { kind: 'many', target: 'Author', by: 'mentor' },
      books: { kind: 'many', target: 'Book', by: 'author' },
    },
  },
  Book: {
    name: 'Book',
    key: ['id'],
    properties: {
      id: integer, title: text, summary: maybe(text), pages: maybe(integer), isbn: { type: 'bigint' },
      sold: maybe({ type: 'bigint' }), price: maybe({ type: 'decimal' }), weight: maybe({ type: 'float' }),
      available: { type: 'boolean' }, signed: maybe({ type: 'boolean' }),
      language: maybe({ type: 'enum', members: LANGUAGES }), code: maybe({ type: 'uuid' }), published: { type: 'date' },
      printed_at: maybe({ type: 'datetime' }), extra: maybe({ type: 'json' }), deleted_at: deletedAt,
    },
    relations: {
      author: { kind: 'one', target: 'Author', nullable: true, indexed: true },
      publisher: { kind: 'one', target: 'Publisher', indexed: true },
      tags: { kind: 'links', target: 'Tag', table: 'book_tags', side: 0 },
      copies: { kind: 'many', target: 'Copy', by: 'book' },
    },
  },
  Tag: {
    name: 'Tag',
    key: ['code'],
    properties: { code: { type: 'uuid' }, label: text, weight: maybe({ type: 'decimal' }) },
    relations: { books: { kind: 'links', target: 'Book', table: 'book_tags', side: 1 } },
  },
  Publisher: {
    name: 'Publisher',
    key: ['id'],
    properties: { id: { type: 'bigint' }, name: text, founded: maybe(integer), deleted_at: deletedAt },
    relations: { books: { kind: 'many', target: 'Book', by: 'publisher' } },
  },
  Copy: {
    name: 'Copy', key: ['shelf', 'number'],
    properties: {
      shelf: text,
      number: integer,
      note: maybe(text),
      bought_at: { type: 'datetime' },
      condition: { type: 'enum', members: CONDITIONS },
    },
    relations: { book: { kind: 'one', target: 'Book', nullable: true } },
  },
}

/** Places after the point of the decimals. */
export const SCALE = 2
