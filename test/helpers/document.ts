/** A page of documentation: its program, and the answers that it shows. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { STATUS_CODES } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { completed, parseAbridged, parseWritten } from './abridged.ts'
import { freePort } from '../../scripts/free-port.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The start of URLs that commands of the pages call. */
export const SHOWN_SERVER = 'http://127.0.0.1:3000'

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

/** A block of code: the text after its three backticks, and its lines. */
export interface Block {
  readonly info: string
  readonly code: string
}

interface Document {
  readonly text: string
  readonly blocks: readonly Block[]
  /** The code of a block with this text after its three backticks, e.g. `ts app.ts`. */
  readonly block: (info: string) => string
  /** The code blocks marked `ts app.ts`, joined. */
  readonly program: string
  /**
   * Blocks marked `http`, and `sh` blocks that call curl, each with the `json` block that follows it. An `http` block
   * may instead have requests with their answers: after an empty line and the status, which GETs with a 200 leave out.
   * Others are only shown.
   */
  readonly exchanges: readonly Exchange[]
}

/** Reads a page, e.g. `README.md`. */
export function readDocument (file: string): Document {
  return documentOf(fs.readFileSync(path.join(root, file), 'utf8'))
}

/** The part of a page under a heading, e.g. `## CASL`, as a page of its own. */
export function readSection (file: string, heading: string): Document {
  const { text } = readDocument(file)
  const [level] = heading.split(' ', 1)
  const start = text.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`${file} has no heading '${heading}'`)
  const end = text.indexOf(`\n${level} `, start + heading.length)
  return documentOf(text.slice(start, end === -1 ? undefined : end))
}

export function documentOf (text: string): Document {
  const blocks = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({
    info,
    code,
  }))
  const exchanges = blocks.flatMap(({ info, code }, index) => {
    const next = blocks[index + 1]
    const answered = next?.info.startsWith('json') === true
    if (info === 'sh' && answered && code.startsWith('curl ')) return [readCurl(code, next.info, next.code)]
    if (info !== 'http') return []
    return answered
      ? [readExchange(code, next.info, next.code)]
      : code.trim().split(/\n\n(?=(?:GET|POST|PUT|PATCH|DELETE|QUERY) )/).flatMap(readAnswered)
  })
  const block = (info: string) => blocks.find((block) => block.info === info)?.code ?? ''
  const program = blocks.filter(({ info }) => info === 'ts app.ts').map(({ code }) => code).join('\n')
  return { text, blocks, block, program, exchanges }
}

function readExchange (request: string, info: string, answer: string): Exchange {
  const [head = '', body] = request.trim().split('\n\n', 2)
  const [line = '', ...headers] = head.split('\n')
  const [method = '', url = ''] = line.split(' ')
  return {
    request: line, method, url,
    headers: Object.fromEntries([
      ...headers.map((header) => header.split(': ')),
      ...(body === undefined ? [] : [['content-type', 'application/json']]),
    ]),
    body, status: statusOf(info, answer), answer,
  }
}

/** The status after `json`, or else in the answer, or else 200. */
function statusOf (info: string, answer: string): number {
  const { statusCode = 200 } = parseAbridged(answer) as { statusCode?: number }
  return Number(info.split(' ')[1] ?? statusCode)
}

/** A command such as `curl -g -X POST -H 'name: value' -d '{}' 'http://127.0.0.1:3000/path'`. */
function readCurl (command: string, info: string, answer: string): Exchange {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
  const after = (option: string) => words.flatMap((word, index) => word === option ? [words[index + 1]!] : [])
  const url = words.find((word) => word.startsWith(SHOWN_SERVER))
  if (url === undefined) throw new Error(`This command calls another server than ${SHOWN_SERVER}: ${command}`)
  const [body] = after('-d')
  return {
    request: command.trim(), method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    url: url.slice(SHOWN_SERVER.length), headers: Object.fromEntries(after('-H').map((header) => header.split(': '))),
    body, status: statusOf(info, answer), answer,
  }
}

