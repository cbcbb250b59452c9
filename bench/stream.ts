/** Measures the server's memory while it streams one million rows as NDJSON. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import pg from 'pg'

const STREAM_ROWS = 1_000_000
/**
 * Rows of a first stream that does not count. During it, V8 lets the young generation of its heap grow to its usual
 * size. Only memory beyond that is due to the stream.
 */
const WARM_UP_ROWS = 500_000

/** Resident memory in MiB. */
export interface StreamCost {
  readonly rows: number
  readonly before: number
  readonly peak: number
  readonly rowsPerSecond: number
}

/** The messages of the process: its port, and its largest memory since the last question. */
export type StreamMessage = { readonly port: number } | { readonly rss: number, readonly peak: number }

export async function measureStream (url: string): Promise<StreamCost> {
  await createEvents(url)
  const child = fork(new URL('stream-process.ts', import.meta.url), [], {
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: url },
  })
  try {
    const { port } = await next(child) as { port: number }
    await read(port, `?filter%5Bid%5D=${WARM_UP_ROWS}`)
    const { rss: before } = await memory(child)
    const started = performance.now()
    const rows = await read(port, '')
    const seconds = (performance.now() - started) / 1000
    const { peak } = await memory(child)
    return { rows, before: before / 2 ** 20, peak: peak / 2 ** 20, rowsPerSecond: rows / seconds }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function createEvents (url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `create table if not exists event (id int primary key, name text not null, amount numeric(12,2) not null,
      at timestamptz not null);
    truncate event;
    insert into event select i, 'Event number ' || i, i / 100.0, timestamptz '2024-01-01Z' + i * interval '1 second'
      from generate_series(1, ${STREAM_ROWS}) as i;
    analyze event`
  )
  await client.end()
}

/** Reads a stream to its end and counts its lines. */
async function read (port: number, query: string): Promise<number> {
  const [response] = await once(
    http.get({ port, path: `/events${query}`, headers: { accept: 'application/x-ndjson' } }),
    'response'
  ) as [http.IncomingMessage]
  let lines = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
  }
  return lines
}

async function memory (child: ChildProcess): Promise<{ rss: number, peak: number }> {
  child.send('memory')
  return await next(child) as { rss: number, peak: number }
}

async function next (child: ChildProcess): Promise<StreamMessage> {
  const [message] = await once(child, 'message') as [StreamMessage]
  return message
}
