/** The client in Deno and Bun: those on the PATH, or else those of the npm registry. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { PROGRAM, RESULT, serve } from '../helpers/client-program.ts'

// an installation on a busy machine
t.setTimeout(600_000)

const run = promisify(execFile)

const RUNTIMES = [
  { name: 'deno', version: '2.9.6', args: ['run', '--allow-net'] },
  { name: 'bun', version: '1.4.5', args: ['run'] },
] as const

/** Returns the command of a runtime, or the reason why it cannot be had. */
async function commandOf (t: Test, name: string, version: string): Promise<{ command: string } | { reason: string }> {
  const onPath = (process.env['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, name))
  const found = onPath.find((file) => fs.existsSync(file))
  if (found !== undefined) return { command: found }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `fastify-crud-kit-${name}-`))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  // the packages have an install script for the binary of this platform
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ allowScripts: { [name]: true } }))
  const command = path.join(folder, 'node_modules/.bin', name)
  try {
    const options = ['--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...options, `${name}@${version}`], { cwd: folder })
    await run(command, ['--version'])
    return { command }
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    return { reason: `${name} is not on the PATH, and ${name}@${version} of the registry cannot be used: ${reason}` }
  }
}

for (const { name, version, args } of RUNTIMES) {
  t.test(`the client works in ${name}`, async (t) => {
    const runtime = await commandOf(t, name, version)
    if ('reason' in runtime) return t.pass('skipped', { skip: runtime.reason })
    const { app, code } = await serve(t)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const folder = t.testdir({
      'client.mjs': code,
      'main.mjs':
        `import * as client from './client.mjs'\nconsole.log(JSON.stringify(await (${PROGRAM})('${address}', client)))`,
    })
    const { stdout } = await run(runtime.command, [...args, path.join(folder, 'main.mjs')])
    t.strictSame(JSON.parse(stdout), RESULT)
  })
}
