/**
 * Tests that take long and seldom fail alone. `npm test` leaves them out, and `npm test -- --slow` runs them. `.ci/run`
 * does both. A file that is named runs anyway.
 */
export const SLOW: readonly string[] = [
  // the programs of a page, one after the other
  'test/authorization.test.ts',
  // the type checker over fifty resources
  'test/client/types.test.ts',
  // processes that wait for each other
  'test/database/sync-process.test.ts',
  // a database that is away for seconds
  'test/database/transaction-outages.test.ts',
  // 100 000 records
  'test/example/seed.test.ts',
  // hundreds of servers, one after the other
  'test/http/short-lived-servers.test.ts',
  // random requests, thousands of them
  'test/http/nasty-query-strings.test.ts',
  'test/http/random-includes.test.ts',
  'test/http/writes/random-bodies.test.ts',
  // a generated client, and the type checker
  'test/http/openapi-client.test.ts',
  // a browser, and front ends that are built for it
  'test/example/admin.test.ts',
  'test/example/web.test.ts',
  'test/http/docs-page.test.ts',
  // clients that read slowly
  'test/security/streams.test.ts',
]
