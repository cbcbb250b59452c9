/** The size that the client adds to an application's page. */
import { gzipSync } from 'node:zlib'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { bundle } from '../helpers/bundle.ts'

const LIMIT = 4 * 1024
const root = path.resolve(import.meta.dirname, '../..')

t.test('the client is small, and contains nothing else', async (t) => {
  const { text, modules } = await bundle('src/client/index.ts')
  const size = gzipSync(text, { level: 9 }).length
  t.ok(size > 1000 && size <= LIMIT, `${size} bytes, minified and gzipped`)
  t.ok(modules.includes('src/client/create-client.ts'))
  t.strictSame(modules.filter((name) => !name.startsWith('src/client/')), [])
})

t.test('a bundle with server code is noticed', async (t) => {
  const { modules } = await bundle('src/query/parse.ts').catch((error: Error) => ({ modules: [error.message] }))
  t.match(modules.join(), /node:buffer|src\/query\//)
})

for (const name of ['react-admin', 'refine']) {
  t.test(`the data provider of ${name} contains the client, and no other package`, async (t) => {
    const { text, modules } = await bundle(`src/admin/${name}/index.ts`)
    const size = gzipSync(text, { level: 9 }).length
    t.ok(size > 1000 && size <= 7 * 1024, `${size} bytes, minified and gzipped`)
    t.ok(modules.includes(`src/admin/${name}/${name}-provider.ts`))
    t.strictSame(modules.filter((name) => !/^src\/(admin|client)\//.test(name)), [])
  })
}

t.test('the subpaths lead to built files, types first', async (t) => {
  const { exports, files } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  t.ok(files.includes('dist'))
  const config = ts.getParsedCommandLineOfConfigFile(path.join(root, 'tsconfig.build.json'), {}, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => {},
  })!
  const sources: Readonly<Record<string, string>> = {
    './client': 'src/client/index.ts',
    './explorer': 'plugins/explorer.ts',
    './react-admin': 'src/admin/react-admin/index.ts',
    './refine': 'src/admin/refine/index.ts',
    './tanstack-query': 'src/client/tanstack-query.ts',
  }
  t.strictSame(Object.keys(exports).sort(), ['.', './package.json', ...Object.keys(sources)].sort())
  for (const [subpath, source] of Object.entries(sources)) {
    t.strictSame(Object.keys(exports[subpath]), ['types', 'default'], subpath)
    const built = ts.getOutputFileNames(config, path.join(root, source), false).map((name) =>
      `./${path.relative(root, name).replaceAll(path.sep, '/')}`
    )
    for (const file of Object.values(exports[subpath])) t.ok(built.includes(file as string), file as string)
  }
})
