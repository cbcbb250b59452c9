/** `init` writes a project that has no type errors and whose own test passes. It changes no file that exists. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { projectFiles } from '../../src/cli/init/project-files.ts'
import { runCommand } from '../helpers/command-line.ts'
import { checkTypes, fromSources } from '../helpers/type-check.ts'

// a type checker on a busy machine
t.setTimeout(600_000)

const root = path.resolve(import.meta.dirname, '../..')
const folder = t.testdir({ library: { '.gitignore': 'mine\n' } })
const library = path.join(folder, 'library')
const read = (file: string): string => fs.readFileSync(path.join(library, file), 'utf8')
const run = (env: object, ...args: string[]): string =>
  execFileSync(process.execPath, args, {
    cwd: library, encoding: 'utf8', env: { PATH: process.env['PATH'], NODE_ENV: 'test', ...env },
  })
const { code, out } = await runCommand(['init', 'library', '--yes'], folder)

t.test('init writes a project, and keeps files that exist', async (t) => {
  t.equal(code, 0)
  t.match(out, /^new library\/package\.json$/m)
  t.match(out, /^kept library\/\.gitignore$/m)
  t.equal(read('.gitignore'), 'mine\n')
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  t.match(dependencies, { 'fastify-crud-kit': /^\^\d/, fastify: /^\^5\./, '@mikro-orm/core': /^7\./ })
  t.match(devDependencies, { typescript: /^\^6\./, '@types/node': /^\^/ })
  t.match(read('.env'), /^JWT_SECRET=[\da-f-]{36}$/m)
  t.match(read('app.ts'), "await app.register(crudExplorer, { prefix: '/explorer', docs: '/docs' })")
  const again = await runCommand(['init', 'library'], folder)
  t.notMatch(again.out, /^new /m)
})

t.test('the command that enters its folder can be copied', async (t) => {
  const parent = t.testdir()
  for (const [name, word] of [['Bücher-2/a_b', 'Bücher-2/a_b'], ["My Shop's", String.raw`'My Shop'\''s'`]] as const) {
    const { out } = await runCommand(['init', name, '--yes'], parent)
    t.match(out, `\n  cd ${word}\n  npm install\n  npm start\n`)
    const entered = execFileSync('sh', ['-c', `cd ${word} && pwd`], { cwd: parent, encoding: 'utf8' })
    t.equal(entered, `${path.join(parent, name)}\n`)
  }
})

t.test('it has no type errors', async (t) => {
  const names = fs.readdirSync(library).filter((name) => name.endsWith('.ts'))
  t.ok(names.length >= 6)
  const { compilerOptions } = JSON.parse(read('tsconfig.json')) as { readonly compilerOptions: object }
  const files = Object.fromEntries(names.map((name) => [
    name,
    fromSources(read(name).replace("'fastify-crud-kit/explorer'", "'../../plugins/explorer.ts'")),
  ]))
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root)
  const { errorsOf } = checkTypes(path.join(root, 'test/library'), files, options)
  for (const name of names) t.strictSame(errorsOf(name), [], name)
})

t.test('its test passes', async (t) => {
  for (const name of fs.readdirSync(library).filter((name) => name.endsWith('.ts'))) {
    const text = read(name)
      .replaceAll("'fastify-crud-kit/explorer'", `'${pathToFileURL(path.join(root, 'plugins/explorer.ts')).href}'`)
      .replaceAll("'fastify-crud-kit'", `'${pathToFileURL(path.join(root, 'src/index.ts')).href}'`)
    fs.writeFileSync(path.join(library, name), text)
  }
  t.match(run({}, '--test'), /fail 0/)
})

t.test('its documentation and its explorer ask for a token, unless guests may go without', async (t) => {
  const [document, explorer] = JSON.parse(run({}, '--input-type=module', '--eval', `
    import { buildApp } from './app.ts'
    const app = await buildApp({ databaseUrl: 'pglite://memory', secret: 'secret' })
    const documents = await Promise.all(['/docs/json', '/explorer/resources.json'].map((url) => app.inject(url)))
    console.log(JSON.stringify(documents.map((document) => document.json())))
    await app.close()
  `))
  t.match(document.components.securitySchemes, { token: { type: 'http', scheme: 'bearer' } })
  t.strictSame(document.security, [{ token: [] }, {}])
  t.match(explorer.headers, [{ name: 'authorization', prefix: 'Bearer ' }])
  const files = projectFiles({ name: 'shop', dockerfile: false, database: { url: 'pglite://data', files: [] } })
  t.match(files.find(({ path }) => path === 'app.ts')!.text, 'security: [{ token: [] }],', 'guests may do nothing')
})

t.test('it prints the address of its server, and no index is missing', async (t) => {
  const env = { JWT_SECRET: 'secret', LIBRARY_DATABASE_URL: 'pglite://memory' }
  const output = run(env, path.join(root, 'src/cli/main.ts'), 'check', '--update')
  // the server does not listen, and has this port
  t.match(output, /^http:\/\/127\.0\.0\.1:0\/docs$/m)
  t.match(run(env, path.join(root, 'src/cli/main.ts'), 'check', '--no-database'), /is the surface of the application/)
  t.match(output, /^crud\.lock\.json is written\.\nThe database is what the entities say\.$/m)
})
