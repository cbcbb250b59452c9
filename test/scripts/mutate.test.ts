/** `npm run mutate` finds a mistake, so it can be trusted when it says that one is not found. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import t from 'tap'

// it copies the source, prepares a database and runs a random test
t.setTimeout(300_000)

const script = path.join(import.meta.dirname, '../../scripts/mutate.ts')

t.test('a mistake in the source is found by the random tests', async (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '`lte` leaves out what is equal'], {
    encoding: 'utf8',
  })
  t.match(stdout, /^found \(\d+ s\): `lte` leaves out what is equal\n1 of 1 found\n$/, stderr)
  t.equal(status, 0)
})
