import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'

/** Runs files in one process, as `npm test` does. Returns its exit status and its output. */
async function runFiles (t: Test, sources: Readonly<Record<string, string>>) {
  const folder = t.testdir(sources)
  const files = Object.keys(sources).map((name) => ({ name, url: pathToFileURL(path.join(folder, name)).href }))
  const runner = new URL('../../scripts/run-in-turn.ts', import.meta.url).href
  const program = `import { runInTurn } from '${runner}'\nawait runInTurn(${JSON.stringify(files)})`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>,
  ])
  return { status, output, errors }
}

t.test('a file that takes long to load still runs after a file with a teardown', async (t) => {
  const { status, output } = await runFiles(t, {
    'first.mjs': "import t from 'tap'\nt.teardown(() => console.log('# closed'))\nt.pass('of the first file')\n",
    'second.mjs': "import t from 'tap'\nawait new Promise((resolve) => setTimeout(resolve, 100))\n" +
      "t.test('the second', async (t) => t.pass('of the second file'))\n",
  })
  t.match(output, 'of the first file')
  t.match(output, /ok 1 - of the second file/)
  t.match(output, /# closed/)
  t.equal(status, 0)
})

t.test('a process that ends before the last file has run fails, and says which file it ran', async (t) => {
  const { status, output, errors } = await runFiles(t, {
    'first.mjs': "import t from 'tap'\nt.pass('of the first file')\n",
    'stuck.mjs': 'await new Promise(() => {})\n',
    'last.mjs': "import t from 'tap'\nt.pass('of the last file')\n",
  })
  t.notMatch(output, 'of the last file')
  t.match(errors, 'The process ended while it ran stuck.mjs.')
  t.not(status, 0)
})

t.test('a test that fails fails the process', async (t) => {
  const { status, output } = await runFiles(t, { 'wrong.mjs': "import t from 'tap'\nt.fail('of the file')\n" })
  t.match(output, /not ok 1 - of the file/)
  t.equal(status, 1)
})
