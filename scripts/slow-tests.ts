/**
 * Tests that take long and seldom fail alone, as lists of those that share a process. The longest ones start first, so
 * that all processors are busy until the end.
 */
export const SLOW_GROUPS: ReadonlyArray<readonly string[]> = [
  // every state of a page, in a browser
  ['test/explorer/states.test.ts'],
  // the programs of pages, one after the other
  ['test/documentation.test.ts'],
  // a browser that writes, and every operation of a document
  ['test/explorer/records.test.ts', 'test/explorer/unsaved.test.ts', 'test/http/docs-page.test.ts'],
  // npm installs the package in new projects
  ['test/first-hour.test.ts'],
  // the type checker over all pages, over samples, over fifty resources, and over files that the command line writes:
  // they parse the same declarations
  [
    'test/documentation-types.test.ts', 'test/client/types.test.ts', 'test/client/samples.test.ts',
    'test/cli/pulled-types.test.ts',
  ],
  // attacks by random requests, and scopes of all kinds, for all operations
  [
    'test/security/non-interference.test.ts', 'test/security/planted-leaks.test.ts', 'test/security/scopes.test.ts',
    'test/http/odd-scopes.test.ts',
  ],
  // npm installs the package once more
  ['test/cli/init-installed.test.ts'],
  // a browser
  [
    'test/explorer/browser.test.ts', 'test/explorer/grid.test.ts', 'test/explorer/narrow.test.ts',
    'test/explorer/roles.test.ts',
  ],
  ['test/explorer/phone.test.ts'],
  // streams that are read slowly
  ['test/security/streams.test.ts'],
  // a browser that writes, and scrolls through 10 000 rows
  ['test/explorer/workshop.test.ts'],
  // random requests and conditions, thousands of them, writes that get in each other's way, and every filter, sort,
  // include and field of three servers
  [
    'test/http/nasty-query-strings.test.ts', 'test/http/writes/random-bodies.test.ts',
    'test/http/writes/repeats.test.ts', 'test/sql/constant-conditions.test.ts', 'test/sql/known-columns.test.ts',
    'test/sql/scopes.test.ts', 'test/explorer/offers.test.ts',
  ],
  // the programs of pages
  ['test/authorization.test.ts'],
  // attacks on whole servers
  ['test/security/deep-json.test.ts', 'test/security/disclosure.test.ts', 'test/security/injection.test.ts'],
  // the type checker over files that the command line writes
  ['test/cli/init.test.ts'],
  // a generated client, and the type checker
  ['test/http/openapi-orval.test.ts'],
  // the type checker over all declarations
  ['test/declarations.test.ts'],
  // a database that is away for seconds
  ['test/database/transaction-outages.test.ts'],
  // 100 000 records
  ['test/example/seed.test.ts'],
  // random requests, compared with a model
  ['test/model/random-requests.test.ts', 'test/model/random-writes.test.ts'],
  // servers that are killed
  ['test/http/writes/killed-writes.test.ts'],
  // a generated client, and the type checker
  ['test/http/openapi-client.test.ts'],
  // a copy of the source with a mistake, and a random test that finds it
  ['test/scripts/mutate.test.ts'],
  // a database that is away for seconds
  ['test/http/database-down.test.ts'],
  // processes that wait for each other
  ['test/database/sync-process.test.ts'],
  // servers of their own, with standbys
  ['test/database/replicas.test.ts'],
  // front ends that are built for a browser
  ['test/example/container.test.ts'],
  ['test/example/web.test.ts'],
  ['test/example/admin.test.ts'],
  // a database that is away for seconds
  ['test/http/outage.test.ts'],
  // hundreds of servers, one after the other
  ['test/http/short-lived-servers.test.ts'],
  // two runtimes that are installed
  ['test/client/deno-bun.test.ts'],
  // a server that fails in many ways
  ['test/client/failures.test.ts'],
  // attacks on whole servers
  ['test/security/stream-limits.test.ts'],
  ['test/security/unreadable-answers.test.ts'],
  // the type checker over the whole package
  ['test/reference.test.ts'],
  // the package, built and packed
  ['test/structure/bundle.test.ts'],
  // attacks on whole servers
  ['test/security/broken-connections.test.ts'],
  // the package, built and packed
  ['test/structure/package.test.ts'],
]

/**
 * `npm test` leaves them out, and `npm test -- --slow` runs them. `.ci/run` does both. A file that is named runs
 * anyway.
 */
export const SLOW: readonly string[] = SLOW_GROUPS.flat()
