/** Synchronous sessions: a worker thread has the connection, and the main thread blocks until it answers. */
export { isConnected } from './open.ts'
export { openSync } from './open.ts'
export { serverStarted } from './sync-session.ts'
export { SyncEngine, SyncSession } from './sync-session.ts'
