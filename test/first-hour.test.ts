/**
 * The README and the page "getting started", as a newcomer follows them: their commands and files, in order, in an
 * empty folder, with the packed package.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { completed, parseAbridged, parseWritten } from './helpers/abridged.ts'
import { readDocument, SHOWN_SERVER, type Block } from './helpers/document.ts'
import { npm, packed, projectEnvironment, startProject } from './helpers/packed.ts'
import { until } from './helpers/until.ts'

// npm installs packages
t.setTimeout(600_000)

const SECRET = 'a secret of the tests, which is long enough'

const { folder: temporary, tarball } = packed(t)

/** Runs a block of the page in bash, with the packed package in place of the published one. */
function paste (folder: string, commands: string): string {
  const local = commands.replace('npm install fastify-crud-kit', `npm install ${tarball}`)
  return execFileSync('bash', ['-ec', local], { cwd: folder, encoding: 'utf8', env: projectEnvironment() })
}

/** Starts a file of a project that has no settings yet. */
const start = async (t: Test, folder: string, ...args: string[]) =>
  await startProject(t, folder, args, args.includes('--env-file=.env') ? {} : { JWT_SECRET: SECRET })

const isCurl = ({ info, code }: Block): boolean => info === 'sh' && code.startsWith('curl ')

/** Runs the curl commands of a page, and compares the answers. */
function curlAll (t: Test, blocks: readonly Block[], base: string, token = ''): void {
  for (const [index, block] of blocks.entries()) {
    if (!isCurl(block)) continue
    const command = block.code.trim().replaceAll(SHOWN_SERVER, base).replace('<admin>', token)
    const answer = parseWritten(execFileSync('bash', ['-c', command.replace('curl', 'curl -sS')], { encoding: 'utf8' }))
    t.strictSame(answer, completed(parseAbridged(blocks[index + 1]!.code), answer, new Map()), block.code)
  }
}

const newFolder = (name: string): string => {
  const folder = path.join(temporary, name)
  fs.mkdirSync(folder)
  return folder
}

t.test('npm installs it alone, also on days when the newest versions of the packages of MikroORM differ', async (t) => {
  const folder = newFolder('alone')
  npm(folder, 'install', '--package-lock-only', tarball)
  const { packages } = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: object,
  }
  t.ok('node_modules/@mikro-orm/postgresql' in packages)
})

t.test('the README', async (t) => {
  const { text, blocks, block, program } = readDocument('README.md')
  const commands = blocks.filter((one) => one.info === 'sh' && !isCurl(one)).map(({ code }) => code)
  t.equal(commands.length, 2)
  const folder = newFolder('readme')
  paste(folder, commands[0]!)
  fs.writeFileSync(path.join(folder, 'app.ts'), program)

  await t.test('first queries', async (t) => {
    const { base } = await start(t, folder, 'app.ts')
    curlAll(t, blocks, base)
    const [, shown] = /open <(.+?)>/.exec(text)!
    const page = await fetch(shown!.replace(SHOWN_SERVER, base))
    t.match([page.status, page.headers.get('content-type')], [200, /^text\/html/], 'a page for the browser')
    const described = await (await fetch(`${base}/explorer/resources.json`)).json() as { resources: { path: string }[] }
    t.strictSame(described.resources.map(({ path }) => path), ['/categories'], 'it knows the resource')
  })

  await t.test('securing it', async (t) => {
    const [install, writeSecret, run] = commands[1]!.trim().split('\n')
    t.equal(run, 'node --env-file=.env app.ts')
    paste(folder, `${install}\n${writeSecret}`)
    const [, lastLine] = /at the end: `(.*?)`/.exec(text)!
    const [part] = /^const app = Fastify\(\)\n[^]*?^}\)\n/m.exec(program)!
    fs.writeFileSync(
      path.join(folder, 'app.ts'),
      program
        .replace(part, () => block('ts part 3'))
        .replaceAll(/^const (?:Category|Product) = [^]*?properties: \{/gm, '$& tenant: p.integer().default(1),') +
        `${lastLine}\n${lastLine!.replace('tenant: 1', 'tenant: 2')}\n`
    )
    const withoutSecret = spawnSync(process.execPath, ['app.ts'], {
      cwd: folder, env: projectEnvironment({ JWT_SECRET: '' }), encoding: 'utf8',
    })
    t.match(withoutSecret.stderr, /JWT_SECRET is missing/)
    // the folder "data" of the first run gets the new column
    const { base, lines } = await start(t, folder, '--env-file=.env', 'app.ts')
    await until(() => lines.length >= 3)
    const total = async (token?: string) => {
      const response = await fetch(`${base}/categories`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
      return response.ok ? ((await response.json()) as { total: number }).total : response.status
    }
    t.strictSame([await total(), await total(lines[1]), await total(lines[2])], [401, 2, 0])
  })
})

t.test('getting started', async (t) => {
  const { blocks } = readDocument('docs/start/getting-started.md')
  const folder = newFolder('getting-started')
  paste(folder, blocks.find(({ info }) => info === 'sh')!.code)
  for (const { info, code } of blocks) {
    const [, name] = /^\w+ (\S+\.(?:ts|json))$/.exec(info) ?? []
    if (name !== undefined) fs.writeFileSync(path.join(folder, name), code)
  }
  paste(folder, 'npm run check')
  t.match(paste(folder, 'npm test'), /fail 0/)
  await t.test('from TypeScript', async (t) => {
    const { base, lines } = await start(t, folder, 'server.ts')
    await until(() => lines.length >= 2)
    curlAll(t, blocks, base, lines[1])
  })

  await t.test('from the build of the page about deployment', async (t) => {
    const [compile, run] = readDocument('docs/operating/deployment.md').block('sh').trim().split('\n')
    t.equal(run, 'node dist/server.js')
    paste(folder, compile!)
    const { base } = await start(t, folder, 'dist/server.js')
    t.equal((await fetch(`${base}/health`)).status, 200)
  })
})
