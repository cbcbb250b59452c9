/**
 * Tests that take long and seldom fail alone. `npm test` leaves them out, and `npm test -- --slow` runs them. `.ci/run`
 * does both. A file that is named runs anyway.
 */
export const SLOW: readonly string[] = [
  // the programs of pages, one after the other
  'test/authorization.test.ts',
  'test/documentation.test.ts',
  // two runtimes that are installed
  'test/client/deno-bun.test.ts',
  // the type checker over files that the command line writes
  'test/cli/init.test.ts',
  'test/cli/pulled-types.test.ts',
  // a server that fails in many ways
  'test/client/failures.test.ts',
  // the type checker over all pages, and over the whole package
  'test/documentation-types.test.ts',
  'test/reference.test.ts',
  // the type checker over samples, and over fifty resources
  'test/client/samples.test.ts',
  'test/client/types.test.ts',
  // the type checker over all declarations
  'test/declarations.test.ts',
  // databases that are away for seconds
  'test/http/database-down.test.ts',
  'test/http/outage.test.ts',
  // scopes of all kinds, for all operations
  'test/http/odd-scopes.test.ts',
  // servers of their own, with standbys
  'test/database/replicas.test.ts',
  // processes that wait for each other
  'test/database/sync-process.test.ts',
  // a database that is away for seconds
  'test/database/transaction-outages.test.ts',
  // npm installs the package in new projects
  'test/cli/init-installed.test.ts',
  'test/first-hour.test.ts',
  // a browser, and front ends that are built for it
  'test/example/admin.test.ts',
  'test/example/container.test.ts',
  'test/example/web.test.ts',
  'test/explorer/browser.test.ts',
  'test/explorer/narrow.test.ts',
  'test/explorer/phone.test.ts',
  'test/explorer/records.test.ts',
  'test/explorer/roles.test.ts',
  'test/explorer/states.test.ts',
  'test/explorer/unsaved.test.ts',
  'test/http/docs-page.test.ts',
  // every filter, sort, include and field of three servers
  'test/explorer/offers.test.ts',
  // a browser that writes, and scrolls through 10 000 rows
  'test/explorer/workshop.test.ts',
  // 100 000 records
  'test/example/seed.test.ts',
  // a copy of the source with a mistake, and a random test that finds it
  'test/scripts/mutate.test.ts',
  // a generated client, and the type checker
  'test/http/openapi-client.test.ts',
  'test/http/openapi-orval.test.ts',
  // hundreds of servers, one after the other
  'test/http/short-lived-servers.test.ts',
  // servers that are killed
  'test/http/writes/killed-writes.test.ts',
  // writes that get in each other's way
  'test/http/writes/repeats.test.ts',
  // random requests and conditions, thousands of them
  'test/http/nasty-query-strings.test.ts',
  'test/http/writes/random-bodies.test.ts',
  'test/model/random-requests.test.ts',
  'test/model/random-writes.test.ts',
  'test/sql/constant-conditions.test.ts',
  'test/sql/known-columns.test.ts',
  'test/sql/scopes.test.ts',
  // the package, built and packed
  'test/structure/bundle.test.ts',
  'test/structure/package.test.ts',
  // attacks on whole servers
  'test/security/broken-connections.test.ts',
  'test/security/deep-json.test.ts',
  'test/security/disclosure.test.ts',
  'test/security/injection.test.ts',
  'test/security/non-interference.test.ts',
  'test/security/planted-leaks.test.ts',
  'test/security/scopes.test.ts',
  'test/security/stream-limits.test.ts',
  'test/security/streams.test.ts',
  'test/security/unreadable-answers.test.ts',
]

/**
 * Slow tests that share a process. The first ones parse the same declarations, the next ones use one browser, and the
 * others load the same packages.
 */
export const SLOW_GROUPS: ReadonlyArray<readonly string[]> = [
  [
    'test/documentation-types.test.ts', 'test/client/types.test.ts', 'test/client/samples.test.ts',
    'test/cli/pulled-types.test.ts',
  ],
  ['test/explorer/browser.test.ts', 'test/explorer/narrow.test.ts', 'test/explorer/roles.test.ts'],
  ['test/explorer/records.test.ts', 'test/explorer/unsaved.test.ts', 'test/http/docs-page.test.ts'],
  ['test/model/random-requests.test.ts', 'test/model/random-writes.test.ts'],
  ['test/security/deep-json.test.ts', 'test/security/disclosure.test.ts', 'test/security/injection.test.ts'],
  [
    'test/security/non-interference.test.ts',
    'test/security/planted-leaks.test.ts',
    'test/security/scopes.test.ts',
    'test/http/odd-scopes.test.ts',
  ],
  [
    'test/http/nasty-query-strings.test.ts',
    'test/http/writes/random-bodies.test.ts',
    'test/http/writes/repeats.test.ts',
    'test/sql/constant-conditions.test.ts',
    'test/sql/known-columns.test.ts',
    'test/sql/scopes.test.ts',
    'test/explorer/offers.test.ts',
  ],
]
