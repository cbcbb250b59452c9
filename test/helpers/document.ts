/** A page of documentation: its program, and what it says the program answers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { freePort } from './ports.ts'

const root = path.resolve(import.meta.dirname, '../..')

export interface Exchange {
  readonly request: string
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
  readonly status: number
  readonly answer: unknown
}

export interface Document {
  readonly text: string
  /** The code of a block with this text after its three backticks, e.g. `ts app.ts`. */
  readonly block: (info: string) => string
  /** The code block marked `ts app.ts`. */
  readonly program: string
  /** Blocks marked `http`, each with the `json` block that follows it; others are only shown. */
  readonly exchanges: readonly Exchange[]
}

/** Reads a page, e.g. `README.md`. */
export function readDocument (file: string): Document {
  const text = fs.readFileSync(path.join(root, file), 'utf8')
  const blocks = [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({ info, code }))
  const exchanges = blocks.flatMap(({ info, code }, index) => {
    const next = blocks[index + 1]
    return info === 'http' && next?.info.startsWith('json') ? [readExchange(code, next.info, next.code)] : []
  })
  const block = (info: string) => blocks.find((block) => block.info === info)?.code ?? ''
  return { text, block, program: block('ts app.ts'), exchanges }
}

function readExchange (request: string, info: string, answer: string): Exchange {
  const [head = '', body] = request.trim().split('\n\n', 2)
  const [line = '', ...headers] = head.split('\n')
  const [method = '', url = ''] = line.split(' ')
  const parsed = JSON.parse(answer) as { statusCode?: number }
  return {
    request: line,
    method,
    url,
    headers: Object.fromEntries([...headers.map((header) => header.split(': ')), ...(body === undefined ? [] : [['content-type', 'application/json']])]),
    body,
    status: Number(info.split(' ')[1] ?? parsed.statusCode ?? 200),
    answer: parsed,
  }
}

/** Runs the program in a folder of its own; where it imports the package it gets its sources, since there may be no build yet. */
async function startProgram (t: Test, program: string): Promise<string> {
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  fs.writeFileSync(path.join(folder, 'app.ts'), program.replace("from 'fastify-crud-kit'", `from '${pathToFileURL(path.join(root, 'src/index.ts')).href}'`))
  const port = await freePort()
  const child = spawn(process.execPath, ['--liftoff-only', 'app.ts'], { cwd: folder, env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let output = ''
  child.stderr.on('data', (chunk) => { output += chunk })
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => { throw new Error(output) })])
  return `http://127.0.0.1:${port}`
}

/** Runs a page's program and asks it everything that the page does. */
export async function checkDocument (t: Test, { program, exchanges }: Document): Promise<void> {
  const base = await startProgram(t, program)
  for (const { request, method, url, headers, body, status, answer } of exchanges) {
    const response = await fetch(base + url, { method, headers, ...(body !== undefined && { body }) })
    t.equal(response.status, status, request)
    t.strictSame(await response.json(), answer, request)
  }
}
