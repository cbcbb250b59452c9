/** Private members of other packages are used in src/borrowed only. */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { BORROWED } from '../../src/borrowed/check-borrowed.ts'

const root = path.join(import.meta.dirname, '../..')

/** For names that other members have as well. By default, a member is searched after a dot and in destructuring. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  // query builders have a public method with this name
  'EntityManager.applyFilters': /\bem\.applyFilters\b/,
  'Error.No arguments provided for filter': /No arguments provided for filter/,
  'EntityManager.constructor': /extends Base\b[^]*\bsuper\(config/,
  'DatabaseDriver.connection': /\b(?:driver|getDriver\(\))\.connection\b/,
  'DatabaseDriver.replicas': /\b(?:driver|getDriver\(\))\.replicas\b/,
  'AbstractSqlConnection.config': /\bconnection\.config\b/,
  'AbstractSqlConnection.options': /\bconnection\.options\b/,
  'AbstractSqlConnection.execute': /\.execute = /,
  'AbstractSqlConnection.stream': /\.stream = /,
  'AbstractSqlConnection.commit': /\.commit = /,
  'AbstractSqlConnection.rollback': /\.rollback = /,
  'QueryBuilder.clone': /\.clone = /,
  'QueryBuilder.state': /\bqb\.state\b|\baliasCounter\b/,
  'QueryBuilder.helper': /\bqb\.helper\b/,
  'Transaction.index': /\bindex: \{ value/,
  'Transaction.savepointName': /\.savepointName\b/,
  'WrappedEntity.__primaryKeys': /\bwrap\([^)]*, true\)/,
  'DatabaseConnection.executeQuery': /\.executeQuery = /,
  'DatabaseConnection.cancelQuery': /\.cancelQuery\b/,
  'PostgresConnection.client.query': /sql: probe\b/,
  'ControlledTransaction.savepoint': /\.savepoint = /,
  'ControlledTransaction.rollbackToSavepoint': /\.rollbackToSavepoint = /,
  'ControlledTransaction.releaseSavepoint': /\.releaseSavepoint = /,
  'Pool.Client': /\bnew Client\(|\bpool\.Client\b/,
  'Pool.connect': /\.connect = /,
  'PoolClient.release': /\.release = /,
  'Client.host': /\bclient\.host\b/,
  'Client.port': /\bclient\.port\b/,
  'Client.ssl': /\bclient\.ssl\b/,
  'Client.sslNegotiation': /\bclient\.sslNegotiation\b/,
  'Client.unref': /\bclient[^\n]*\.unref\(/,
  'Client.connection': /\bclient\b[^\n]*\.connection\b/,
  'Client.readyForQuery': /\breadyForQuery\b/,
  'Connection.stream': /\.connection\.stream\b/,
  'Connection.close': /\.connection\.close\b/,
  'Connection.readyForQuery': /'readyForQuery'/,
  // a query object must have this member, because pg calls it
  'Query.handleDataRow': /\.handleDataRow\b/,
  'pg/lib/utils.js.prepareValue': /pg\/lib\//,
  // symbols are found by their descriptions
  'FastifyInstance.fastify.schemaController': /'fastify\.schemaController'/,
  'FastifyInstance.fastify.options': /'fastify\.options'/,
  'FastifyInstance.fastify.schemaErrorFormatter': /'fastify\.schemaErrorFormatter'/,
  'FastifyInstance.fastify.contentTypeParser': /'fastify\.contentTypeParser'/,
}

/** How to reach members that the types do not declare. */
const CASTS = /\b(?:em|client|pool|connection|driver|transaction|fork) as unknown as \{/

/** The borrowed members that a file uses. */
function usedIn (text: string): string[] {
  // comments may name borrowed members, and functions of src/borrowed may have the same names
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*$|^import [^']*/gm, '')
  const used = BORROWED.map(({ of, name }) => [`${of}.${name}`, name] as const)
    .filter(([key, name]) => (PATTERNS[key] ?? new RegExp(`\\.${name}\\b|[{,] ?${name}[ ,}]`)).test(code))
    .map(([key]) => key)
  return CASTS.test(code) ? [...used, 'a member that types hide'] : used
}

t.test('only files of src/borrowed use a borrowed member', (t) => {
  const files = fs.globSync(['src/**/*.ts', 'plugins/**/*.ts'], { cwd: root })
    .filter((name) => !name.startsWith(path.join('src', 'borrowed')))
  t.ok(files.length > 100)
  for (const name of files.sort()) {
    const used = usedIn(fs.readFileSync(path.join(root, name), 'utf8'))
    t.strictSame(used, [], `${name} uses ${used.join(', ')}: use a function of src/borrowed, or add one`)
  }
  t.end()
})

t.test('uses of a member are found', (t) => {
  for (const [code, used] of [
    ['for (const client of pool._clients) cut(client)', ['Pool._clients']],
    ['const { _activeQuery } = client', ['Client._activeQuery']],
    ['QueryHelper.processWhere({ where })', ['QueryHelper.processWhere']],
    ["message.startsWith('No arguments provided for filter')", ['Error.No arguments provided for filter']],
    ["partOf(instance, 'fastify.options')", ['FastifyInstance.fastify.options']],
    ['em.getContext(false)', ['EntityManager.getContext']],
    ['pool.connect = guarded', ['Pool.connect']],
    ["import { utils } from 'pg'\nrequire('pg/lib/utils.js')", ['pg/lib/utils.js.prepareValue']],
    ['(em as unknown as { signal?: AbortSignal }).signal', ['a member that types hide']],
    ["/* em.getContext() */\nimport { logQuery } from '../borrowed/mikro-orm.ts'\nlogQuery(connection, text)", []],
  ] as const) t.strictSame(usedIn(code), used, code)
  t.end()
})

t.test('each pattern is for a borrowed member', (t) => {
  const members = new Set(BORROWED.map(({ of, name }) => `${of}.${name}`))
  t.strictSame(Object.keys(PATTERNS).filter((key) => !members.has(key)), [])
  t.end()
})
