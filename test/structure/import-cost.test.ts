/** The cost of importing the package: packages and parts of Node.js that few applications need are loaded on demand. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const index = new URL('../../src/index.ts', import.meta.url).href
/**
 * Prints the URLs of the modules that the package loads in addition to Fastify and MikroORM, and whether it loads the
 * client of HTTP that Node.js contains, which takes a tenth of the time of the import.
 */
const script = `
  import { registerHooks } from 'node:module'
  await import('fastify')
  await import('@mikro-orm/postgresql')
  const loaded = []
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
  await import(${JSON.stringify(index)})
  const hasClient = process.moduleLoadList.some((name) => name.includes('undici'))
  console.log(JSON.stringify({ loaded, hasClient }))`

t.test('the import does not load packages that are seldom needed', async (t) => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const { loaded, hasClient } = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd, encoding: 'utf8' })
  ) as { readonly loaded: readonly string[], readonly hasClient: boolean }
  t.ok(loaded.includes(index))
  const packages = new Set(
    loaded.filter((url) => url.includes('/node_modules/')).map((url) =>
      /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)![1]
    )
  )
  t.strictSame([...packages].sort(), [
    '@fastify/error', '@sinclair/typebox', 'fastify-plugin', 'leven', 'lru-cache', 'pg-connection-string',
    'pg-protocol',
  ])
  t.strictSame(
    loaded.filter((url) => /typebox\/build\/esm\/(compiler|value\/index)|\/src\/http\/(docs|streams)\//.test(url)),
    [],
    'nor parts of our own'
  )
  t.notOk(hasClient, 'nor the client of HTTP')
})
