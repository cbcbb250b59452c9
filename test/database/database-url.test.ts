import path from 'node:path'
import t from 'tap'
import { parseDatabaseUrl } from '../../src/database/database-url.ts'

const refused = (message: RegExp | string) => ({ code: 'FST_CRUD_CONFIG_INVALID', message })

t.test('postgresql:// and postgres:// are PostgreSQL', async (t) => {
  for (const scheme of ['postgresql', 'postgres', 'POSTGRES']) {
    t.match(parseDatabaseUrl(`${scheme}://ada:s3cret@db.example:6543/shop`), {
      driver: 'postgresql', database: 'shop', label: 'postgresql://db.example:6543/shop',
      connection: { host: 'db.example', port: '6543', user: 'ada', password: 's3cret' },
    })
  }
})

t.test('parameters are kept, so that encryption stays required', async (t) => {
  const target = parseDatabaseUrl('postgresql://db/shop?sslmode=no-verify&application_name=kit')
  t.match(target, { connection: { ssl: { rejectUnauthorized: false }, application_name: 'kit' } })
  t.notMatch(target, { connection: { database: /./ } })
})

t.test('a password is percent-decoded, and a socket folder is a host', async (t) => {
  t.match(parseDatabaseUrl('postgresql://ada:p%40ss%2Fword@db/shop'), { connection: { password: 'p@ss/word' } })
  t.match(parseDatabaseUrl('postgresql:///shop?host=/var/run/postgresql'), {
    database: 'shop',
    connection: { host: '/var/run/postgresql' },
  })
})

t.test('pglite:// is a relative or absolute folder, or memory', async (t) => {
  t.strictSame(parseDatabaseUrl('pglite://.data/shop'), {
    driver: 'pglite', folder: path.resolve('.data/shop'), label: 'pglite://.data/shop',
  })
  t.match(parseDatabaseUrl('pglite:///var/lib/shop'), { folder: path.resolve('/var/lib/shop') })
  t.match(parseDatabaseUrl('pglite://./memory'), { folder: path.resolve('memory') })
  t.equal(parseDatabaseUrl('pglite://memory').driver === 'pglite' && 'folder' in parseDatabaseUrl('pglite://memory'),
    true)
  t.strictSame(parseDatabaseUrl('pglite://memory'), { driver: 'pglite', folder: undefined, label: 'pglite://memory' })
})

t.test('other URLs are refused with the supported ones', async (t) => {
  t.throws(() => parseDatabaseUrl('mysql://root:s3cret@db/shop'),
    refused(/scheme 'mysql:', which is not supported.*postgresql:\/\/.*pglite:\/\/folder.*pglite:\/\/memory/))
  t.throws(() => parseDatabaseUrl('shop.db'), refused(/is not a URL/))
  t.throws(() => parseDatabaseUrl('pglite://'), refused(/names no folder/))
  t.throws(() => parseDatabaseUrl('postgresql://db'), refused(/names no database/))
  t.throws(() => parseDatabaseUrl('postgresql://db/'), refused(/names no database/))
  t.throws(() => parseDatabaseUrl('postgresql://ada:pa/ss@db:port/shop'), refused(/can't be read/))
  t.throws(() => parseDatabaseUrl('pglite://:memory:'), refused(/is pglite:\/\/memory/))
  t.throws(() => parseDatabaseUrl('postgresql://a,b/shop'), refused(/several hosts/))
})

t.test('a misspelt URL gets a suggestion', async (t) => {
  for (const [url, message] of [
    ['postgress://db/shop', /Did you mean 'postgresql:'\?|Did you mean 'postgres:'\?/],
    ['pg-lite://data', /Did you mean 'pglite:'\?/],
    ['postgresql://db/shop?sslmod=require', /a parameter 'sslmod' that has no effect here. Did you mean 'sslmode'\?/],
    ['postgresql://db/shop?sslmode=requre', /sslmode must be one of disable, .* Did you mean 'require'\?/],
    ['postgresql://db/shop?ssl=yes', /ssl must be one of true, false/],
    ['postgresql://db/shop?target_session_attrs=read-write',
      /a parameter 'target_session_attrs' that has no effect here/],
    ['postgresql://db/shop?statement_timeout=5s', /statement_timeout must be a whole number/],
    ['postgresql://db/shop?port=x', /port must be a whole number/],
    ['postgresql://db/shop?client_encoding=LATIN1', /client_encoding must be one of UTF8, utf8/],
    ['postgresql://db/sh%00op', /databaseUrl holds a NUL character/],
    ['pglite://da\0ta', /databaseUrl holds a NUL character/],
    ['pglite://memory?x=1',
      /databaseUrl has the parameter 'x', and PGlite takes none. Write pglite:\/\/folder or pglite:\/\/memory/],
    ['pglite://data/shop?application_name=kit&x', /the parameters 'application_name', 'x', and PGlite takes none/],
    ['pglite://data/what?', /databaseUrl has a '\?', and PGlite takes no parameters/],
    ['postgresql://db/shop?sslmode=require&sslmode=disable', /the parameter 'sslmode' twice/],
    ['postgresql://db/shop?sslmode=verify-full&sslrootcert=/no/such/ca.pem',
      /a certificate or key that databaseUrl names can't be read: ENOENT.*\/no\/such\/ca.pem/],
  ] as const) t.throws(() => parseDatabaseUrl(url), refused(message), url)
})

t.test('a password with unencoded characters does not lead to another database', async (t) => {
  for (const url of [
    'postgresql://ada:12/ss@db/shop', 'postgresql://ada:12?ss@db/shop', 'postgresql://ada:12#ss@db/shop',
    'postgresql://ada:p@ss/word@db/shop', 'postgresql://db/shop#x', 'postgresql://db/shop/more',
  ]) {
    t.throws(() => parseDatabaseUrl(url), refused(/can't be read: .*%40 %3A %2F %23 %3F/), url)
  }
})

t.test('timeouts, the schema and channel binding of the URL are applied', async (t) => {
  t.match(parseDatabaseUrl('postgresql://db/shop?connect_timeout=3&schema=sales'), {
    connectionTimeoutMillis: 3000, schema: 'sales', connection: { host: 'db' },
  })
  t.notMatch(parseDatabaseUrl('postgresql://db/shop?connect_timeout=3'), { connection: { connect_timeout: /./ } })
  t.match(parseDatabaseUrl('postgresql://db/shop?sslmode=require&channel_binding=require'), {
    connection: { enableChannelBinding: true, ssl: {} },
  })
  t.match(parseDatabaseUrl('postgresql://[::1]:5432/shop'), {
    label: 'postgresql://[::1]:5432/shop',
    connection: { host: '::1' },
  })
})

t.test('no message contains a password', async (t) => {
  for (const url of [
    'mysql://root:s3cret@db/shop', 'postgresql://ada:s3cret@db', 'postgresql://ada:s3cret#@db:x/shop',
    'postgresql://ada:s3cret@db:99999999/shop', 'ada:s3cret@db/shop', 'postgresql://ada:1/s3cret@db/shop',
    'postgresql://ada:1?s3cret@db/shop', 'postgresql://ada:1?s3cret=@db/shop', 'postgresql://ada:1#s3cret@db/shop',
    'postgresql://ada:s3cret%zz@db:5x/shop', 'postgres:ada:s3cret@db/shop',
    'postgresql://db/shop?password=s3cret&prot=1',
  ]) {
    try {
      t.notMatch(parseDatabaseUrl(url).label, /s3cret/)
    } catch (error) {
      t.notMatch((error as Error).message, /s3cret/, url)
    }
  }
})
