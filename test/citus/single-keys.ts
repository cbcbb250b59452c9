/**
 * Entities whose keys are one column. As reference tables they are on every node. Distributed by their own keys, they
 * are not co-located with the tables that they refer to.
 */
import { defineEntity, p } from '@mikro-orm/core'
import { randomUUID } from 'node:crypto'
import {
  AllowedAggregate, AllowedFacet, AllowedFilters, AllowedGroup, AllowedInclude, AllowedSort, CrudBase,
  QueryBuilderConfig,
} from '../../src/index.ts'

const key = { id: p.uuid().primary().onCreate(() => randomUUID()) }

export const Author = defineEntity({
  name: 'Author',
  properties: {
    ...key,
    name: p.string(),
    born: p.date().nullable(),
    level: p.enum(['new', 'known'] as const).nativeEnumName('level').default('new'),
    books: () => p.oneToMany(Book).mappedBy('author').orderBy({ title: 'asc' }),
  },
})

export const Genre = defineEntity({
  name: 'Genre',
  properties: { ...key, name: p.string(), books: () => p.manyToMany(Book).mappedBy('genres') },
})

export const Book = defineEntity({
  name: 'Book',
  properties: {
    ...key,
    title: p.string(),
    pages: p.integer().default(1),
    deleted_at: p.datetime().nullable(),
    author: () => p.manyToOne(Author).nullable().updateRule('no action').deleteRule('no action'),
    genres: () => p.manyToMany(Genre).owner().pivotTable('book_genres'),
  },
})

/** The database makes its keys. */
export const Note = defineEntity({
  name: 'Note',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    text: p.text(),
    book: () => p.manyToOne(Book).nullable().updateRule('no action').deleteRule('no action'),
  },
})

/** Clients give its keys. */
export const Series = defineEntity({
  name: 'Series',
  properties: { id: p.string().primary(), name: p.string().check('length(name) < 20') },
})

export const entities = [Author, Genre, Book, Note, Series]
const TABLES = ['author', 'genre', 'book', 'note', 'series']

export const asReferences = [...TABLES, 'book_genres'].map((table) => `select create_reference_table('${table}')`)
export const byOwnKeys = [
  ...TABLES.map((table) => `select create_distributed_table('${table}', 'id')`),
  "select create_distributed_table('book_genres', 'book_id')",
]

export const rows = [
  "insert into author (id, name, born, level) select md5('a' || n)::uuid, 'Author ' || n % 9, " +
  "date '1950-01-01' + n, (array['new', 'known'])[1 + n % 2]::level from generate_series(1, 12) n",
  "insert into genre (id, name) select md5('g' || n)::uuid, 'Genre ' || n from generate_series(1, 5) n",
  "insert into book (id, title, pages, author_id, deleted_at) select md5('b' || n)::uuid, 'Book ' || n % 17, n * 7, " +
  "case when n % 5 > 0 then md5('a' || 1 + n % 12)::uuid end, " +
  "case when n % 11 = 0 then timestamptz '2026-01-01Z' end from generate_series(1, 60) n",
  "insert into book_genres (book_id, genre_id) select md5('b' || n)::uuid, md5('g' || g)::uuid " +
  'from generate_series(1, 60) n, generate_series(1, 5) g where (n + g) % 3 = 0',
  "insert into note (id, text, book_id) select md5('n' || n)::uuid, 'Note ' || n, md5('b' || 1 + n % 60)::uuid " +
  'from generate_series(1, 40) n',
]

/** @param joined whether the whitelist has entries that tables distributed by their own keys cannot serve */
export const authorsOf = (joined: boolean) =>
  new CrudBase({
    model: Author,
    writable: 'all',
    queryConfig: new QueryBuilderConfig<any>({
      allowedFilters: [
        AllowedFilters.exact('name'),
        AllowedFilters.exact('books.title'),
        AllowedFilters.search('q', ['name', 'books.title']),
        new AllowedFilters('booksCount', 'gte', ['eq', 'gte']),
        new AllowedFilters('booksPagesSum', 'lt', ['lt', 'isnull']),
      ],
      allowedSorts: [new AllowedSort('name'), new AllowedSort('born'), new AllowedSort('booksCount', 'booksPagesSum')],
      allowedFacets: [new AllowedFacet('level')],
      allowedGroups: [new AllowedGroup('level'), AllowedGroup.date('born', ['month'])],
      allowedAggregates: [AllowedAggregate.count(), new AllowedAggregate('name', ['min', 'countDistinct'])],
      allowedIncludes: [
        new AllowedInclude('books'), ...joined ? [new AllowedInclude('books.genres')] : [],
        AllowedInclude.count('books'), AllowedInclude.sum('books.pages'),
      ],
    }),
  })

export const booksOf = (joined: boolean) =>
  new CrudBase({
    model: Book,
    writable: { create: 'all', update: joined ? 'all' : ['title', 'pages', 'author'] },
    queryConfig: new QueryBuilderConfig<any>({
      allowedFilters: [
        new AllowedFilters('title', 'eq', ['eq', 'contains']), AllowedFilters.exact('author.name'),
        AllowedFilters.exact('genres.name'), AllowedFilters.trashed(),
      ],
      allowedSorts: [new AllowedSort('title'), ...joined ? [new AllowedSort('author.name')] : []],
      allowedIncludes: [
        new AllowedInclude('author'),
        ...joined ? [new AllowedInclude('genres'), AllowedInclude.count('genres')] : [],
      ],
      allowedFacets: [new AllowedFacet('author'), ...joined ? [new AllowedFacet('author.level')] : []],
      allowedGroups: [new AllowedGroup('author'), ...joined ? [new AllowedGroup('author.level')] : []],
      allowedAggregates: [
        AllowedAggregate.count(),
        new AllowedAggregate('pages', ['sum', 'avg', 'max']),
        ...joined ? [new AllowedAggregate('author.born', ['min'])] : [],
      ],
    }),
  })

export const genres = new CrudBase({
  model: Genre,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [AllowedFilters.exact('books.title')],
    allowedSorts: [new AllowedSort('name')],
    allowedIncludes: [new AllowedInclude('books'), AllowedInclude.min('books.pages')],
  }),
})

export const series = new CrudBase({
  model: Series, writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({ allowedFilters: [AllowedFilters.exact('name')] }),
})

export const notes = new CrudBase({
  model: Note,
  writable: 'all',
  queryConfig: new QueryBuilderConfig<any>({
    allowedFilters: [AllowedFilters.exact('text'), AllowedFilters.exact('book.title')],
    allowedSorts: [new AllowedSort('text')],
    allowedIncludes: [new AllowedInclude('book.author')],
  }),
})
