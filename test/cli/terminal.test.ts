/** Questions on a terminal, and Ctrl-C. Terminals are made by `script` of util-linux. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../helpers/until.ts'

const main = path.resolve(import.meta.dirname, '../../src/cli/main.ts')
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
const skip = hasScript || process.env['CI'] === 'true' ? false : 'no script of util-linux'

/** A step of a session: what the program shows, and what is typed then. */
type Step = readonly [shown: string, typed: string]

const [ENTER, CTRL_C, CTRL_D] = ['\r', '\u0003', '\u0004']

/** Runs the program on a terminal. */
async function onTerminal (t: Test, folder: string, args: readonly string[], steps: readonly Step[]) {
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: folder, env: { ...process.env, NO_COLOR: '1' }, stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill())
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = once(child, 'exit')
  let read = 0
  for (const [shown, typed] of steps) {
    await until(() => output.includes(shown, read))
    read = output.length
    child.stdin.write(typed)
  }
  const [code] = await ended
  return { code, output }
}

const FOLDER = 'In which folder? (library)'
const DATABASE = 'The URL of a database that exists, or nothing for a new one:'
const DOCKERFILE = 'With a Dockerfile? (Y/n)'

t.test('init asks what no option says', { skip }, async (t) => {
  const folder = t.testdir()
  const { code, output } = await onTerminal(t, folder, ['init'], [
    [FOLDER, `shop${ENTER}`], [DATABASE, ENTER], [DOCKERFILE, `perhaps${ENTER}`], [DOCKERFILE, `n${ENTER}`],
  ])
  t.equal(code, 0)
  t.match(output, 'cd shop')
  t.ok(fs.existsSync(path.join(folder, 'shop/app.ts')))
  t.notOk(fs.existsSync(path.join(folder, 'shop/Dockerfile')))
  const named = await onTerminal(t, folder, ['init', 'named', '--no-dockerfile', '--url', 'pglite://absent/x'], [])
  t.notMatch(named.output, '?')
  t.equal(named.code, 1)
})

t.test('Ctrl-C and Ctrl-D at a question write nothing', { skip }, async (t) => {
  for (const key of [CTRL_C, CTRL_D]) {
    const folder = t.testdir()
    const { code, output } = await onTerminal(t, folder, ['init'], [[FOLDER, `shop${ENTER}`], [DATABASE, key]])
    t.equal(code, 1)
    t.match(output, 'Nothing was written.')
    t.strictSame(fs.readdirSync(folder), [])
  }
})

t.test('Ctrl-C while the database answers writes nothing', async (t) => {
  const silent = net.createServer()
  t.teardown(() => silent.close())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as net.AddressInfo
  const url = `postgresql://nobody@127.0.0.1:${port}/none`
  for (const args of [['pull', '--out', 'db'], ['init', 'shop']]) {
    const folder = t.testdir()
    const child = spawn(process.execPath, [main, ...args, '--url', url], { cwd: folder, stdio: 'ignore' })
    const [socket] = await once(silent, 'connection') as [net.Socket]
    socket.on('error', () => {})
    child.kill('SIGINT')
    t.strictSame(await once(child, 'exit'), [130, null])
    t.strictSame(fs.readdirSync(folder), [])
    socket.destroy()
  }
})
