/** Owned children in bodies, as far as a role may see and write them. */
import { defineEntity, p } from '@mikro-orm/core'
import swagger from '@fastify/swagger'
import t from 'tap'
import { AllowedFilters, CrudBase, crudKit, type AccessOptions } from '../../../src/index.ts'
import { forEachDatabase } from '../../helpers/databases.ts'
import { ormOf } from '../../helpers/models.ts'
import { newServer } from '../../helpers/server.ts'
import { select, verdict, writes, type Json } from '../helper.ts'

const Post = defineEntity({
  name: 'Post',
  properties: { id: p.integer().primary(), title: p.string(), comments: () => p.oneToMany(Comment).mappedBy('post') },
})

const Comment = defineEntity({
  name: 'Comment',
  properties: {
    id: p.integer().primary(), tenant: p.integer().default(0), body: p.string(), rating: p.integer().nullable(),
    status: p.string().default('open'), post: () => p.manyToOne(Post),
  },
})

const crud = (lists: unknown = ['body', 'rating', 'status']): CrudBase =>
  new CrudBase({ model: Post as any, writable: ['title', { comments: lists }] as any })

const everything = { Post: true, Comment: { rows: { tenant: 1 } } } as const

const access = {
  role: (request) => request.headers['x-role'] as string,
  roles: {
    admin: true,
    member: everything,
    open: { Post: true, Comment: { rows: { tenant: 1, status: { $ne: 'closed' } } } },
    writer: { ...everything, Comment: { rows: { tenant: 1 }, hidden: ['rating'], readonly: ['status'] } },
    adder: { ...everything, Comment: { rows: { tenant: 1 }, operations: ['list', 'get', 'create'] } },
    editor: { ...everything, Comment: { rows: { tenant: 1 }, operations: ['list', 'get', 'update'] } },
    blind: { Post: true },
    frozen: { Post: { readonly: ['comments'] }, Comment: { rows: { tenant: 1 } } },
    bound: { Post: true, Comment: { rows: { tenant: 1 }, readonly: ['post'] } },
  },
} satisfies AccessOptions

