/** The Dockerfile and the compose file of the example, as far as they can be followed without Docker. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { freePort } from '../../scripts/free-port.ts'

const root = path.join(import.meta.dirname, '../..')
const steps = fs.readFileSync(path.join(root, 'example/Dockerfile'), 'utf8').split('\n')
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)).filter((match) => match !== null)
  .map(([, instruction, rest]) => ({ instruction, rest: rest! }))
const restOf = (instruction: string): string[] =>
  steps.filter((step) => step.instruction === instruction).map(({ rest }) => rest)

t.test('the files that the Dockerfile copies are enough to start the example, and a signal stops it', async (t) => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'crud-kit-container-')))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  for (const rest of restOf('COPY')) {
    const names = rest.split(' ')
    const target = names.pop()!
    for (const name of names) {
      const to = target === './' ? path.join(folder, name) : path.join(folder, target)
      fs.cpSync(path.join(root, name), to, {
        recursive: true,
        // .dockerignore leaves them out
        filter: (source) => !['node_modules', 'dist', '.data'].includes(path.basename(source)),
      })
    }
  }
  // stands for npm ci
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const [install, ...commands] = restOf('RUN')
  t.equal(install, 'npm ci')
  for (const command of commands) execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'ignore' })
  const [program, ...args] = JSON.parse(restOf('CMD')[0]!) as string[]
  t.equal(program, 'node')
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: '', HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  const health = await fetch(`http://127.0.0.1:${port}/health`)
  t.match(await health.json(), { status: 'up' })
  const [check] = restOf('HEALTHCHECK')
  const probe = check!.replace(/^CMD /, '').replaceAll(':3000/', `:${port}/`)
  execFileSync('sh', ['-c', probe], { cwd: folder, stdio: 'ignore' })
  t.equal((await fetch(`http://127.0.0.1:${port}/explorer`)).status, 200)
  child.kill('SIGTERM')
  t.strictSame(await exit, [0, null])
})

t.test('the compose file starts the example after its database', async (t) => {
  const { services } = parse(fs.readFileSync(path.join(root, 'example/compose.yaml'), 'utf8'))
  t.match(services.api, {
    build: { context: '..', dockerfile: 'example/Dockerfile' },
    depends_on: { db: { condition: 'service_healthy' } },
  })
  const url = new URL(services.api.environment.DATABASE_URL)
  const { POSTGRES_PASSWORD: password, POSTGRES_DB: name } = services.db.environment
  t.strictSame([url.hostname, url.password, url.pathname], ['db', password, `/${name}`])
  t.strictSame(services.api.ports, [`3000:${restOf('EXPOSE')[0]}`])
})
