/**
 * Tests that take long and seldom fail alone. `npm test` leaves them out, and `npm test -- --slow` runs them. `.ci/run`
 * does both. A file that is named runs anyway.
 */
export const SLOW: readonly string[] = [
  // the type checker over fifty resources
  'test/client/types.test.ts',
  // a database that is away for seconds
  'test/database/transaction-outages.test.ts',
  // 100 000 records
  'test/example/seed.test.ts',
  // a browser, and front ends that are built for it
  'test/example/admin.test.ts',
  'test/example/web.test.ts',
  'test/http/docs-page.test.ts',
  // clients that read slowly
  'test/security/streams.test.ts',
]