await forEachDatabase(t, { entities: [Post, Comment] }, async (t, { orm }) => {
  const app = newServer(t)
  await app.register(crudKit, {
    orm, access: { ...access, roles: { ...access.roles } }, indexAdvice: false,
    resources: { '/posts': { crud: crud(['body', 'rating', 'status']) } },
  })
  await app.ready()
  const { post, patch, check } = writes(app)
  const as = (role: string) => ({ 'x-role': role })
  const reset = async (): Promise<void> => {
    await select(orm, 'delete from comment')
    await select(orm, 'delete from post')
    await select(orm, "insert into post (id, title) values (1, 'first'), (2, 'second')")
    await select(orm,
      "insert into comment (id, tenant, body, post_id, rating) values (1, 1, 'mine', 1, 3), (2, 2, 'theirs', 1, 4)")
    await select(orm, "select setval('post_id_seq', 10), setval('comment_id_seq', 10)")
  }

  t.test('the document of changes of many records has the properties of the role, and no children', async (t) => {
    const bodyFor = async (rules: AccessOptions['roles'], documentFor?: string): Promise<Json> => {
      const documented = newServer(t)
      await documented.register(swagger, { openapi: { openapi: '3.1.0', info: { title: 'test', version: '1' } } })
      await documented.register(crudKit, {
        orm, access: { role: access.role, roles: rules, ...documentFor !== undefined && { documentFor } },
        indexAdvice: false,
        resources: {
          '/posts': {
            crud: new CrudBase({
              model: Post as any,
              writable: ['title', { comments: ['body'] }] as any,
              queryConfig: { allowedFilters: [AllowedFilters.exact('id')] } as any,
            }),
            operations: ['list', 'update', 'updateMany'],
          },
        },
      })
      await documented.ready()
      const { paths } = documented.swagger() as Json
      return paths['/posts'].patch.requestBody.content['application/json'].schema.properties
    }
    const rules = { blind: { Post: { hidden: ['title'] } }, member: everything } satisfies AccessOptions['roles']
    t.strictSame(Object.keys(await bodyFor(rules, 'blind')), [])
    t.strictSame(Object.keys(await bodyFor(rules, 'member')), ['title'])
    t.match(await bodyFor(rules), { title: { 'x-roles': ['member'] } })
  })

  for (const [role, body, expected] of [
    ['member', { comments: { add: [{ body: 'new' }] } }, '200'],
    ['member', { comments: { update: [{ id: 1, body: 'new' }] } }, '200'],
    ['member', { comments: { remove: [1] } }, '200'],
    ['member', { comments: { update: [{ id: 2, body: 'new' }] } }, '409 FST_CRUD_CONFLICT /comments/update/0/id'],
    ['member', { comments: { update: [{ id: 99, body: 'new' }] } }, '409 FST_CRUD_CONFLICT /comments/update/0/id'],
    ['member', { comments: { remove: [2] } }, '409 FST_CRUD_CONFLICT /comments/remove/0'],
    ['open', { comments: { add: [{ body: 'a', status: 'closed' }] } }, '403 FST_CRUD_OUT_OF_SCOPE /comments/add/0'],
    [
      'open', { comments: { add: [{ body: 'a' }, { body: 'b', status: 'closed' }] } },
      '403 FST_CRUD_OUT_OF_SCOPE /comments/add/1',
    ],
    ['open', { comments: { update: [{ id: 1, status: 'closed' }] } }, '403 FST_CRUD_OUT_OF_SCOPE /comments/update/0'],
    ['open', { comments: { update: [{ id: 1, status: 'other' }] } }, '200'],
    ['writer', { comments: { add: [{ body: 'a', rating: 5 }] } }, '400 FST_ERR_VALIDATION /comments/add/0/rating'],
    ['writer', { comments: { update: [{ id: 1, status: 'x' }] } }, '400 FST_ERR_VALIDATION /comments/update/0/status'],
    ['writer', { comments: { add: [{ body: 'a' }] } }, '200'],
    ['adder', { comments: { add: [{ body: 'a' }] } }, '200'],
    ['adder', { comments: { update: [{ id: 1, body: 'b' }] } }, '403 FST_CRUD_FORBIDDEN /comments/update/0'],
    ['adder', { comments: { add: [{ body: 'a' }], remove: [1] } }, '403 FST_CRUD_FORBIDDEN /comments/remove/0'],
    ['editor', { comments: { update: [{ id: 1, body: 'b' }] } }, '200'],
    ['editor', { comments: { add: [{ body: 'b' }] } }, '403 FST_CRUD_FORBIDDEN /comments/add/0'],
    ['blind', { comments: { add: [{ body: 'b' }] } }, '400 FST_ERR_VALIDATION /comments'],
    ['frozen', { comments: { add: [{ body: 'b' }] } }, '400 FST_ERR_VALIDATION /comments'],
    ['bound', { comments: { add: [{ body: 'b' }] } }, '400 FST_ERR_VALIDATION /comments'],
    ['admin', { comments: { update: [{ id: 2, body: 'new' }] } }, '200'],
  ] as const) {
    t.test(`${role}: ${JSON.stringify(body)}`, async (t) => {
      await reset()
      const before = await select(orm, 'select * from comment order by id')
      const response = await patch('/posts/1', { title: 'changed', ...body }, as(role))
      t.equal(verdict(response), expected, response.body)
      if (response.statusCode !== 200) {
        t.strictSame(await select(orm, 'select * from comment order by id'), before)
        t.match(await select(orm, 'select title from post where id = 1'), [{ title: 'first' }])
      } else {
        const added = response.json().comments.filter(({ id }: Json) => id > 10)
        for (const { id } of added) {
          t.match(await select(orm, `select tenant from comment where id = ${id}`), [{ tenant: 1 }])
        }
      }
    })
  }

  t.test('the answer shows children as the role sees them', async (t) => {
    await reset()
    const { comments } = (await post('/posts', { title: 'a', comments: [{ body: 'b' }] }, as('writer'))).json()
    t.strictSame(Object.keys(comments[0]), ['id', 'tenant', 'body', 'status', 'post'])
  })

  t.test('new children need their required properties, also where the rows of the role fill in others', async (t) => {
    await reset()
    await check(t, [
      ['POST /posts', { title: 'a', comments: [{}] }, '400 FST_ERR_VALIDATION /comments/0/body', as('member')],
      [
        'POST /posts', { title: 'a', comments: [{}, { body: 'x' }] }, '400 FST_ERR_VALIDATION /comments/0/body',
        as('adder'),
      ],
    ])
  })

  t.test('a server does not start if nothing fills a required property of children', async (t) => {
    const start = async (lists: unknown, options: object = {}): Promise<void> => {
      await newServer(t).register(crudKit,
        { orm, resources: { '/posts': crud(lists) }, indexAdvice: false, ...options } as never)
    }
    await t.rejects(start(['rating']), {
      code: 'FST_CRUD_CONFIG_INVALID',
      message: "The resource /posts: new records of 'comments' of Post lack Comment.body, which is required and " +
        'which bodies may not set: add it to the list of \'comments\' in "writable", give it a default, fill it in ' +
        'beforeCreate, or take \'comments\' out of "writable".',
    })
    await t.rejects(
      start(['body'], { access: { role: () => 'a', roles: { a: { Post: true, Comment: { hidden: ['body'] } } } } }),
      /the role 'a': new records of 'comments' of Post lack Comment\.body/
    )
    await t.resolves(start({ update: ['rating'] }), 'no children can be added')
  })
})

