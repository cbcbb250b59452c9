/** `npm run fuzz`: the files and seeds that it runs, and its report of a failure. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { fuzzFiles } from '../../scripts/fuzz-files.ts'
import { fuzz, type FuzzOptions } from '../../scripts/fuzz-rounds.ts'

const root = path.join(import.meta.dirname, '../..')

t.test('only files that draw examples are found', async (t) => {
  const files = fuzzFiles()
  for (const file of [
    'test/query/properties.test.ts', 'test/sql/sql-injection.test.ts', 'test/security/disclosure.test.ts',
    'test/security/injection.test.ts',
  ]) t.ok(files.includes(file), file)
  for (
    const file of ['test/errors.test.ts', 'test/http/routes.test.ts', 'test/structure/property-seeds.test.ts']
  ) t.notOk(files.includes(file), file)
  t.ok(files.every((file) => fs.existsSync(path.join(root, file))))
})

/** A test file whose property fails with seed 8 only. It records its settings. */
const FILE = (helper: string, notes: string): string => `
  import fc from ${JSON.stringify(pathToFileURL(path.join(root, 'node_modules/fast-check/lib/fast-check.js')).href)}
  import fs from 'node:fs'
  import { assertProperty } from ${JSON.stringify(helper)}
  let runs = 0
  assertProperty(fc.property(fc.integer(), () => { runs++ }), { numRuns: 10 })
  fs.appendFileSync(${JSON.stringify(notes)}, process.env.FUZZ_SEED + ' ' + runs + ';')
  assertProperty(fc.property(fc.integer(), () => process.env.FUZZ_SEED !== '8'))`

t.test('fuzz runs in rounds', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fuzz-test-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'a.ts')
  const notes = path.join(folder, 'notes')
  fs.writeFileSync(file, FILE(pathToFileURL(path.join(root, 'test/helpers/property.ts')).href, notes))
  const run = async (options: Partial<FuzzOptions>) => {
    fs.writeFileSync(notes, '')
    const lines: string[] = []
    const result = await fuzz(
      {
        files: [file], seed: 1, rounds: 1, env: process.env, until: new AbortController().signal, kill: true,
        parallel: 1, log: (line) => lines.push(line), ...options,
      }
    )
    return { ...result, notes: fs.readFileSync(notes, 'utf8'), text: lines.join('\n') }
  }

  t.test('each round has the next seed, and more examples', async (t) => {
    t.match(await run({ seed: 3, rounds: 3 }), { runs: 3, failures: [], notes: '3 10;4 20;5 40;' })
    t.match(await run({ seed: 3, rounds: 2, factor: 3 }), { runs: 2, failures: [], notes: '3 30;4 30;' })
  })

  t.test('after a failure nothing else starts, and the report says how to repeat it', async (t) => {
    const command = `npm run fuzz -- --seed 8 --factor 2 --rounds 1 ${file}`
    const { failures, runs, text } = await run({ seed: 7, rounds: 9 })
    t.strictSame({ failures, runs }, { failures: [{ file, seed: 8, factor: 2, command }], runs: 2 })
    t.match(text, /NOT OK .* seed 8/)
    t.match(text, /Property failed after 1 tests/)
    t.ok(text.endsWith(`repeat it: ${command}`))
    t.match(await run({ seed: 8, factor: 2 }), { failures: [{ seed: 8 }], runs: 1 })
  })

  t.test('a file that is running at the time limit is not a failure', async (t) => {
    fs.writeFileSync(file,
      `import fs from 'node:fs'\nfs.writeFileSync(${JSON.stringify(notes)}, 'started')\nsetInterval(() => {}, 1000)`)
    const stop = new AbortController()
    fs.writeFileSync(notes, '')
    const watcher = fs.watch(notes, () => {
      if (fs.readFileSync(notes, 'utf8') === 'started') stop.abort()
    })
    t.teardown(() => watcher.close())
    t.match(
      await fuzz(
        {
          files: [file], seed: 1, rounds: 5, env: process.env, until: stop.signal, kill: true, parallel: 1,
          log: () => {},
        }
      ),
      { runs: 0, failures: [] }
    )
  })
})