/** Requests and their answer: GETs that have it in common, or one request with a body or another method. */
function readAnswered (text: string): Exchange[] {
  const [head = '', ...others] = text.split('\n\n')
  if (others.length === 0) return []
  const [, status, phrase, answer] = /^(?:(\d{3}) ([A-Z].*)\n)?([\s\S]*)$/.exec(others.at(-1)!)!
  if (status !== undefined && phrase !== STATUS_CODES[status]) throw new Error(`${status} is not ${phrase}`)
  if (!head.startsWith('GET ')) {
    // a request that is only shown has no status
    return status === undefined
      ? []
      : [readExchange([head, ...others.slice(0, -1)].join('\n\n'), `json ${status}`, answer!)]
  }
  const lines = head.split('\n')
  const isRequest = (line: string) => line.startsWith('GET ')
  const headers = Object.fromEntries(lines.filter((line) => !isRequest(line)).map((header) => header.split(': ')))
  return lines.filter(isRequest).map((request) => ({
    request, method: 'GET', url: request.slice('GET '.length), headers, body: undefined, status: Number(status ?? 200),
    answer: answer!,
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
export function writeProgram (t: Test, program: string, others: ReadonlyMap<string, string> = new Map()): string {
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const template = process.env['PGLITE_TEMPLATE']
  if (template) fs.cpSync(template, path.join(folder, 'data'), { recursive: true })
  for (const [name, code] of [...others, ['app.ts', program] as const]) {
    const text = withSources(code)
    fs.writeFileSync(path.join(folder, name), template ? text.replace("'pglite://memory'", "'pglite://data'") : text)
  }
  return folder
}

function withSources (program: string): string {
  return program.replace(/from 'fastify-crud-kit(\/\w+)?'/g,
    (_, room = '') => `from '${pathToFileURL(path.join(root, `src${room}/index.ts`)).href}'`)
}

/** The exports of a program. */
export async function importProgram<Exports> (t: Test, program: string): Promise<Exports> {
  return await import(pathToFileURL(path.join(writeProgram(t, program), 'app.ts')).href) as Exports
}

/** Runs a program with a second file beside it, e.g. a test of the program. Returns the output of the second file. */
export function runBeside (t: Test, program: string, file: string, code: string, env: Environment = {}): string {
  const cwd = writeProgram(t, program)
  fs.writeFileSync(path.join(cwd, file), withSources(code))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--liftoff-only', file], {
    cwd, encoding: 'utf8', env: { ...process.env, PORT: '0', ...env },
  })
  if (status !== 0) throw new Error(stdout + stderr)
  return stdout
}

export type Environment = Readonly<Record<string, string>>

/** Runs the program as a process, and returns the start of its URLs. */
export async function startProgram (t: Test, program: string, env: Environment = {}): Promise<string> {
  return await startIn(t, writeProgram(t, program), 'app.ts', env)
}

/** Runs a file of a folder as a process until the end of the test, and returns the start of its URLs. */
export async function startIn (t: Test, folder: string, file: string, env: Environment = {}): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--liftoff-only', file], {
    cwd: folder, env: { ...process.env, PORT: String(port), ...env }, stdio: ['ignore', 'pipe', 'pipe'],
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
    cwd: t.testdirName, encoding: 'utf8', env: { ...process.env, API_URL: base },
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

export interface CheckOptions {
  readonly env?: Environment
  /** Texts for `<name>` in URLs and headers, beside those that earlier answers show. */
  readonly names?: Readonly<Record<string, string>>
}

/** Runs a page's program and sends it all requests of the page. */
export async function checkDocument (
  t: Test,
  { program, exchanges }: Pick<Document, 'program' | 'exchanges'>,
  { env, names = {} }: CheckOptions = {}
): Promise<void> {
  await checkRequests(t, await startProgram(t, program, env), exchanges, names)
}

/** Sends all requests of a page to a server. Returns the given texts, and those that the answers showed. */
export async function checkRequests (
  t: Test,
  base: string,
  exchanges: readonly Exchange[],
  names: Readonly<Record<string, string>> = {}
): Promise<Record<string, string>> {
  return await checkExchanges(t, exchanges, async ({ method, headers, body }, url) => {
    const response = await fetch(base + url, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, type: response.headers.get('content-type')!, text: await response.text() }
  }, names)
}

/**
 * Sends all requests of a page in order. `<name>` in a URL or header is one of the given texts, or the text that an
 * earlier answer showed as `"<name>"`. Returns them.
 */
export async function checkExchanges (
  t: Test,
  exchanges: readonly Exchange[],
  ask: (exchange: Exchange, url: string) => Promise<Answer>,
  given: Readonly<Record<string, string>> = {}
): Promise<Record<string, string>> {
  const names = new Map(Object.entries(given))
  const filled = (text: string) => text.replace(/<(\w+)>/g, (_, name: string) => names.get(name)!)
  for (const exchange of exchanges) {
    const { request, status, answer } = exchange
    const headers = Object.fromEntries(Object.entries(exchange.headers).map(([name, text]) => [name, filled(text)]))
    const actual = await ask({ ...exchange, headers }, filled(exchange.url))
    t.equal(actual.status, status, request)
    const type = actual.type.split(';', 1)[0]!
    if (type === 'application/json') {
      const json = parseWritten(actual.text)
      t.strictSame(json, completed(parseAbridged(answer), json, names), request)
    } else {
      t.strictSame(linesOf(type, actual.text), linesOf(type, answer), request)
    }
  }
  return Object.fromEntries(names)
}

/** The lines of a stream, as JSON or unchanged. */
function linesOf (type: string, text: string): unknown[] {
  const lines = text.trim().split(/\r?\n/)
  return type === 'application/x-ndjson' ? lines.map((line) => JSON.parse(line) as unknown) : lines
}
