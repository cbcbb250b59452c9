/** The files of the explorer's page: their addresses, their headers, and the options of the plugin. */
import fs from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { crudExplorer, type ExplorerOptions } from '../../plugins/explorer.ts'
import { readBuiltPage } from '../../src/explorer/index.ts'
import { crudKit } from '../../src/index.ts'
import { Tag } from '../fixtures/entities.ts'
import { ormOf } from '../helpers/models.ts'
import { newServer } from '../helpers/server.ts'
import { resource } from '../http/helper.ts'
import { explored } from './nursery.ts'

const orm = ormOf()
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"

/** The address that the relative addresses of a page begin with. */
const baseOf = (html: string): string | undefined => /<head[^>]*><base href="([^"]*)">/.exec(html)?.[1]

/** The addresses of scripts and styles in a page. */
const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(([, address]) => address!)

/** Sets NODE_ENV until the test ends. */
function setNodeEnv (t: Test, value: string | undefined): void {
  const before = process.env['NODE_ENV']
  const set = (value: string | undefined): void => {
    if (value === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = value
  }
  set(value)
  t.teardown(() => set(before))
}

t.test('the page answers every path below the prefix, and its addresses are relative to the prefix', async (t) => {
  for (const prefix of ['/explorer', '/admin/api/explorer', '/explorer/']) {
    const app = await explored(t, orm, {}, { explorer: { prefix } })
    const root = prefix.replace(/\/$/, '')
    for (
      const place of ['', '/', '/plants', '/plants/', '/plants/1', '/plants?filter[name]=a/b', '/a/b/c/d', '/..%2f..']
    ) {
      const url = `${root}${place}`
      const { statusCode, headers, body } = await app.inject(url)
      t.equal(statusCode, 200, url)
      t.equal(headers['content-type'], 'text/html; charset=utf-8')
      const base = new URL(baseOf(body)!, `http://example.com${url}`)
      t.equal(base.pathname, `${root}/`, `${url} has the base ${baseOf(body)}`)
      const document = await app.inject(new URL('resources.json', base).pathname)
      t.equal(document.statusCode, 200)
      t.equal(new URL(document.json().root, base).pathname, '/')
      for (const asset of assetsOf(body)) t.equal((await app.inject(new URL(asset, base).pathname)).statusCode, 200)
    }
  }
})

t.test('the security headers of the page, its files and its document', async (t) => {
  const app = await explored(t, orm, { resources: { '/tags': resource(Tag) } })
  const { body } = await app.inject('/explorer/')
  t.notMatch(body, /<script(?![^>]*\ssrc=)|<style|\son\w+=|style=/, 'nothing is inline')
  t.notMatch(body, /(?:src|href)="(?:https?:)?\/\//, 'nothing is loaded from elsewhere')
  const urls = ['/explorer', '/explorer/', '/explorer/tags', '/explorer/resources.json', '/explorer/assets/absent.js']
  for (const url of [...urls, ...assetsOf(body).map((address) => new URL(address, 'http://a/explorer/').pathname)]) {
    for (const method of ['GET', 'HEAD'] as const) {
      const { headers } = await app.inject({ method, url })
      t.equal(headers['content-security-policy'],
        `${POLICY}; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`)
      t.match(headers, {
        'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin',
      }, `${method} ${url}`)
    }
  }
  t.notOk('content-security-policy' in (await app.inject('/tags')).headers, 'only the explorer has them')
})

t.test('files with a hash are kept for ever, and are sent compressed', async (t) => {
  const app = await explored(t, orm)
  const { body } = await app.inject('/explorer/')
  const assets = assetsOf(body)
  t.ok(assets.some((name) => name.endsWith('.js')))
  t.ok(assets.some((name) => name.endsWith('.css')))
  for (const asset of assets) {
    const url = new URL(asset, 'http://a/explorer/').pathname
    const plain = await app.inject(url)
    t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    t.equal(plain.headers['vary'], 'accept-encoding')
    t.equal(plain.headers['content-encoding'], undefined)
    t.equal(plain.headers['content-type'], `text/${asset.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`)
    const tags = new Set([plain.headers.etag])
    for (const [encoding, decode] of [['br', brotliDecompressSync], ['gzip', gunzipSync]] as const) {
      const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': `${encoding}, deflate` } })
      t.equal(headers['content-encoding'], encoding)
      t.ok(rawPayload.length < plain.rawPayload.length)
      t.ok(decode(rawPayload).equals(plain.rawPayload))
      tags.add(headers.etag)
    }
    t.equal(tags.size, 3, 'each form has its own entity tag')
    const all = await app.inject({ url, headers: { 'accept-encoding': 'gzip, deflate, br' } })
    t.equal(all.headers['content-encoding'], 'br')
    const none = await app.inject({ url, headers: { 'accept-encoding': 'br;q=0, gzip;q=0' } })
    t.equal(none.headers['content-encoding'], undefined)
  }
})

t.test('a client that has the page is answered with 304', async (t) => {
  const app = await explored(t, orm)
  const { body } = await app.inject('/explorer/')
  for (const url of [
    '/explorer', '/explorer/', '/explorer/a/b', new URL(assetsOf(body)[0]!, 'http://a/explorer/').pathname,
  ]) {
    const { headers: { etag, 'cache-control': cacheControl } } = await app.inject(url)
    if (url.endsWith('/')) t.equal(cacheControl, 'no-cache')
    for (const tag of [etag, `W/${String(etag)}`, `"other", ${String(etag)}`]) {
      const again = await app.inject({ url, headers: { 'if-none-match': String(tag) } })
      t.equal(again.statusCode, 304)
      t.equal(again.body, '')
      t.equal(again.headers.etag, etag)
    }
    t.equal((await app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode, 200)
  }
  const tags = await Promise.all(
    ['/explorer', '/explorer/', '/explorer/a/b'].map(async (url) => (await app.inject(url)).headers.etag)
  )
  t.equal(new Set(tags).size, 3, 'the pages differ in their base')
})

t.test('HEAD has the headers of GET and no body, even if the server has no HEAD routes', async (t) => {
  const app = await explored(t, orm, {}, { server: { exposeHeadRoutes: false } })
  for (const url of ['/explorer', '/explorer/plants', '/explorer/resources.json']) {
    const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })]
    t.equal(head.statusCode, 200)
    t.equal(head.body, '')
    t.equal(head.headers['content-length'], get.headers['content-length'])
  }
})

