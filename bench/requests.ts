/** Measures the requests of all variants, in turns, in one database. */
import pg from 'pg'
import { startPostgres } from '../scripts/postgres.ts'
import type { AmountOperationName } from './amounts/names.ts'
import { Backends } from './backends.ts'
import { checkAnswers } from './check.ts'
import { start, type Contestant } from './contestant.ts'
import { createData, tidy } from './data.ts'
import type { Results } from './goals.ts'
import { measure, type MeasureOptions } from './measure.ts'
import type { MainOperationName, Operation } from './operations.ts'
import type { BenchOptions } from './options.ts'
import { measureStream } from './stream.ts'
import { ANY_AMOUNT, type Variant } from './variants.ts'

interface RequestsOptions extends BenchOptions {
  readonly operations: ReadonlyArray<Operation<MainOperationName>>
  readonly amounts: ReadonlyArray<Operation<AmountOperationName>>
  readonly variants: readonly Variant[]
  readonly onProgress: (text: string) => void
}

/** The generated routes, which also take part in the comparison by numbers of rows. */
const GENERATED: ReadonlyArray<Variant['name']> = ['crud-kit', 'before']

/** Duration of a round by number of rows, in seconds. There are many, and each request is known to the processes. */
const AMOUNT_SECONDS = 0.25
const AMOUNT_WARM_UP = 2
const AMOUNT_ROUNDS = 6
const AMOUNT_CHECKED = 10

/** Operations whose requests one process of each variant answers, and what `measure` does otherwise for them. */
interface Group extends Partial<Pick<MeasureOptions, 'seconds' | 'warmUp' | 'rounds'>> {
  readonly operations: readonly Operation[]
  readonly variants: readonly Variant[]
  /** The number of calls whose answers are compared. */
  readonly checked?: number
}

function groupsOf ({ operations, amounts, variants, ...options }: RequestsOptions): readonly Group[] {
  return [
    { operations: operations.filter(({ alone }) => alone !== true), variants },
    ...operations.filter(({ alone }) => alone).map((operation) => ({ operations: [operation], variants })),
    {
      operations: amounts,
      variants: [ANY_AMOUNT, ...variants.filter(({ name }) => GENERATED.includes(name))],
      checked: AMOUNT_CHECKED,
      seconds: Math.min(options.seconds, AMOUNT_SECONDS),
      warmUp: Math.min(options.warmUp, AMOUNT_WARM_UP),
      rounds: Math.min(options.rounds, AMOUNT_ROUNDS),
    },
  ].filter(({ operations }) => operations.length > 0)
}

/** @returns the results, and PostgreSQL's version */
export async function measureRequests (
  options: RequestsOptions
): Promise<Pick<Results, 'samples' | 'stream'> & { readonly version: string }> {
  const { onProgress } = options
  // no background work and no parallel workers, whose CPU time could not be read after they have ended
  const postgres = await startPostgres({
    settings: {
      shared_buffers: '512MB',
      max_connections: 150,
      autovacuum: 'off',
      max_wal_size: '4GB',
      max_parallel_workers_per_gather: 0,
    },
  })
  const contestants: Contestant[] = []
  const client = new pg.Client(postgres.url)
  let backends: Backends | undefined
  try {
    await client.connect()
    await createData(
      postgres.url,
      (done, total) => onProgress(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} rows`)
    )
    const { rows: [server] } = await client.query<{ version: string }>(
      "select current_setting('server_version') as version"
    )
    const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]
    backends = await Backends.connect(postgres.url)
    const together = async (group: Group): Promise<Results['samples']> => {
      for (const variant of group.variants) {
        onProgress(`starting: ${variant.name}`)
        contestants.push(await start(variant, {
          ...{ url: postgres.url, poolSize: options.pool, execArgv: profiling, operations: group.operations },
        }))
      }
      onProgress('comparing answers')
      await checkAnswers(group.operations, contestants, group.checked)
      await tidy(client)
      const samples = await measure({ ...options, ...group, backends: backends!, client, contestants })
      for (const { server } of contestants.splice(0)) await server.stop()
      return samples
    }
    const samples: Results['samples'][] = []
    for (const group of groupsOf(options)) samples.push(await together(group))
    if (options.includes('stream')) onProgress('measuring: stream')
    const stream = options.includes('stream') ? await measureStream(postgres.url) : undefined
    return {
      samples: new Map(samples.flatMap((part) => [...part])),
      ...(stream && { stream }),
      version: server!.version,
    }
  } finally {
    await backends?.close()
    for (const { server } of contestants) await server.stop()
    await client.end()
    await postgres.stop()
  }
}
