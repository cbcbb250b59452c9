/** Closed servers, and schemas that are not used any more, leave nothing behind. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

t.test('closed servers leave no statements in the database and no objects in memory, nor do schemas', async (t) => {
  const script = fileURLToPath(new URL('short-lived-servers-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script])
  const { prepared, servers, resources, schemas } = JSON.parse(stdout) as Record<string, number>
  t.equal(prepared, 0)
  // the last ones may still be on the stack of their caller
  t.ok(servers! <= 2, `${servers} servers are left`)
  t.ok(resources! <= 2, `${resources} resources are left`)
  t.ok(schemas! <= 2, `models of ${schemas} schemas are left, beside those that are kept`)
})