t.test('no path leads out of the folder of the page', async (t) => {
  const app = newServer(t)
  await app.register(crudExplorer, { prefix: '/explorer', enabled: true })
  const page = (await app.inject('/explorer/')).body.replace(/<base[^>]*>/, '')
  const paths = [
    '/explorer/../package.json', '/explorer/..%2f..%2fpackage.json', '/explorer/%2e%2e/%2e%2e/package.json',
    '/explorer/..%5c..%5cpackage.json', '/explorer/assets/..%2f..%2f..%2fpackage.json', '/explorer//etc/passwd',
    '/explorer/%00', '/explorer/index.html%00.js', '/explorer/__proto__', '/explorer/constructor', '/explorer/assets/',
    '/explorer/assets',
  ]
  for (const url of paths) {
    const { statusCode, body } = await app.inject(url)
    if (statusCode === 200) t.equal(body.replace(/<base[^>]*>/, ''), page, url)
    else t.equal(statusCode, 404, url)
  }
  t.equal((await app.inject('/explorer/assets/old-12345678.js')).statusCode, 404, 'a file of an older version')
  t.equal((await app.inject('/explorer/%zz')).statusCode, 400)
})

t.test('in production it is off, unless it is enabled', async (t) => {
  const statusOf = async (options: ExplorerOptions): Promise<number> => {
    const app = newServer(t)
    await app.register(crudExplorer, { prefix: '/explorer', ...options })
    await app.register(crudKit, { orm, resources: { '/tags': resource(Tag) } })
    t.equal((await app.inject('/explorer/resources.json')).statusCode, (await app.inject('/explorer')).statusCode)
    return (await app.inject('/explorer')).statusCode
  }
  setNodeEnv(t, 'production')
  t.equal(await statusOf({}), 404)
  t.equal(await statusOf({ enabled: true }), 200)
  setNodeEnv(t, 'development')
  t.equal(await statusOf({}), 200)
  t.equal(await statusOf({ enabled: false }), 404)
})

t.test('wrong options are refused, also in production', async (t) => {
  setNodeEnv(t, 'production')
  const refuse = async (options: object, message: RegExp): Promise<void> => {
    const app = newServer(t)
    await t.rejects(Promise.resolve(app.register(crudExplorer, options)), { code: 'FST_CRUD_CONFIG_INVALID', message })
  }
  await refuse({ prefix: '/explorer', enable: true }, /crudExplorer: .*'enable'.*Did you mean 'enabled'/)
  await refuse({ prefix: '/explorer', enabled: 'yes' }, /enabled/)
  await refuse({}, /needs a path of its own.*prefix: '\/explorer'/)
  await refuse({ prefix: '/' }, /needs a path of its own/)
  await refuse({ prefix: '/:tenant' }, /has a parameter/)
  await refuse({ prefix: '/explorer', docs: 'https://example.com' }, /docs/)
  await refuse({ prefix: '/explorer', headers: [{ name: 'x role' }] }, /headers/)
})

t.test('a page that has not been built is refused with the cure', async (t) => {
  t.throws(() => readBuiltPage(t.testdir()), { code: 'FST_CRUD_CONFIG_INVALID', message: /npm run build/ })
})

t.test('files that are not a part of a page are not read', async (t) => {
  const folder = t.testdir({
    'index.html': '<head></head>', 'notes.txt': 'secret', '.env': 'secret',
    assets: { 'index-ab12_-34.js': 'x', 'index-ab12_-34.js.map': '{}', 'plain.css': 'a {}' },
  })
  fs.symlinkSync(path.join(import.meta.dirname, 'page.test.ts'), path.join(folder, 'link.js'))
  const { files } = readBuiltPage(folder)
  t.strictSame([...files.keys()].sort(), ['assets/index-ab12_-34.js', 'assets/plain.css'])
  t.equal(files.get('assets/index-ab12_-34.js')!.immutable, true)
  t.equal(files.get('assets/plain.css')!.immutable, false)
})
