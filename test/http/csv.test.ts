/** Lists as CSV: which columns they have, in which order, and what is in their cells. */
import { p } from '@mikro-orm/core'
import { parse } from 'csv-parse/sync'
import t from 'tap'
import {
  AllowedAggregate, AllowedField, AllowedGroup, AllowedInclude, CrudBase, crudKit, type CrudRecord,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Team = entity('Team', { id: p.integer().primary(), name: p.string(), budget: p.decimal().precision(20).scale(2) })
const Agent = entity('Agent', {
  id: p.integer().primary(), displayName: p.string(), team: () => p.manyToOne(Team).nullable(), skills: p.array(),
})
const Ticket = entity('Ticket', {
  id: p.integer().primary(), title: p.string(), open: p.boolean().default(true),
  agent: () => p.manyToOne(Agent).nullable(), due: p.date().serializedName('dueOn').nullable(),
  data: p.json<unknown>().nullable(), comments: () => p.oneToMany(Comment).mappedBy('ticket'),
  receipt: () => p.oneToOne(Receipt).mappedBy('ticket').nullable(),
})
const Receipt = entity('Receipt', {
  id: p.integer().primary(), ticket: () => p.oneToOne(Ticket).owner(), stars: p.integer(),
})
const Comment = entity('Comment', {
  id: p.integer().primary(), body: p.string(), ticket: () => p.manyToOne(Ticket), author: () => p.manyToOne(Agent),
})

const ROWS = [
  "insert into team values (1, 'Night, shift', 12345678901234567.89)",
  "insert into agent (id, display_name, team_id, skills) values (1, 'Ann', 1, '{a,b}'), (2, '=Bob', null, '{}')",
  "insert into ticket (id, title, open, agent_id, due, data) values (1, 'Leak', true, 1, '2026-01-02', '[1]'), " +
  "(2, 'Said \"no\"', false, 2, null, '12345678901234567890'), (3, '', true, null, null, null)",
  'insert into receipt (id, ticket_id, stars) values (7, 2, -5)',
  "insert into comment (id, body, ticket_id, author_id) values (1, 'x', 1, 1), (2, 'y', 1, 2)",
]

const queryConfig = whitelist({
  allowedFields: [
    'id', 'title', 'open', 'agent', 'due', 'agent.id', 'agent.displayName',
    new AllowedField('data', { alias: 'extra' }),
  ],
  allowedIncludes: [
    new AllowedInclude('agent', { alias: 'assignee' }), new AllowedInclude('agent.team', { alias: 'group' }),
    'comments', 'comments.author', 'receipt', AllowedInclude.count('comments'),
  ],
  allowedSorts: ['id'],
  allowedFilters: [{ id: ['in', 'lt'] }],
  allowedGroups: ['title', 'agent.displayName', 'due', 'open', AllowedGroup.date('due', ['month'], { alias: 'when' })],
  allowedAggregates: [
    AllowedAggregate.count(),
    new AllowedAggregate('id', ['sum', 'avg']),
    new AllowedAggregate('agent.team.budget', ['sum', 'min']),
  ],
})

await forEachDatabase(t, { entities: [Team, Agent, Ticket, Receipt, Comment] }, async (t, { orm }) => {
  for (const row of ROWS) await orm.em.getConnection().execute(row)
  const crud = new CrudBase<any>({ model: Ticket, queryConfig })
  const changing = new (class extends CrudBase<any> {
    override afterRead (record: CrudRecord) {
      const { title, agent, ...rest } = record as Record<string, any>
      return { first: 'x', ...rest, agent: agent && { mail: `${agent.displayName}@x`, ...agent }, heading: title }
    }
  })({ model: Ticket, queryConfig })
  const app = newServer(t)
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: {
      '/tickets': { crud, operations: ['list'], stream: true },
      '/numbers': { crud, operations: ['aggregate'], stream: true, name: 'numbers', links: true, conditional: true },
      '/pages': { crud, operations: ['aggregate'], name: 'pages' },
      '/changed': { crud: changing, operations: ['list'], stream: true, name: 'changed' },
    },
  })
  const csv = async (url: string) => {
    const response = await app.inject({ url, headers: { accept: 'text/csv' } })
    t.equal(response.statusCode, 200, `${url}: ${response.body}`)
    t.equal(response.headers['content-type'], 'text/csv; charset=utf-8; header=present')
    return response.body
  }
  const headerOf = async (url: string) => (await csv(url)).split('\r\n')[0]

  t.test('columns follow the order of fields', async (t) => {
    t.equal(await headerOf('/tickets?fields=title,id'), 'title,id')
    t.equal(await headerOf('/tickets?fields=extra,agent,id&fields[ticket]=open,id'), 'data,agent,id,open')
    t.equal(await headerOf('/tickets'), 'id,title,open,agent,dueOn,data', 'without fields, that of the declaration')
  })

  t.test('a to-one include has a column for each value of its record', async (t) => {
    t.equal(
      await csv('/tickets?fields=id,agent,title&include=assignee.group&fields[assignee]=displayName,id&sort=id'),
      [
        'id,agent.displayName,agent.id,agent.team.id,agent.team.name,agent.team.budget,title',
        '1,Ann,1,1,"Night, shift",12345678901234567.89,Leak',
        '2,\'=Bob,2,,,,"Said ""no"""',
        '3,,,,,,',
        '',
      ].join('\r\n')
    )
    t.equal(await headerOf('/tickets?fields=title&include=receipt,assignee'),
      'title,agent.id,agent.displayName,agent.team,agent.skills,receipt.id,receipt.ticket,receipt.stars',
      'after the fields, if they do not name it')
  })

  t.test('a to-many include is JSON in one cell, and so are lists and objects', async (t) => {
    const text = await csv('/tickets?include=comments.author,commentsCount&fields=id,extra&sort=id')
    const records = parse(text, { columns: true }) as Record<string, string>[]
    t.strictSame(Object.keys(records[0]!), ['id', 'data', 'comments', 'commentsCount'])
    t.match(JSON.parse(records[0]!['comments']!), [{ body: 'x', author: { displayName: 'Ann' } }, { body: 'y' }])
    t.strictSame(records.map(({ data }) => data), ['[1]', '12345678901234567890', ''])
    t.strictSame(records.map(({ commentsCount }) => commentsCount), ['2', '0', '0'])
  })

  t.test('records changed by a hook have the columns that it leaves, and then those that it adds', async (t) => {
    const url = '/changed?fields=open,agent,title,id&include=assignee&fields[assignee]=displayName&sort=id'
    t.equal(
      await csv(url),
      [
        'open,agent.displayName,agent.mail,id,first,heading',
        'true,Ann,Ann@x,1,x,Leak',
        'false,\'=Bob,\'=Bob@x,2,x,"Said ""no"""',
        'true,,,3,x,',
        '',
      ].join('\r\n')
    )
  })

  t.test('groups are lines, with all of them and without pages', async (t) => {
    t.equal(
      await csv(
        '/numbers/aggregate?group=agent.displayName,when.month,open&aggregate=count,id.avg,agent.team.budget.sum'
      ),
      [
        'agent_displayName,dueOn_month,open,count,id_avg,agent_team_budget_sum',
        "'=Bob,,false,1,2,",
        'Ann,2026-01-01,true,1,1,12345678901234567.89',
        ',,true,1,3,',
        '',
      ].join('\r\n'),
      'nulls are empty, texts are escaped, and no number is rounded'
    )
    const ask = async (url: string, accept: string) => await app.inject({ url, headers: { accept } })
    const lines = await ask('/numbers/aggregate?group=title&aggregate=count&sort=-title', 'application/x-ndjson')
    t.equal(lines.body, '{"title":"Said \\"no\\"","count":1}\n{"title":"Leak","count":1}\n{"title":"","count":1}\n')
    t.match(lines.headers, { vary: /accept/i, link: undefined, etag: undefined })
    t.equal(await csv('/numbers/aggregate?aggregate=count&filter[id][lt]=0'), 'count\r\n0\r\n')
    t.equal(await csv('/numbers/aggregate?group=title&filter[id]=0'), 'title\r\n', 'without groups there is a header')
    t.equal(await csv('/numbers/aggregate?group=open&aggregate=id.sum&sort=-open&per_page=1'),
      'open,id_sum\r\ntrue,4\r\n')
    const head = await app.inject({
      method: 'HEAD', url: '/numbers/aggregate?aggregate=count', headers: { accept: 'text/csv' },
    })
    t.strictSame([head.statusCode, head.body], [200, ''])
    const json = await ask('/numbers/aggregate?aggregate=count', 'application/json, text/csv;q=0.5')
    t.match(json.json(), { items: [{ count: 3 }], total: 1 })
    t.match((await ask('/pages/aggregate?aggregate=count', 'text/csv')).json(), { items: [{ count: 3 }] })
    t.match((await ask('/numbers/aggregate?group=x', 'text/csv')).json(), { statusCode: 400 })
    t.match((await ask('/numbers/aggregate?aggregate=count&page=9999999', 'text/csv')).json(), { statusCode: 400 })
    const many = 'insert into ticket (id, title, open) select n, n::text, true from generate_series(1000, 1999) as n'
    await orm.em.getConnection().execute(many)
    t.match((await ask('/numbers/aggregate?group=title', 'text/csv')).json(), {
      statusCode: 400,
      code: 'FST_CRUD_TOO_LARGE',
      detail: /^There are 1003 groups, and an answer without pages has at most 1000\. Ask for one page after the other/,
    })
    const page = await csv('/numbers/aggregate?group=title&per_page=1000&page=2')
    t.equal(page.split('\r\n').length, 5)
    await orm.em.getConnection().execute('delete from ticket where id >= 1000')
    t.equal((await csv('/numbers/aggregate?group=title')).split('\r\n').length, 5)
  })

  t.test('without a record there is a header, and HEAD has the status and headers of GET', async (t) => {
    const head = await app.inject({ method: 'HEAD', url: '/tickets?fields=id', headers: { accept: 'text/csv' } })
    t.strictSame([head.statusCode, head.body, head.headers['content-type']], [
      200, '', 'text/csv; charset=utf-8; header=present',
    ])
    await orm.em.getConnection().execute('delete from comment')
    await orm.em.getConnection().execute('delete from receipt')
    await orm.em.getConnection().execute('delete from ticket')
    t.equal(await csv('/tickets?fields=id&include=assignee&fields[assignee]=id'), 'id,agent.id\r\n')
  })
})
