/** Which joins a distributed server refuses at start-up. A cluster runs the others, in `test/citus`. */
import t from 'tap'
import { AllowedAggregate, AllowedFilters, AllowedInclude } from '../../src/index.ts'
import { checkCoLocation } from '../../src/resource/index.ts'
import type { Distribution, TableDistribution } from '../../src/run/index.ts'
import { entities as tenants, Project, Task } from '../citus/colocated.ts'
import { Author, Book, entities, Genre, Note } from '../citus/single-keys.ts'
import { ormOf } from '../helpers/models.ts'
import { resource, type Names } from '../helpers/resource.ts'

const { em } = ormOf([...entities, ...tenants])

const by = (column: string, group = 1): TableDistribution => ({ kind: 'distributed', column, group })
const distributed = (tables: Record<string, TableDistribution>): Distribution => ({
  extension: 'citus',
  version: '13.0',
  tables: Object.fromEntries(Object.entries(tables).map(([table, how]) => [`"${table}"`, how])),
})
const same = (column: string, ...tables: readonly string[]) =>
  Object.fromEntries(tables.map((table) => [table, by(column)]))

const COPIED = { kind: 'reference' } as const
const OWN_KEYS = { ...same('id', 'author', 'genre', 'book', 'note'), book_genres: by('book_id') }
const TENANTS = same('tenant_id', 'project', 'task', 'task_labels', 'label', 'comment')

/** The message for a resource that lets clients use these names. */
function refusal (model: unknown, names: Names, tables: Record<string, TableDistribution>, update?: object): string {
  const { whitelist, writable } = resource(model, names, { writable: update ?? [] }).bind(em)
  try {
    checkCoLocation('The resource /x', distributed(tables), whitelist, update && writable.update)
    return 'allowed'
  } catch (error) {
    return (error as Error).message
  }
}

const PIVOT = 'joins "book_genres" to "genre" by "genre_id"'
const AUTHOR = 'joins "book" to "author" by "author_id"'
const ofAuthor = AllowedFilters.fullText('words', ['title', 'author.name'])

const REFUSED: readonly (readonly [what: string, model: unknown, names: Names, by: string, updates?: object])[] = [
  ['include=genres', Book, { allowedIncludes: ['genres'] }, PIVOT],
  ['include=genresCount', Book, { allowedIncludes: [AllowedInclude.count('genres')] }, PIVOT],
  ['include=books.genres', Author, { allowedIncludes: ['books.genres'] }, PIVOT],
  ["to change 'genres'", Book, {}, PIVOT, ['genres']],
  ['sort=author.name', Book, { allowedSorts: ['author.name'] }, AUTHOR],
  ['the default sort', Book, { defaultSort: ['author.name'] }, AUTHOR],
  ['facets=author.name', Book, { allowedFacets: ['author.name'] }, AUTHOR],
  ['group=author.name', Book, { allowedGroups: ['author.name'] }, AUTHOR],
  ['aggregate=author.born.min', Book, { allowedAggregates: [new AllowedAggregate('author.born', ['min'])] }, AUTHOR],
  ['filter[words]', Book, { allowedFilters: [ofAuthor] }, AUTHOR],
]

t.test('tables that are distributed by their own keys are not joined', async (t) => {
  for (const [what, model, names, joins, updates] of REFUSED) {
    const message = refusal(model, names, OWN_KEYS, updates)
    t.ok(message.startsWith(`The resource /x: ${what} ${joins}. `), message)
    const copied = { ...OWN_KEYS, genre: COPIED, author: COPIED }
    t.equal(refusal(model, names, copied, updates), 'allowed', `${what}: the others are copied`)
    t.equal(refusal(model, names, { book: by('id') }, updates), 'allowed', `${what}: the others are on one node`)
  }
})

t.test('the message says how to mend it', async (t) => {
  t.equal(
    refusal(Book, { allowedSorts: ['author.name'] }, OWN_KEYS),
    `The resource /x: sort=author.name ${AUTHOR}. "book" is distributed by "id", and "author" by "id", so the server ` +
      'cannot join them. Make "author" a reference table, distribute both by a column that all keys contain, or ' +
      'remove the entry.'
  )
  t.match(refusal(Book, { allowedSorts: ['author.name'] }, { ...OWN_KEYS, author: by('id', 2) }),
    '"book" is distributed by "id", and "author" by "id", and they are not co-located, so the server cannot join them.')
})

t.test('what needs no such join is allowed', async (t) => {
  const allowed: readonly (readonly [unknown, Names, object?])[] = [
    [Book, { allowedFilters: ['author.name', 'genres.name'], allowedIncludes: ['author'] }],
    [Book, {}, ['title', 'author']],
    [Author, { allowedIncludes: [AllowedInclude.sum('books.pages')], allowedSorts: ['name'] }],
    // the pivot table is distributed by the key of books
    [Genre, { allowedIncludes: ['books'] }],
    [Note, { allowedIncludes: ['book.author'] }],
  ]
  for (const [model, names, updates] of allowed) {
    t.equal(refusal(model, names, OWN_KEYS, updates), 'allowed', JSON.stringify(names))
  }
})

t.test('tables that share the column of a tenant are joined, if they are co-located', async (t) => {
  const cases: readonly (readonly [unknown, Names, joins: string, apart: string, updates?: object])[] = [
    [Task, { allowedSorts: ['project.name'] }, 'sort=project.name joins "task" to "project"', 'project'],
    [Task, { allowedIncludes: ['labels'] }, 'include=labels joins "task_labels" to "label"', 'label'],
    [Project, { allowedIncludes: ['tasks.labels'] }, 'include=tasks.labels joins "task_labels" to "label"', 'label'],
    [Task, {}, 'to change \'labels\' joins "task_labels" to "label"', 'label', ['labels']],
  ]
  for (const [model, names, joins, apart, updates] of cases) {
    t.equal(refusal(model, names, TENANTS, updates), 'allowed', joins)
    t.match(refusal(model, names, { ...TENANTS, [apart]: by('tenant_id', 2) }, updates), joins)
    // a condition on the tenant limits the join to one node
    t.equal(refusal(model, names, { ...TENANTS, [apart]: by('id') }, updates), 'allowed', `${apart} by its id`)
  }
})
