// npm test. Plain JavaScript, and two steps: the first explains itself to a Node that can't run the second.
await import('./node-version.mjs')
await import('./run-tests.ts')
