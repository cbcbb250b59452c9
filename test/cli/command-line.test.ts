/** The command line: help, wrong use, exit codes, and a process without a terminal. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { COMMANDS } from '../../src/cli/commands.ts'
import { writeNewFiles } from '../../src/cli/write-files.ts'
import { runCommand } from '../helpers/command-line.ts'

const main = path.resolve(import.meta.dirname, '../../src/cli/main.ts')

t.test('wrong use is told in a sentence, with exit code 2', async (t) => {
  const cases = [
    { args: ['pul'], err: "There is no command 'pul'. Did you mean 'pull'?\n" },
    { args: ['frobnicate'], err: `There is no command 'frobnicate'. Commands: ${[...COMMANDS.keys()].join(', ')}.\n` },
    { args: ['--url', 'x'], err: /^The command comes first, and '--url' is none\. Commands: / },
    { args: ['pull', '--ulr', 'x'], err: "pull: there is no option '--ulr'. Did you mean '--url'?\n" },
    { args: ['pull', '--frobnicate'], err: /^pull: there is no option '--frobnicate'\. See .* pull --help\.\n$/ },
    { args: ['pull', '-x'], err: /^pull: there is no option '-x'\. See / },
    { args: ['pull', '--url'], err: /^pull: '--url' needs a value, such as --url postgresql:\/\/\.\.\. See / },
    { args: ['pull', '--url='], err: /^pull: '--url' needs a value/ },
    { args: ['pull', '--print=yes'], err: /^pull: '--print' takes no value\. See / },
    { args: ['pull', '--url', 'x', '--url', 'y'], err: /^pull: '--url' is given twice\. See / },
    { args: ['pull', 'orders'], err: /^pull: the argument 'orders' is one too many\. See / },
    {
      args: ['pull', 'postgresql://me:pa55word@db/x'],
      err: "pull: the argument 'postgresql://...' is one too many. Did you mean '--url'?\n",
    },
    { args: ['postgresql://me:pa55word@db/x'], err: /^There is no command 'postgresql:\/\/\.\.\.'\. Commands: / },
    {
      args: ['--url=postgresql://me:pa55word@db/x'],
      err: /^The command comes first, and '--url=postgresql:\/\/\.\.\.' /,
    },
    {
      args: ['pull'],
      err: /^pull: '--url postgresql:\/\/\.\.\.' is missing, and so is the variable DATABASE_URL\.\n$/,
    },
  ]
  for (const { args, err } of cases) {
    t.match(await runCommand(args, '.'), { code: 2, out: '', err }, args.join(' '))
  }
})

t.test('a URL of another form is a wrong argument', async (t) => {
  for (const [args, env, err] of [
    [['pull', '--url', 'mysql://localhost/x'], {}, /^pull: --url has the scheme 'mysql:', .*postgresql:\/\//],
    [['init', 'x', '--url', 'postgres:/localhost'], {}, /^init: --url is not a URL\./],
    [['pull'], { DATABASE_URL: 'x' }, /^pull: DATABASE_URL is not a URL\./],
  ] as const) {
    t.match(await runCommand([...args], '.', env), { code: 2, err })
  }
})

t.test('a failure is one sentence, with exit code 1, and without the password', async (t) => {
  const { code, err } = await runCommand(['pull', '--url', 'postgresql://me:pa55word@127.0.0.1:1/none'], '.')
  t.equal(code, 1)
  t.equal(err.trim().split('\n').length, 1)
  t.notMatch(err, 'pa55word')
  const folder = path.join(import.meta.filename, 'folder')
  t.match(await runCommand(['init', folder], '.'), { code: 1, err: /^Cannot write .*: not a directory\.\n$/ })
  if (fs.existsSync('/proc/self')) {
    t.match(await runCommand(['init', '/proc/a/b'], '.'), { code: 1, err: /^Cannot write \/proc\/a\/b\/.*\.\n$/ })
  }
})

t.test('all files are written, or none', async (t) => {
  const folder = t.testdir({ a: 'a file', c: 'mine' })
  const file = (path: string) => ({ path, text: path })
  t.throws(() => writeNewFiles(folder, [file('b/b/b'), file('c'), file('d'), file('a/a')]), {
    message: /^Cannot write/,
  })
  t.strictSame(fs.readdirSync(folder).sort(), ['a', 'c'])
  t.strictSame(writeNewFiles(folder, [file('b/b/b'), file('c')]).map(({ before }) => before), [undefined, 'mine'])
  t.equal(fs.readFileSync(path.join(folder, 'b/b/b'), 'utf8'), 'b/b/b')
})

t.test('help lists the commands, and the options of a command', async (t) => {
  t.match(await runCommand([], '.'), { code: 2, out: /^Usage: / })
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { code, out } = await runCommand(args, '.')
    t.equal(code, 0)
    for (const [name, { summary }] of COMMANDS) t.ok(out.replaceAll(/ +/g, ' ').includes(` ${name} ${summary}\n`), name)
  }
  for (const [name, { options }] of COMMANDS) {
    for (const args of [[name, '--help'], [name, 'x', '--frobnicate', '-h'], ['help', name]]) {
      const { code, out } = await runCommand(args, '.')
      t.equal(code, 0)
      for (const [option, { help }] of Object.entries(options)) {
        t.ok(out.split('\n').some((line) => line.includes(`  --${option}`) && line.endsWith(help)), option)
      }
    }
  }
})

t.test('the process ends with the exit code, and has no colours without a terminal', async (t) => {
  const { code, stderr } = await new Promise<{ code: unknown, stderr: string }>((resolve) => {
    execFile(process.execPath, [main, 'chekc'], { env: { ...process.env, FORCE_COLOR: '1' } },
      (error, _, stderr) => resolve({ code: error?.code, stderr }))
  })
  t.equal(code, 2)
  t.equal(stderr.includes('\u001b'), false)
  t.match(stderr, "There is no command 'chekc'")
})
