/** Closed servers leave nothing behind on a database that outlives them. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

t.test('closed servers leave neither statements in the database, nor servers and resources in memory', async (t) => {
  const script = fileURLToPath(new URL('short-lived-servers-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script])
  const { prepared, servers, resources } = JSON.parse(stdout) as Record<string, number>
  t.equal(prepared, 0)
  // the last ones may still be on the stack of their caller
  t.ok(servers! <= 2, `${servers} servers are left`)
  t.ok(resources! <= 2, `${resources} resources are left`)
})
