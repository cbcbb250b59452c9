/**
 * Reads and writes on synchronous sessions (`useAsync: false`), which return values. They use the pure steps of
 * `src/read` and `src/write` (plan, compile, read rows, shape answers), and run the statements between them on a worker
 * thread, while the calling thread waits. They refuse hooks and filters that return promises, and writes that need
 * MikroORM's unit of work.
 */
export { callSync } from './find-rows.ts'
export { countSync, existsSync, getSync, listSync } from './read.ts'
export { createManySync, createSync, deleteSync, restoreSync, updateSync } from './write.ts'
