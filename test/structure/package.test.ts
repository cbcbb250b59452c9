/** The package that npm publishes: what it contains, and what its page on npm shows. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'

const root = path.join(import.meta.dirname, '../..')
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly repository: { readonly url: string },
  readonly homepage: string,
  readonly bugs: string,
}

interface Pack {
  readonly files: ReadonlyArray<{ readonly path: string }>
}

t.test('it contains sources, documentation and the changelog, and nothing else', async (t) => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as [Pack]
  const paths = files.map((file) => file.path)
  for (const needed of [
    'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'src/index.ts', 'plugins/crud-kit.ts',
    'docs/README.md', 'docs/start/getting-started.md', 'docs/query-language/filters.md',
    'docs/coming-from/nestjs-paginate.md',
  ]) t.ok(paths.includes(needed), needed)
  const allowed = /^(?:dist|src|plugins|docs)\/|^(?:package\.json|README\.md|CHANGELOG\.md|LICENSE|SECURITY\.md)$/
  t.strictSame(paths.filter((file) => !allowed.test(file)), [])
  t.strictSame(paths.filter((file) => /node_modules|\.vitepress|\.test\.|\.tsx?buildinfo|\.env|\.log$/.test(file)), [])
  // pages and their pictures; the site is built from the repository
  t.strictSame(paths.filter((file) => /^docs\//.test(file) && !/\.(?:md|svg|png)$/.test(file)), [])
})

t.test('its page on npm leads to the repository', async (t) => {
  const repository = 'https://github.com/fastify-crud-kit/fastify-crud-kit'
  t.equal(manifest.repository.url, `git+${repository}.git`)
  t.equal(manifest.homepage, `${repository}#readme`)
  t.equal(manifest.bugs, `${repository}/issues`)
})
