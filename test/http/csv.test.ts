/** Lists as CSV: which columns they have, in which order, and what is in their cells. */
import { defineEntity, p } from '@mikro-orm/core'
import { parse } from 'csv-parse/sync'
import t from 'tap'
import {
  AllowedField, AllowedInclude, AllowedSort, CrudBase, crudKit, QueryBuilderConfig, type CrudRecord,
} from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { newServer } from '../helpers/server.ts'

const Team = defineEntity({
  name: 'Team',
  properties: { id: p.integer().primary(), name: p.string(), budget: p.decimal().precision(20).scale(2) },
})
const Agent = defineEntity({
  name: 'Agent',
  properties: {
    id: p.integer().primary(),
    displayName: p.string(),
    team: () => p.manyToOne(Team).nullable(),
    skills: p.array(),
  },
})
const Ticket = defineEntity({
  name: 'Ticket',
  properties: {
    id: p.integer().primary(),
    title: p.string(),
    open: p.boolean().default(true),
    agent: () => p.manyToOne(Agent).nullable(),
    due: p.date().serializedName('dueOn').nullable(),
    data: p.json<unknown>().nullable(),
    comments: () => p.oneToMany(Comment).mappedBy('ticket'),
    receipt: () => p.oneToOne(Receipt).mappedBy('ticket').nullable(),
  },
})
const Receipt = defineEntity({
  name: 'Receipt',
  properties: { id: p.integer().primary(), ticket: () => p.oneToOne(Ticket).owner(), stars: p.integer() },
})
const Comment = defineEntity({
  name: 'Comment',
  properties: {
    id: p.integer().primary(),
    body: p.string(),
    ticket: () => p.manyToOne(Ticket),
    author: () => p.manyToOne(Agent),
  },
})

const ROWS = [
  "insert into team values (1, 'Night, shift', 12345678901234567.89)",
  "insert into agent (id, display_name, team_id, skills) values (1, 'Ann', 1, '{a,b}'), (2, '=Bob', null, '{}')",
  "insert into ticket (id, title, open, agent_id, due, data) values (1, 'Leak', true, 1, '2026-01-02', '[1]'), " +
  "(2, 'Said \"no\"', false, 2, null, '12345678901234567890'), (3, '', true, null, null, null)",
  'insert into receipt (id, ticket_id, stars) values (7, 2, -5)',
  "insert into comment (id, body, ticket_id, author_id) values (1, 'x', 1, 1), (2, 'y', 1, 2)",
]

const queryConfig = new QueryBuilderConfig<any>({
  allowedFields: [
    ...['id', 'title', 'open', 'agent', 'due', 'agent.id', 'agent.displayName'].map((name) => new AllowedField(name)),
    new AllowedField('data', { alias: 'extra' }),
  ],
  allowedIncludes: [
    new AllowedInclude('agent', { alias: 'assignee' }),
    new AllowedInclude('agent.team', { alias: 'group' }),
    new AllowedInclude('comments'),
    new AllowedInclude('comments.author'),
    new AllowedInclude('receipt'),
    AllowedInclude.count('comments'),
  ],
  allowedSorts: [new AllowedSort('id')],
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
    t.equal(
      await headerOf('/tickets?fields=title&include=receipt,assignee'),
      'title,agent.id,agent.displayName,agent.team,agent.skills,receipt.id,receipt.ticket,receipt.stars',
      'after the fields, if they do not name it'
    )
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
        'open,agent.displayName,agent.mail,id,first,heading', 'true,Ann,Ann@x,1,x,Leak',
        'false,\'=Bob,\'=Bob@x,2,x,"Said ""no"""', 'true,,,3,x,', '',
      ].join('\r\n')
    )
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
