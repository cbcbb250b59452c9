/** A role's view of a model, and the whitelist and writable properties that are left for it. */
import { MikroORM, p } from '@mikro-orm/postgresql'
import t from 'tap'
import { Role, whitelistFor, writableFor, type RoleRules } from '../../src/access/index.ts'
import {
  AllowedField, AllowedFilters, AllowedInclude, AllowedSort, QueryBuilderConfig,
} from '../../src/config/index.ts'
import { Models, type EntityModel } from '../../src/model/index.ts'
import { planDelete } from '../../src/plan/index.ts'
import { CITUS, compileAnyWrite, POSTGRESQL } from '../../src/sql/index.ts'
import { nothingForeign } from '../sql/helper.ts'
import { entity } from '../helpers/entity.ts'

const Author = entity('Author', { id: p.integer().primary(), name: p.string(), email: p.string() })
const Book = entity('Book', {
  id: p.integer().primary(), uuid: p.uuid().unique(), title: p.string(), price: p.integer(),
  version: p.integer().version(), deleted_at: p.datetime().nullable(), author: () => p.manyToOne(Author),
  pages: () => p.oneToMany(Page).mappedBy('book').orderBy({ mark: 'asc', number: 'desc' }),
})
const Page = entity('Page', {
  id: p.integer().primary(), number: p.integer(), mark: p.integer(), book: () => p.manyToOne(Book),
})
const Session = entity('Session', { id: p.integer().primary(), seen: p.datetime(3).version() })
const declared = [Author, Book, Page, Session]
const orm = await MikroORM.init({ entities: declared, dbName: 'none', connect: false } as object as never)
t.teardown(() => orm.close())
const models = new Models(orm.em.getMetadata(), orm.em.getPlatform())
const book = models.of(Book)
const entities = new Map(declared.map((entity) => [models.of(entity).name, models.of(entity)]))
const viewOf = (model: EntityModel, rules: RoleRules) => new Role('one', rules, entities).view(model)
const viewFor = (rules: RoleRules) => viewOf(book, rules)
const shown = (rules: RoleRules): string[] =>
  [...viewFor(rules).properties.values()].filter(({ hidden }) => !hidden).map(({ name }) => name)

t.test('a view hides properties, and never shows what the entity hides', async (t) => {
  const all = [...book.properties.keys()]
  t.strictSame(shown(true), all)
  t.strictSame(shown({ '*': true }), all)
  t.strictSame(shown({ Book: { hidden: ['price'] }, '*': true }), all.filter((name) => name !== 'price'))
  t.strictSame(shown({ Book: { only: ['id', 'title'] }, '*': true }), ['id', 'title'])
  t.strictSame(shown({ Book: {}, Author: true }), all.filter((name) => name !== 'pages'))
  t.strictSame(shown({ Book: {}, Page: true, '*': false }), all.filter((name) => name !== 'author'))
})

t.test('keys, marks and versions of a view are its own properties', async (t) => {
  const view = viewFor({ Book: { hidden: ['uuid', 'version', 'deleted_at'] }, '*': true })
  t.equal(view.primaryKey[0]!.property, view.properties.get('id'))
  t.equal(view.uuid, undefined, 'records cannot be found by a hidden uuid')
  t.equal(view.version, view.properties.get('version'))
  t.equal(view.deletedAt, view.properties.get('deleted_at'))
  t.equal(view.version!.hidden, true)
  const pages = view.properties.get('pages')!
  const target = pages.kind === 'relation' ? pages.target : undefined
  const back = target!.properties.get('book')!
  t.equal(back.kind === 'relation' && back.target, view, 'relations lead to views')
})

t.test('no statement compares a hidden version, whatever its type and the server', (t) => {
  const session = models.of(Session)
  const view = viewOf(session, { Session: { hidden: ['seen'] } })
  for (const [model, compares] of [[session, true], [view, false]] as const) {
    const selection = { model, properties: [], includes: [], aggregates: [] }
    const plan = planDelete(1, selection, ['2026-01-01T00:00:00.000Z'])!
    for (const dialect of [POSTGRESQL, CITUS]) {
      const { text } = compileAnyWrite(plan, nothingForeign, { dialect, keysRepeat: false })
      t.equal(/ where .*"seen".* = any/.test(text), compares,
        `${dialect === CITUS ? 'a cluster' : 'one server'}: ${text}`)
    }
  }
  t.end()
})

