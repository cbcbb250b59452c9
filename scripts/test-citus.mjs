// npm run test:citus: the tests of a distributed server, one file after the other, because they share its nodes.
if (!process.env.CITUS_URL) {
  console.error(
    'CITUS_URL is not set. It is the URL of a database on the coordinator of a Citus cluster, of a role that may ' +
      'create databases on all nodes.'
  )
  process.exit(1)
}
process.argv.push('--jobs=1', 'test/citus')
await import('./test.mjs')
