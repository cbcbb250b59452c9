/** How long a server that starts waits for its database. */
import { setTimeout } from 'node:timers/promises'

/** Milliseconds for each answer. */
const PATIENCE = 2_000

/** Waits for an answer of the database while a server starts, but not for long. A later answer is still used. */
export async function waitAtStart (answer: Promise<unknown>): Promise<void> {
  await Promise.race([answer, setTimeout(PATIENCE, undefined, { ref: false })])
}