t.test('lists of children that cannot work are refused at start-up', async (t) => {
  const Tag = defineEntity({
    name: 'Tag',
    properties: { id: p.integer().primary(), articles: () => p.manyToMany(Article).mappedBy('tags') },
  })
  const Article = defineEntity({
    name: 'Article',
    properties: {
      id: p.integer().primary(), title: p.string(), author: () => p.manyToOne(Article).nullable(),
      answers: () => p.oneToMany(Article).mappedBy('author'), tags: () => p.manyToMany(Tag).owner(),
      pages: () => p.oneToMany(Page).mappedBy('article'),
      longPages: () => p.oneToMany(Page).mappedBy('article').where({ text: { $like: '%.%' } }),
      hiddenPages: () => p.oneToMany(Page).mappedBy('article').hidden(),
      covers: () => p.oneToMany(Cover).mappedBy('article'), notes: () => p.oneToMany(Note).mappedBy('article'),
      marks: () => p.oneToMany(Mark).mappedBy('article'),
    },
  })
  const id = p.integer().primary()
  const child = { text: p.string(), article: () => p.manyToOne(Article) }
  const Page = defineEntity({ name: 'Page', properties: { id, ...child } })
  const Mark = defineEntity({ name: 'Mark', properties: { id: p.integer().primary().hidden(), ...child } })
  const Cover = defineEntity({
    name: 'Cover', view: true, expression: "select 1 as id, '' as text, 1 as article_id", properties: { id, ...child },
  })
  const Note = defineEntity({ name: 'Note', abstract: true, discriminatorColumn: 'kind', properties: { id, ...child } })
  const Remark = defineEntity({ name: 'Remark', extends: Note, discriminatorValue: 'remark', properties: {} })
  const { em } = ormOf([Tag, Article, Page, Mark, Cover, Note, Remark])
  for (const [writable, message] of [
    [['title', { page: ['text'] }],
      "\"writable\" of Article has a list for 'page', which is not a property of it. Did you mean 'pages'?"],
    [['pages'], /clients never write: .*\{ pages: \[\.\.\.\] \}/],
    [[{ pages: ['txt'] }],
      "\"writable\" of Article: 'pages' names 'txt', which is not a property of Page. Did you mean 'text'?"],
    [[{ pages: ['text', 'article'] }],
      /'pages' names 'article' of Page, which is the record that the body is about\. Leave it out\./],
    [[{ pages: ['id'] }], /'pages' names 'id', which clients never write: it is a key that is generated/],
    [[{ tags: ['id'] }], /a many-to-many relation, which bodies set by ids: name it as 'tags' alone/],
    [[{ author: ['title'] }], /a to-one relation, which bodies set by key/],
    [[{ answers: ['title'] }], /Article can do without one, because the relation to Article is nullable/],
    [[{ title: ['x'] }], /has a list for 'title', which is not a relation/],
    [[{ longPages: ['text'] }], /it has a 'where', so that a child could be added that the relation does not show/],
    [[{ hiddenPages: ['text'] }], /has a list for 'hiddenPages', which is hidden\./],
    [[{ covers: ['text'] }], /Cover is read-only, because it is a view\./],
    [[{ notes: ['text'] }], /Note is abstract\./],
    [[{ marks: ['text'] }], /'marks': an update names children by their key, and the key of Mark is hidden\./],
  ] as const) {
    const crud = new CrudBase({ model: Article as any, writable: writable as any })
    t.throws(() => crud.bind(em), { code: 'FST_CRUD_CONFIG_INVALID', message: message as never },
      JSON.stringify(writable))
  }
  for (const [writable, message] of [
    [['title', { pages: [{ words: ['x'] }] }], /names children of children, 'words'/],
    [['title', { pages: undefined }], /"writable: pages" must say what bodies may set of the children/],
    [{ pages: ['text'] }, /Owned children belong in a list: \[\{ pages: \[\.\.\.\] \}\]/],
    [[{ pages: ['text'] }, { pages: ['text'] }], /names 'pages' twice/],
  ] as const) {
    t.throws(() => new CrudBase({ model: Article as any, writable: writable as any }), { message: message as never })
  }
})
