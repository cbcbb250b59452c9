/** The data of the worst requests: projects with tasks and labels, long papers and short notes. */
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { entities } from './entities.ts'

export interface WorstSizes {
  readonly projects: number
  readonly tasks: number
  readonly labels: number
  readonly labelsEach: number
  readonly papers: number
  readonly notes: number
  /** Whether PostgreSQL has statistics of the tables. */
  readonly analyzed: boolean
}

export const LARGE: WorstSizes = {
  projects: 20_000, tasks: 1_100_000, labels: 200, labelsEach: 10, papers: 2_000, notes: 500_000, analyzed: true,
}

/** Some thousand rows, as an import leaves them before anything has analyzed the tables. */
export const SMALL: WorstSizes = {
  projects: 2_000, tasks: 6_000, labels: 200, labelsEach: 10, papers: 0, notes: 1_000, analyzed: false,
}

/** `common` is in every title, `word 4711` only in few. */
const statementsOf = ({ projects, tasks, labels, labelsEach, papers, notes, analyzed }: WorstSizes) => [
  'set session_replication_role = replica',
  // an index that is created on rows counts them, which is as good as an analysis
  'create index on project_labels (label_id)',
  `insert into projects (id, name, notes, budget)
   select i, 'Project ' || i, 'Notes of project ' || i, (i::bigint * 48271 % 100000) / 100.0
     from generate_series(1, ${projects}) as i`,
  `insert into tasks (id, title, body, done, project_id)
   select i, 'A common task, word ' || i % 10007, 'The body of task ' || i || ', a sentence as people write it.',
     i % 3 = 0, i % ${projects} + 1 from generate_series(1, ${tasks}) as i`,
  `insert into labels (id, name) select i, 'Label ' || i from generate_series(1, ${labels}) as i`,
  `insert into project_labels (project_id, label_id)
   select i, (i + j * 20) % ${labels} + 1
     from generate_series(1, ${projects}) as i, generate_series(1, ${labelsEach}) as j`,
  `insert into papers (id, title, content, project_id)
   select i, 'Paper ' || i, (select string_agg(md5(i::text || ' ' || j::text), '') from generate_series(1, 3200) as j),
     i from generate_series(1, ${papers}) as i`,
  `insert into notes (id, title, text)
   select i, 'Note ' || i, 'A common note with word' || i % 10007 || ', a sentence as people write it, and another one.'
     from generate_series(1, ${notes}) as i`,
  ...['projects', 'tasks', 'papers'].map((table) =>
    `select setval(pg_get_serial_sequence('${table}', 'id'), greatest(max(id), 1)) from ${table}`
  ),
  ...(analyzed ? ['vacuum (analyze) projects, tasks, labels, project_labels, papers, notes'] : []),
]

/** Creates the tables and fills them. */
export async function createWorstData (url: string, sizes: WorstSizes): Promise<void> {
  const orm = await MikroORM.init({ clientUrl: url, entities })
  await orm.schema.create()
  await orm.close()
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statementsOf(sizes)) await client.query(statement)
  await client.end()
}
