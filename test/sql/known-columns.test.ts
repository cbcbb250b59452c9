/** A scope on a column that relations share is also a condition on related rows and pivot tables. */
import { p } from '@mikro-orm/core'
import t from 'tap'
import { AllowedFilters, CrudBase, parseQueryParams } from '../../src/index.ts'
import { comments, entities, labels, projects, Task, tasks } from '../citus/colocated.ts'
import { rows } from '../citus/server.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { recordStatements } from '../helpers/statements.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Owner = entity('Owner', {
  code: p.string().columnType('citext').primary(), name: p.string(), things: () => p.oneToMany(Thing).mappedBy('owner'),
})
const Thing = entity('Thing', { id: p.integer().primary(), owner: () => p.manyToOne(Owner).joinColumn('owner') })

const seed = async (em: any) => {
  for (const statement of rows) await em.getConnection().execute(statement)
}

/** The tables that a statement reads without a condition on the tenant. Tables of joins are not in this list. */
function unlimited (sql: string): string[] {
  return [...sql.matchAll(/from "(\w+)" as "(e\d+)"/g)]
    .filter(([, table, alias]) => table !== 'country' && !sql.includes(`"${alias}"."tenant_id" = $`))
    .map(([, table]) => table!)
}

await forEachDatabase(t, { entities, seed }, async (t, { orm }) => {
  const scope = { tenant_id: 2 }
  const recorder = await recordStatements(orm)
  const find = async (crud: CrudBase<any>, query: string, options: object = { scope }) => {
    recorder.take()
    const { items, total } = await crud.list(orm.em.fork(), parseQueryParams(query), options)
    return { items, total, sql: recorder.texts().join('; ') }
  }

  t.test('every table is read with the tenant of the scope', async (t) => {
    const queries: [CrudBase<any>, string][] = [
      [projects as CrudBase<any>, 'include=country,tasks.labels,tasks.comments,tasksCount'],
      [projects as CrudBase<any>, 'filter[tasks.labels.name]=Label 3&filter[q]=1'],
      [tasks as CrudBase<any>, 'include=project.country,labels,comments&filter[labels.name]=Label 3&filter[q]=1'],
      [tasks as CrudBase<any>, 'cursor=&include=labels&sort=-priority'],
      [labels as CrudBase<any>, 'include=tasks,tasksCount&filter[tasks.title]=Task 3'],
      [comments as CrudBase<any>, 'include=task.project'],
    ]
    for (const [crud, query] of queries) {
      const { items, sql } = await find(crud, query)
      t.strictSame(unlimited(sql), [], query)
      t.ok(items.length > 0, query)
      const everywhere = await find(crud, `${query}${query.includes('cursor') ? '' : '&page=1'}&per_page=100`, {})
      const own = everywhere.items.filter((item: any) => item.tenant_id === 2)
      if (!query.includes('cursor')) {
        t.strictSame(items.slice(0, own.length), own.slice(0, items.length), `${query}: the same records`)
      }
    }
  })

  t.test('also if a callback of the application is compiled for each request', async (t) => {
    const crud = new CrudBase<any>({
      model: Task,
      queryConfig: whitelist({
        allowedFilters: [AllowedFilters.custom('urgent', (qb) => qb.andWhere({ priority: { $gt: 2 } }))],
        allowedIncludes: ['labels', 'project'],
      }),
    })
    const { items, sql } = await find(crud, 'filter[urgent]=1&include=labels,project')
    t.strictSame(unlimited(sql), [])
    t.ok(items.length > 0 && items.every((item: any) => item.tenant_id === 2 && item.priority > 2))
    const related = await find(crud, 'include=labels', { scope: { tenant_id: 2, project: { name: 'Project 1' } } })
    t.ok(related.items.length > 0)
    t.match(related.sql, /"e\d+"\."tenant_id" = \$\d+ and/)
  })
})

await forEachDatabase(t, {
  entities: [Owner, Thing],
  needs: [],
  tables:
    'create table owner (code varchar(9) primary key, name text); create table thing (id int, owner varchar(9)); ' +
    "insert into owner values ('a', 'A'); insert into thing values (1, 'a')",
}, async (t, { orm }) => {
  t.test('values that ignore case are not compared in other tables', async (t) => {
    const crud = new CrudBase<any>({ model: Owner, queryConfig: whitelist({ allowedIncludes: ['things'] }) })
    const recorder = await recordStatements(orm)
    const record = await crud.get(orm.em.fork(), 'a', parseQueryParams('include=things'))
    t.strictSame(record, { code: 'a', name: 'A', things: [{ id: 1, owner: 'a' }] })
    t.notMatch(recorder.texts().join(), /"owner" = \$1/)
  })
})
