/** Every sample of the documentation runs, and its requests have the answers that the pages show. */
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { checkDocument } from './helpers/check-document.ts'
import { readDocument, readSection } from './helpers/document.ts'
import { runBeside, runClient } from './helpers/programs.ts'
import { checkPage, unmarked } from './helpers/pages.ts'

// many processes, one after the other
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '..')

/** Pages whose samples are run in another way, by the test that runs them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/front-ends/admin.md': 'test/example/admin.test.ts',
  'docs/concepts/access.md': 'test/authorization.test.ts',
  'docs/concepts/casl.md': 'test/authorization.test.ts',
  'docs/start/help-desk.md': 'test/authorization.test.ts',
  'docs/front-ends/client.md': 'test/client/types.test.ts',
  'docs/front-ends/tanstack-query.md': 'test/client/samples.test.ts',
  // files that the command line writes
  'docs/start/command-line.md': 'test/cli',
  'docs/start/existing-database.md': 'test/http/existing-database.test.ts',
  'docs/front-ends/explorer.md': 'test/explorer',
  'docs/concepts/declaring-entities.md': 'test/http/existing-database.test.ts',
  'docs/concepts/multi-tenancy.md': 'test/authorization.test.ts',
  'docs/concepts/row-level-security.md': 'test/authorization.test.ts',
  // a primary and two standbys
  'docs/operating/replicas.md': 'test/database/replicas.test.ts',
  // a PgBouncer and a cluster
  'docs/operating/scaling.md': 'test/citus',
}

const pages = ['README.md', ...fs.globSync('docs/**/*.md', { cwd: root }).sort()]
  // test/query-language.test.ts runs those, and test/reference.test.ts reads these
  .filter((page) => !/^docs\/(?:query-language|api)\//.test(page))
  .map((page) => ({ page, ...readDocument(page) }))

t.test('every block of code says how it is run', async (t) => {
  for (const { page, blocks } of pages) {
    if (!(page in ELSEWHERE)) t.strictSame(unmarked(blocks), [], page)
  }
  for (const [page, test] of Object.entries(ELSEWHERE)) {
    t.ok(pages.some((other) => other.page === page) && fs.existsSync(path.join(root, test)), page)
  }
})

const SECRET = 'a secret of the tests, which is long enough'
const signer = Fastify()
await signer.register(jwt, { secret: SECRET })
const admin = signer.jwt.sign({ role: 'admin' })
await signer.close()

for (const { page, blocks } of pages) {
  if (page in ELSEWHERE || !blocks.some(({ info }) => /^ts \S+\.ts$/.test(info))) continue
  t.test(page, async (t) => {
    await checkPage(t, page, { env: { JWT_SECRET: SECRET }, names: { admin } })
  })
}

t.test('the program on an existing database gives the answers of its page', async (t) => {
  const page = readDocument('docs/start/existing-database.md')
  t.equal(page.exchanges.length, 7)
  await checkDocument(t, page)
})

t.test('the client prints the output of its page', async (t) => {
  const { program, block } = readDocument('docs/front-ends/client.md')
  t.equal(await runClient(t, program, block('ts client.ts')), block('text'))
})

t.test('the home page of the site shows the statement and the answer of its program', async (t) => {
  const { program, block } = readDocument('website/home.md')
  const [, url] = block('http').trim().split(' ')
  const output = runBeside(
    t,
    program,
    'ask.ts',
    `
    import diagnostics from 'node:diagnostics_channel'
    import { app } from './app.ts'

    const statements: string[] = []
    await app.ready()
    diagnostics.subscribe('fastify-crud-kit:query', (message) => statements.push((message as { text: string }).text))
    const answer = await app.inject('${url}')
    await app.close()
    console.log(JSON.stringify({ statements, answer: answer.json() }))
  `
  )
  const { statements, answer } = JSON.parse(output) as {
    readonly statements: readonly string[],
    readonly answer: unknown,
  }
  const onOneLine = block('sql').trim().replace(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')
  t.strictSame(statements, [onOneLine])
  t.strictSame(answer, JSON.parse(block('json')))
})

t.test('the home page of the site names the commands of the page about them', async (t) => {
  const commands = readDocument('docs/start/command-line.md').text
  for (const line of readSection('website/home.md', '## Two commands').block('sh').trim().split('\n')) {
    for (const command of line.split(' && ').filter((command) => !command.startsWith('cd '))) t.match(commands, command)
  }
})
