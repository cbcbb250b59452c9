/** How many tasks the statements of a request are for a cluster. A task is a query for one shard. */
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { clientOf } from '../../src/run/index.ts'
import { recordStatements } from '../helpers/statements.ts'

export interface Tasks {
  readonly status: number
  /** Of each statement. */
  readonly tasks: readonly number[]
  /** Results that the cluster keeps between steps. */
  readonly subplans: number
}

/** Sends a request, and explains each statement that it has caused. */
export async function tasksOf (orm: MikroORM, send: () => Promise<{ readonly statusCode: number }>): Promise<Tasks> {
  const pool = await clientOf(orm.em.getConnection()) as Pool
  const recorder = await recordStatements(orm)
  const { statusCode } = await send()
  recorder.stop()
  const tasks: number[] = []
  let subplans = 0
  for (const { sql, params } of recorder.statements) {
    const statement = sql.replace(/^declare \w+ no scroll cursor for /, '')
    if (!/^(?:select|with|insert|update|delete) /.test(statement) || statement.includes('set_config(')) continue
    const { rows } = await pool.query(`explain ${statement}`, [...params])
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    tasks.push(...[...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count)))
    subplans += plan.match(/Distributed Subplan/g)?.length ?? 0
  }
  return { status: statusCode, tasks, subplans }
}

/** Whether each statement is one task, or writes in one task and makes its answer of that result in another. */
export const onOneNode = ({ tasks }: Tasks): boolean => tasks.length > 0 && tasks.every((count) => count === 1)
