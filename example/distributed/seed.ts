/** Rows for the example and for its benchmark, made by the database. */
import type { EntityManager } from '@mikro-orm/postgresql'

interface Amounts {
  readonly tenants: number
  /** Of each tenant. */
  readonly projects: number
  readonly tasks: number
  readonly labels: number
}

export const FEW: Amounts = { tenants: 2, projects: 4, tasks: 24, labels: 6 }

/** A key that each run makes again: the n-th record of a tenant. */
const key = (kind: string, n: string): string => `md5(t || '${kind}' || ${n})::uuid`

/** Fills empty tables. Each task has a project, and two labels or fewer. */
export async function seed (em: EntityManager, { tenants, projects, tasks, labels }: Amounts): Promise<void> {
  const each = (count: number) => `from generate_series(1, ${tenants}) t, generate_series(1, ${count}) n`
  for (
    const statement of [
      `insert into tenants (name) select 'Tenant ' || t from generate_series(1, ${tenants}) t`,
      `insert into projects (tenant_id, id, name) select t, ${key('p', 'n')}, 'Project ' || n ${each(projects)}`,
      `insert into labels (tenant_id, id, name) select t, ${key('l', 'n')}, 'Label ' || n ${each(labels)}`,
      'insert into tasks (tenant_id, id, title, priority, done, due, project_id) ' +
      `select t, ${
        key('t', 'n')
      }, 'Task ' || n, n % 5, n % 3 = 0, timestamptz '2026-01-01Z' + n * interval '1 hour', ` +
      `${key('p', `(1 + n % ${projects})`)} ${each(tasks)}`,
      `insert into task_labels (tenant_id, task_id, label_id) select t, ${key('t', 'n')}, ${
        key('l', `(1 + (n + l * 3) % ${labels})`)
      } ${each(tasks)}, generate_series(0, 1) l on conflict do nothing`,
    ]
  ) await em.execute(statement)
}
