/** Synchronous sessions: a worker thread has the connection, and the main thread blocks until it answers. */
export { isConnected, openSync } from './open.ts'
export { serverStarted, SyncEngine, SyncSession } from './sync-session.ts'
