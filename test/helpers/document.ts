/** A page of documentation: its program, and the answers that it shows. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { STATUS_CODES } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { completed, parseAbridged } from './abridged.ts'
import { freePort } from './ports.ts'

const root = path.resolve(import.meta.dirname, '../..')

export interface Exchange {
  readonly request: string
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly status: number
  /** JSON, perhaps abridged, or the lines of a stream. */
  readonly answer: string
}

export interface Document {
  readonly text: string
  /** The code of a block with this text after its three backticks, e.g. `ts app.ts`. */
  readonly block: (info: string) => string
  /** The code block marked `ts app.ts`. */
  readonly program: string
  /**
   * Blocks marked `http`, each with the `json` block that follows it. Those of a GET may instead have
   * the answer in the same block, after an empty line and, unless it is a 200, the status. Others are only shown.
   */
  readonly exchanges: readonly Exchange[]
}

/** Reads a page, e.g. `README.md`. */
export function readDocument (file: string): Document {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const blocks = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({
    info,
    code,
  }))
  const exchanges = blocks.flatMap(({ info, code }, index) => {
    const next = blocks[index + 1]
    if (info !== 'http') return []
    return next?.info.startsWith('json')
      ? [readExchange(code, next.info, next.code)]
      : code.trim().split(/\n\n(?=GET )/).flatMap(readAnswered)
  })
  const block = (info: string) => blocks.find((block) => block.info === info)?.code ?? ''
  return { text, block, program: block('ts app.ts'), exchanges }
}

function readExchange (request: string, info: string, answer: string): Exchange {
  const [head = '', body] = request.trim().split('\n\n', 2)
  const [line = '', ...headers] = head.split('\n')
  const [method = '', url = ''] = line.split(' ')
  const { statusCode } = JSON.parse(answer) as { statusCode?: number }
  return {
    request: line,
    method,
    url,
    headers: Object.fromEntries([
      ...headers.map((header) => header.split(': ')),
      ...(body === undefined ? [] : [['content-type', 'application/json']]),
    ]),
    body,
    status: Number(info.split(' ')[1] ?? statusCode ?? 200),
    answer,
  }
}

/** Requests without bodies, and their common answer. */
function readAnswered (text: string): Exchange[] {
  const end = text.indexOf('\n\n')
  if (end === -1 || !text.startsWith('GET ')) return []
  const lines = text.slice(0, end).split('\n')
  const isRequest = (line: string) => line.startsWith('GET ')
  const headers = Object.fromEntries(lines.filter((line) => !isRequest(line)).map((header) => header.split(': ')))
  const [, status, phrase, answer = ''] = /^(?:(\d{3}) ([A-Z].*)\n)?([\s\S]*)$/.exec(text.slice(end + 2))!
  if (status !== undefined && phrase !== STATUS_CODES[status]) throw new Error(`${status} is not ${phrase}`)
  return lines.filter(isRequest).map((request) => ({
    request,
    method: 'GET',
    url: request.slice('GET '.length),
    headers,
    body: undefined,
    status: Number(status ?? 200),
    answer,
  }))
}

/** The tables of a page: rows of cells, the header first. */
export function tablesOf (text: string): string[][][] {
  const cells = (row: string) => row.slice(1, -1).split('|').map((cell) => cell.trim())
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => {
    const [header = '', , ...rows] = table.trim().split('\n')
    return [header, ...rows].map(cells)
  })
}

/**
 * Puts a program into a separate folder. Imports of the package lead to its sources, since there may be no build yet. A
 * database in memory becomes a copy of the run's empty one.
 */
function writeProgram (t: Test, program: string): string {
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const text = withSources(program)
  const template = process.env['PGLITE_TEMPLATE']
  if (template) fs.cpSync(template, path.join(folder, 'data'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'app.ts'), template ? text.replace("'pglite://memory'", "'pglite://data'") : text)
  return folder
}

function withSources (program: string): string {
  return program.replace(
    /from 'fastify-crud-kit(\/\w+)?'/g,
    (_, room = '') => `from '${pathToFileURL(path.join(root, `src${room}/index.ts`)).href}'`
  )
}

/** The exports of a program. */
export async function importProgram<Exports> (t: Test, program: string): Promise<Exports> {
  return await import(pathToFileURL(path.join(writeProgram(t, program), 'app.ts')).href) as Exports
}

/** Runs a program until it ends, and returns its output. */
export function runProgram (t: Test, program: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--liftoff-only', 'app.ts'], {
    cwd: writeProgram(t, program),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** Runs the program as a process. */
async function startProgram (t: Test, program: string): Promise<string> {
  const folder = writeProgram(t, program)
  const port = await freePort()
  const child = spawn(process.execPath, ['--liftoff-only', 'app.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(output)
    }),
  ])
  return `http://127.0.0.1:${port}`
}

/** Runs a page's program, and another one that sends it requests at API_URL. Returns the output of the latter. */
export async function runClient (t: Test, server: string, client: string): Promise<string> {
  const base = await startProgram(t, server)
  const file = path.join(t.testdirName, 'client.ts')
  fs.writeFileSync(file, withSources(client))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['client.ts'], {
    cwd: t.testdirName,
    encoding: 'utf8',
    env: { ...process.env, API_URL: base },
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

export interface Answer {
  readonly status: number
  /** Media type, with or without parameters. */
  readonly type: string
  readonly text: string
}

/** Runs a page's program and sends it all requests of the page. */
export async function checkDocument (t: Test, { program, exchanges }: Document): Promise<void> {
  const base = await startProgram(t, program)
  await checkExchanges(t, exchanges, async ({ method, headers, body }, url) => {
    const response = await fetch(base + url, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, type: response.headers.get('content-type')!, text: await response.text() }
  })
}

/** Sends all requests of a page in order. `<name>` in a URL is the text that an earlier answer showed as `"<name>"`. */
export async function checkExchanges (
  t: Test,
  exchanges: readonly Exchange[],
  ask: (exchange: Exchange, url: string) => Promise<Answer>
): Promise<void> {
  const names = new Map<string, string>()
  for (const exchange of exchanges) {
    const { request, status, answer } = exchange
    const actual = await ask(exchange, exchange.url.replace(/<(\w+)>/g, (_, name: string) => names.get(name)!))
    t.equal(actual.status, status, request)
    const type = actual.type.split(';', 1)[0]!
    if (type === 'application/json') {
      const json = JSON.parse(actual.text) as unknown
      t.strictSame(json, completed(parseAbridged(answer), json, names), request)
    } else {
      t.strictSame(linesOf(type, actual.text), linesOf(type, answer), request)
    }
  }
}

/** The lines of a stream, as JSON or unchanged. */
function linesOf (type: string, text: string): unknown[] {
  const lines = text.trim().split(/\r?\n/)
  return type === 'application/x-ndjson' ? lines.map((line) => JSON.parse(line) as unknown) : lines
}
