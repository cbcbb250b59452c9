/** The measurement: rounds in which each variant has its turn at each operation. */
import type { Backends } from './backends.ts'
import { load, requestTo } from './load.ts'
import type { Operation } from './operations.ts'
import type { ServerProcess } from './server-process.ts'
import type { VariantName } from './variants.ts'

/** One turn, per request: CPU times in microseconds, latencies in milliseconds. */
export interface Sample {
  readonly cpu: number
  readonly postgresCpu: number | undefined
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface MeasureOptions {
  readonly servers: ReadonlyMap<VariantName, ServerProcess>
  readonly backends: Backends
  readonly connections: number
  /** Of one turn. */
  readonly seconds: number
  /** Rounds that don't count, before those that do: a list is compiled to its last stage after some 10 000 requests. */
  readonly warmUp: number
  readonly rounds: number
}

const REQUESTS = 2_000

/** Samples of all rounds that count, by variant. */
export async function measure ({ path }: Operation, options: MeasureOptions): Promise<Map<VariantName, Sample[]>> {
  const requests = Array.from({ length: REQUESTS }, (_, n) => requestTo(path(n)))
  const samples = new Map([...options.servers.keys()].map((name): [VariantName, Sample[]] => [name, []]))
  for (let round = 0; round < options.warmUp + options.rounds; round++) {
    for (const [name, server] of options.servers) {
      const sample = await turn(name, server, requests, options)
      if (round >= options.warmUp) samples.get(name)!.push(sample)
    }
  }
  return samples
}

async function turn (name: VariantName, server: ServerProcess, requests: readonly Buffer[], { backends, connections, seconds }: MeasureOptions): Promise<Sample> {
  const before = { cpu: await server.cpu(), postgres: await backends.cpu(name) }
  const result = await load({ port: server.port, connections, seconds, requests })
  const after = { cpu: await server.cpu(), postgres: await backends.cpu(name) }
  const at = (part: number) => result.latencies[Math.floor(result.latencies.length * part)]!
  return {
    cpu: (after.cpu - before.cpu) / result.requests,
    postgresCpu: before.postgres === undefined || after.postgres === undefined ? undefined : (after.postgres - before.postgres) / result.requests,
    perSecond: result.requests / result.seconds,
    p50: at(0.5),
    p99: at(0.99),
  }
}
