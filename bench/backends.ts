/** CPU time of PostgreSQL's processes, by the application that is connected to them. */
import fs from 'node:fs'
import pg from 'pg'

export class Backends {
  readonly #client: pg.Client

  private constructor (client: pg.Client) {
    this.#client = client
  }

  static async connect (url: string): Promise<Backends> {
    const client = new pg.Client(url)
    await client.connect()
    return new Backends(client)
  }

  /** In microseconds. `undefined` on systems without the /proc of Linux. */
  async cpu (application: string): Promise<number | undefined> {
    const { rows } = await this.#client.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1',
      [application]
    )
    try {
      // the first number is the time on a CPU in nanoseconds (kernel documentation, sched-stats)
      return rows.reduce((sum, { pid }) => sum + parseInt(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8')) / 1000, 0)
    } catch {
      return undefined
    }
  }

  async close (): Promise<void> {
    await this.#client.end()
  }
}
