/** Reads a page of documentation: its blocks of code, its program, and the requests with the answers that it shows. */
import fs from 'node:fs'
import { STATUS_CODES } from 'node:http'
import path from 'node:path'
import { parseAbridged } from './abridged.ts'

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

export interface Document {
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
