/** The data of the worst requests: 20 000 projects, 1 100 000 tasks, 200 labels, 200 000 links, 2 000 long papers. */
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { entities } from './entities.ts'

export const PROJECTS = 20_000
export const TASKS = 1_100_000
export const LABELS = 200
export const LABELS_EACH = 10
export const PAPERS = 2_000

/** `common` is in every title, `word 4711` only in few. */
const STATEMENTS = [
  'set session_replication_role = replica',
  `insert into projects (id, name, notes, budget)
   select i, 'Project ' || i, 'Notes of project ' || i, (i::bigint * 48271 % 100000) / 100.0
     from generate_series(1, ${PROJECTS}) as i`,
  `insert into tasks (id, title, body, done, project_id)
   select i, 'A common task, word ' || i % 10007, 'The body of task ' || i || ', a sentence as people write it.',
     i % 3 = 0, i % ${PROJECTS} + 1 from generate_series(1, ${TASKS}) as i`,
  `insert into labels (id, name) select i, 'Label ' || i from generate_series(1, ${LABELS}) as i`,
  `insert into project_labels (project_id, label_id)
   select i, (i + j * 20) % ${LABELS} + 1
     from generate_series(1, ${PROJECTS}) as i, generate_series(1, ${LABELS_EACH}) as j`,
  `insert into papers (id, title, content, project_id)
   select i, 'Paper ' || i, (select string_agg(md5(i::text || ' ' || j::text), '') from generate_series(1, 3200) as j),
     i from generate_series(1, ${PAPERS}) as i`,
  'create index on project_labels (label_id)',
  'vacuum (analyze) projects, tasks, labels, project_labels, papers',
]

/** Creates the tables and fills them. */
export async function createWorstData (url: string): Promise<void> {
  const orm = await MikroORM.init({ clientUrl: url, entities })
  await orm.schema.create()
  await orm.close()
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of STATEMENTS) await client.query(statement)
  await client.end()
}
