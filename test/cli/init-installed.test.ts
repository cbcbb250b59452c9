/**
 * `init` of the packed package: its projects are installed by npm, have no type errors, pass their tests, start and
 * answer, and `check` finds nothing. The tests of the templates by the sources are in init.test.ts.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { newDatabases } from '../helpers/databases.ts'
import { npm, packed, projectEnvironment, startProject } from '../helpers/packed.ts'
import { fillDatabase } from '../helpers/pulled.ts'
import { until } from '../helpers/until.ts'

// npm installs packages
t.setTimeout(600_000)

const { folder, tarball } = packed(t)
const tool = path.join(folder, 'tool')

/** Runs the program in a folder. */
const program = (cwd: string, ...args: string[]): string =>
  execFileSync(path.join(tool, 'node_modules/.bin/fastify-crud-kit'), args, {
    cwd, encoding: 'utf8', env: projectEnvironment(),
  })

/** Lets a project install the packed package in place of the published one. */
function usePacked (project: string): void {
  const file = path.join(project, 'package.json')
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))
  manifest.dependencies['fastify-crud-kit'] = `file:${tarball}`
  fs.writeFileSync(file, JSON.stringify(manifest))
}

t.test('the package can be installed without the packages of an application', async () => {
  fs.mkdirSync(tool)
  npm(tool, 'install', tarball)
})

const TABLES = `
  create table team (id integer primary key generated always as identity, name text not null unique);
  create table player (
    id integer primary key generated always as identity, name text not null, team_id integer not null references team
  );
  create index player_team on player (team_id);
  insert into team (name) values ('Reds');
  insert into player (name, team_id) values ('Ann', 1);
`

/** A server that nothing answers for. */
const AWAY = 'postgresql://nobody@127.0.0.1:1/none'

interface Template {
  readonly name: string
  readonly args: readonly string[]
  /** What a request without a token gets. */
  readonly guest: readonly [url: string, status: number]
  readonly admin: readonly [url: string, answer: object]
}

const library: Template = {
  name: 'library',
  args: [],
  guest: ['/books?sort=title', 200],
  admin: ['/books?filter[author.name]=Jane Austen&sort=title&include=author', { total: 2, items: [{ cost: 3.5 }, {}] }],
}
const players = (url: string): Template => ({
  name: 'players',
  args: ['--url', url, '--no-dockerfile'],
  guest: ['/player', 403],
  admin: ['/player?filter[team]=1&include=team', { total: 1, items: [{ name: 'Ann', team: { name: 'Reds' } }] }],
})

for (const { skip, open } of newDatabases.filter(({ name }) => name === 'postgres')) {
  t.test('the projects of init start and pass their tests', { skip }, async (t) => {
    const { url, close } = await open()
    t.teardown(close)
    await fillDatabase(url, TABLES)
    for (const { name, args, guest, admin } of [library, players(url)]) {
      await t.test(name, async (t) => {
        program(folder, 'init', name, '--yes', ...args)
        const project = path.join(folder, name)
        t.equal(fs.existsSync(path.join(project, 'Dockerfile')), !args.includes('--no-dockerfile'))
        usePacked(project)
        npm(project, 'install')
        npm(project, 'run', 'check')
        t.match(npm(project, 'test'), /fail 0/)
        const { base, lines } = await startProject(t, project, ['--env-file=.env', 'server.ts'])
        await until(() => lines.length >= 3)
        t.match(lines, [/\/explorer$/, /\/docs$/])
        t.equal((await fetch(`${base}/explorer/`)).status, 200)
        t.equal((await fetch(base + guest[0])).status, guest[1])
        const answer = await fetch(base + admin[0], { headers: { authorization: `Bearer ${lines[2]}` } })
        t.match(await answer.json(), admin[1])
        const own = path.join(project, 'node_modules/.bin/fastify-crud-kit')
        const checked = execFileSync(own, ['check', '--update', '--no-database'], {
          cwd: project, encoding: 'utf8', env: projectEnvironment({ JWT_SECRET: 'secret', DATABASE_URL: AWAY }),
        })
        t.match(checked, /crud\.lock\.json is written\.\n$/)
      })
    }
  })
}