t.test('hidden and read-only properties cannot be written, and the reason of the entity comes first', async (t) => {
  const view = viewFor({ Book: { hidden: ['price'], readonly: ['title', 'version'] }, '*': true })
  const closed = (name: string) => view.properties.get(name)!.write.closed
  t.match(closed('price'), /hidden from the role/)
  t.match(closed('title'), /read-only for the role/)
  t.match(closed('version'), /it is the version/)
  t.equal(closed('author'), undefined)
  const unlimited = { ruleOf: () => undefined }
  t.strictSame(writableFor({ create: ['title', 'price', 'author'], update: 'all' }, view, unlimited), {
    create: ['author'],
    update: 'all',
  })
  t.equal(writableFor(undefined, view, unlimited), undefined)
})

t.test('the order of a collection leaves out hidden columns', async (t) => {
  const orderOf = (rules: RoleRules) => {
    const pages = viewFor(rules).properties.get('pages')!
    return pages.kind === 'relation' ? pages.order.map(({ column }) => column) : []
  }
  t.strictSame(orderOf({ '*': true }), ['mark', 'number'])
  t.strictSame(orderOf({ Page: { hidden: ['mark'] }, '*': true }), ['number'])
})

t.test('a whitelist keeps the entries that exist for the role', async (t) => {
  const config = new QueryBuilderConfig<any>({
    allowedFilters: [
      AllowedFilters.exact('title'),
      AllowedFilters.partial('author.email', { alias: 'mail' }),
      AllowedFilters.exact('price').default('5'),
      AllowedFilters.search('q', ['title', 'author.email', 'author.name']),
      AllowedFilters.search('mails', ['author.email']),
      AllowedFilters.anyOf('any', [AllowedFilters.exact('price'), AllowedFilters.exact('title')]),
      AllowedFilters.custom('price_of', (qb) => qb),
      AllowedFilters.trashed(),
    ],
    allowedSorts: [
      new AllowedSort('title', 'price'),
      new AllowedSort('price', 'author.email', { alias: 'value' }),
      new AllowedSort('author.name', 'author.email', { alias: 'by' }),
    ],
    allowedFields: [new AllowedField('id'), new AllowedField('price'), new AllowedField('author.email')],
    allowedIncludes: [
      new AllowedInclude('author'), new AllowedInclude('pages', { sort: ['-mark', 'number'] }),
      AllowedInclude.count('pages'), AllowedInclude.max('pages.mark'),
    ],
    defaultSort: ['-value', '-price', 'title'],
  })
  const leftFor = (rules: RoleRules) => {
    const left = whitelistFor(config, viewFor(rules))
    return {
      filters: left.allowedFilters.map(({ alias, field }) => alias ?? field),
      sorts: left.allowedSorts.map((sort) => sort.alias ?? (sort.kind === 'fields' ? sort.fields.join() : sort.field)),
      fields: left.allowedFields.map(({ field }) => field),
      includes: left.allowedIncludes.map((include) =>
        `${include.path} ${include.kind === 'relation' ? include.sort : include.function}`
      ),
      order: left.defaultSort,
    }
  }
  t.strictSame(
    leftFor({ Book: { hidden: ['price', 'deleted_at'] }, Author: { hidden: ['email'] }, Page: { hidden: ['mark'] } }),
    {
      filters: ['title', 'q', 'any', 'price_of'], sorts: ['title', 'by'], fields: ['id'],
      includes: ['author undefined', 'pages number', 'pages count'], order: ['title'],
    }
  )
  t.strictSame(leftFor({ Book: true, Page: true }), {
    filters: ['title', 'price', 'q', 'any', 'price_of', 'trashed'],
    sorts: ['title,price', 'value'],
    fields: ['id', 'price'],
    includes: ['pages -mark,number', 'pages count', 'pages.mark max'],
    order: ['-value', '-price', 'title'],
  })
  t.strictSame(leftFor({ '*': true }).filters.length, config.allowedFilters.length)
  const search = whitelistFor(config, viewFor({ '*': true, Author: { hidden: ['email'] } })).allowedFilters[2]
  t.strictSame(search?.kind === 'search' && search.fields, ['title', 'author.name'])
})
