/** The options of `npm run bench`, and the checkout of another commit that it compares with. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { OTHER_PARTS, readOptions } from '../../bench/options.ts'
import { checkOut } from '../../bench/other-checkout.ts'

const read = (...args: string[]) =>
  readOptions(args, ['list', 'get', ...OTHER_PARTS], ['hand-written', 'crud-kit', 'mikro-orm'])

t.test('a saved run has eight short rounds, a quick one has one', async (t) => {
  t.match(read(), { rounds: 4, warmUp: 4, seconds: 0.8, connections: 16, pool: 10, peers: undefined })
  t.match(read('--save'), { rounds: 8, warmUp: 4, seconds: 0.5, save: true })
  t.match(read('--quick'), { rounds: 1, warmUp: 1, quick: true })
  t.match(read('--save', '--rounds', '12', '--warm-up', '0', '--seconds', '2'), { rounds: 12, warmUp: 0, seconds: 2 })
  t.equal(read('--no-peers').peers, false)
})

t.test('--only and --variant choose', async (t) => {
  const all = read()
  t.ok(all.includes('get') && all.includes('stream') && all.includesVariant('mikro-orm'))
  const some = read('--only', 'get', '--only', 'startup', '--variant', 'crud-kit')
  t.ok(some.includes('get') && some.includes('startup') && some.includesVariant('crud-kit'))
  t.notOk(some.includes('list') || some.includes('stream') || some.includesVariant('mikro-orm'))
  t.ok(read('--only', 'amounts').includes('list-5000', 'amounts'), 'a part stands for its operations')
  t.strictSame(['bulk', 'list'].map((part) => read('--bulk').includes(part)), [true, false])
})

t.test('a comparison runs the operations of three variants, in eight rounds', async (t) => {
  for (const args of [['--compare', 'HEAD~10'], ['--before', '../other']]) {
    const options = read(...args)
    t.match(options, { rounds: 8, peers: false })
    t.ok(options.includes('list') && options.includesVariant('hand-written') && options.includesVariant('crud-kit'))
    t.notOk(options.includes('stream') || options.includes('bounded') || options.includesVariant('mikro-orm'))
  }
  t.ok(read('--compare', 'HEAD~10', '--only', 'startup', '--variant', 'mikro-orm').includes('startup'))
})

t.test('options that have no meaning are refused', async (t) => {
  t.throws(() => read('--only', 'gets'), {
    message: '--only gets is unknown. Known are: list, get, amounts, bulk, bounded, stream, startup',
  })
  t.throws(() => read('--variant', 'rails'), { message: /^--variant rails is unknown/ })
  t.throws(() => read('--rounds', '0'), { message: "--rounds needs a number, not '0'" })
  t.throws(() => read('--seconds', ' '), { message: "--seconds needs a number, not ' '" })
  t.throws(() => read('--compare', 'main', '--before', '.'), { message: /give one of them/ })
  t.throws(() => read('--compare', 'main', '--save'), { message: /^--save is for/ })
  t.throws(() => read('--only', 'get', '--save'), { message: /^--save is for/ })
  t.throws(() => read('--compare'), { code: 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' })
})

t.test('another commit is checked out with the installed packages, and removed', async (t) => {
  const root = t.testdir({ 'package-lock.json': '{}', node_modules: { some: { 'index.js': '' } }, 'a.txt': 'old' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  git('init', '--quiet')
  git('add', 'package-lock.json', 'a.txt')
  git('commit', '--quiet', '-m', 'old')
  fs.writeFileSync(path.join(root, 'a.txt'), 'new')
  git('commit', '--quiet', '-am', 'new')

  const other = checkOut(root, 'HEAD~1')
  t.teardown(other.remove)
  t.equal(fs.readFileSync(path.join(other.folder, 'a.txt'), 'utf8'), 'old')
  t.ok(fs.existsSync(path.join(other.folder, 'node_modules/some/index.js')))
  t.ok(git('rev-parse', 'HEAD~1').startsWith(other.commit))
  other.remove()
  other.remove()
  t.notOk(fs.existsSync(other.folder))
  t.equal(git('worktree', 'list').trim().split('\n').length, 1)
  t.ok(fs.existsSync(path.join(root, 'node_modules/some/index.js')), 'the packages of this checkout are still there')

  t.throws(() => checkOut(root, 'HEAD~7'), { message: /git does not know 'HEAD~7'/ })
  t.throws(() => checkOut(root, '--help'), { message: /git does not know '--help'/ })
})
