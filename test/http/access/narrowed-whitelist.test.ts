/** The whitelist of a role that does not see all properties: its default sort, and its filters and sorts by numbers. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, AllowedInclude, AllowedSort, CrudBase, type RoleRules } from '../../../src/index.ts'
import { forOneDatabase } from '../../helpers/databases.ts'
import { entity } from '../../helpers/entity.ts'
import { select } from '../helper.ts'
import { roleOf, sender, serveWith } from './fixtures.ts'

const id = { id: p.integer().primary() }
const Essay = entity('Essay', {
  ...id, title: p.string(), body: p.string(), notes: () => p.oneToMany(Note).mappedBy('essay'),
  parts: () => p.oneToMany(Part).mappedBy('essay'),
})
const Part = entity('Part', { ...id, essay: () => p.manyToOne(Essay), notes: () => p.oneToMany(Note).mappedBy('part') })
const Note = entity('Note', {
  ...id, essay: () => p.manyToOne(Essay).nullable(), part: () => p.manyToOne(Part).nullable(),
})

await forOneDatabase(t, { entities: [Essay, Part, Note] }, async (t, { orm }) => {
  await select(
    orm,
    `insert into essay (id, title, body) values (1, 'moon', 'dust'), (2, 'moon', 'moon moon moon'),
     (3, 'moon moon', 'dust')`
  )
  const ids = async (queryConfig: object, rules: RoleRules, query: string): Promise<unknown> => {
    const crud = new CrudBase<any>({ model: Essay, queryConfig })
    const resources = { '/essays': { crud, operations: ['list'] as const } }
    const app = await serveWith(t, orm, { resources, access: { role: roleOf, roles: { member: rules } }, shared: [] })
    const { status, body } = await sender(app)('GET', `/essays?${query}`)
    return status === 200 ? body.items.map(({ id }: { id: number }) => id) : body
  }

  t.test('the default sort by relevance is that of the words which the role sees', async (t) => {
    const words = { allowedFilters: [AllowedFilters.fullText('q', ['title', 'body'])], defaultSort: ['-q', 'id'] }
    t.strictSame(await ids(words, true, 'filter[q]=moon'), [2, 3, 1])
    t.strictSame(await ids(words, { Essay: true }, 'filter[q]=moon'), [2, 3, 1])
    t.strictSame(await ids(words, { Essay: { hidden: ['body'] } }, 'filter[q]=moon'), [3, 1, 2])
    t.strictSame(await ids(words, { Essay: { hidden: ['title', 'body'] } }, ''), [1, 2, 3], 'there is no filter')
    const alias = {
      allowedFilters: [AllowedFilters.fullText('q', ['title', 'body'], { alias: 'words' })],
      defaultSort: ['-words', 'id'],
    }
    t.strictSame(await ids(alias, { Essay: { hidden: ['body'] } }, 'filter[words]=moon'), [3, 1, 2])
  })

  t.test('a number about included records is not one of the record itself', async (t) => {
    const counted = {
      allowedIncludes: [AllowedInclude.count('parts.notes'), AllowedInclude.count('notes')],
      allowedFilters: [new AllowedFilters('notesCount', 'gte')],
      allowedSorts: [new AllowedSort('notesCount'), new AllowedSort('id')],
      defaultSort: ['-notesCount'],
    }
    t.strictSame(await ids(counted, true, 'filter[notesCount]=0'), [1, 2, 3])
    const hidden: RoleRules = { '*': true, Essay: { hidden: ['notes'] } }
    t.strictSame(await ids(counted, hidden, ''), [1, 2, 3])
    t.match(await ids(counted, hidden, 'filter[notesCount]=0'), { statusCode: 400 })
    t.match(await ids(counted, hidden, 'sort=notesCount'), { statusCode: 400 })
  })

  t.test('a default that fits only alternatives which a role does not see is a mistake of its rules', async (t) => {
    const any = AllowedFilters.anyOf('any', [AllowedFilters.exact('id'), AllowedFilters.exact('title')])
    const defaults = { allowedFilters: [any.default('moon')] }
    t.strictSame(await ids(defaults, { Essay: true }, ''), [1, 2])
    await t.rejects(ids(defaults, { Essay: { hidden: ['title'] } }, ''), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: "access: the role 'member': AllowedFilters 'any': the default is refused. The value of filter[any] " +
        'must be an integer from -2147483648 to 2147483647.',
    })
  })
})
