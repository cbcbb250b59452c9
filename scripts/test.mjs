// npm test, in plain JavaScript and two steps: the first one explains the problem on a Node version that can't run the
// second.
await import('./node-version.mjs')
await import('./run-tests.ts')
