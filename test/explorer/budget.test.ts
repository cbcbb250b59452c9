/** The size of the explorer's page. */
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const folder = path.join(import.meta.dirname, '../../dist/explorer')

const gzipped = (ending: string): number =>
  fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .reduce((sum, name) => sum + gzipSync(fs.readFileSync(path.join(folder, name)), { level: 9 }).length, 0)

t.test('the page has at most 60 KiB of JavaScript, and 12 KiB of styles, gzipped', async (t) => {
  const scripts = gzipped('.js')
  t.ok(scripts > 0 && scripts <= 60 * 1024, `${scripts} bytes of JavaScript`)
  const styles = gzipped('.css')
  t.ok(styles > 0 && styles <= 12 * 1024, `${styles} bytes of styles`)
})

t.test('it is made of a page, an icon, files with a hash in their names, and the license of Preact', async (t) => {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.(br|gz)$/.test(name) && name !== 'assets')
  for (const name of names) t.match(name, /^(index\.html|icon\.svg|LICENSE-preact|assets\/[\w.-]+-[\w-]{8}\.(js|css))$/)
  t.match(fs.readFileSync(path.join(folder, 'LICENSE-preact'), 'utf8'), /MIT License[^]*Jason Miller/)
})
