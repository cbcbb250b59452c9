/** The README's program is run as it stands, and asked what the README asks it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import * as library from '../src/index.ts'
import { OPERATOR_NAMES } from '../src/config/index.ts'
import { freePort } from './helpers/ports.ts'

const root = path.resolve(import.meta.dirname, '..')
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')

/** Code blocks by their info string, in order. */
function blocks (info: string): string[] {
  return [...readme.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].filter((match) => match[1] === info).map((match) => match[2]!)
}

/** The program in a folder of its own; the package is its sources, since there may be no build yet. */
async function run (t: Test, program: string): Promise<string> {
  const folder = t.testdir({ 'package.json': '{ "type": "module" }' })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const source = program.replace("from 'fastify-crud-kit'", `from '${pathToFileURL(path.join(root, 'src/index.ts')).href}'`)
  fs.writeFileSync(path.join(folder, 'app.ts'), source)
  const port = await freePort()
  const child = spawn(process.execPath, ['app.ts'], { cwd: folder, env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  let output = ''
  child.stderr.on('data', (chunk) => { output += chunk })
  const listening = once(child.stdout, 'data')
  await Promise.race([listening, once(child, 'exit').then(() => { throw new Error(output) })])
  return `http://127.0.0.1:${port}`
}

t.test('the smallest program answers what the README says', async (t) => {
  const [program] = blocks('ts app.ts')
  const base = await run(t, program!)
  const requests = blocks('http').slice(1).map((request) => request.replace('GET ', '').trim())
  const answers = blocks('json').map((answer) => JSON.parse(answer) as unknown)
  t.equal(requests.length, 2)
  t.equal(answers.length, requests.length)
  for (const [index, request] of requests.entries()) {
    const response = await fetch(base + request)
    t.strictSame(await response.json(), answers[index], request)
  }
})

t.test('the query table has every operator', async (t) => {
  const table = readme.slice(readme.indexOf('## Query language'), readme.indexOf('## The whitelist'))
  for (const operator of OPERATOR_NAMES) t.match(table, `${operator}`, operator)
})

t.test('every error class is in the table of codes, or comes with writes', async (t) => {
  const classes = Object.entries(library).filter(([name]) => name.endsWith('Error'))
  const later = ['FST_CRUD_CONFLICT', 'FST_CRUD_OUT_OF_SCOPE', 'FST_CRUD_PRECONDITION_FAILED', 'FST_CRUD_PRECONDITION_REQUIRED', 'FST_CRUD_READ_ONLY']
  t.ok(classes.length > 10)
  for (const [name, Class] of classes) {
    const { code } = new (Class as new (items: unknown) => { code: string })(name.endsWith('ValidationError') && name !== 'DataValidationError' ? [] : 'text')
    if (!later.includes(code)) t.match(readme, `\`${code}\``, name)
  }
})

t.test('links lead to files', async (t) => {
  for (const [, link] of readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)) t.ok(fs.existsSync(path.join(root, link!)), link!)
})
