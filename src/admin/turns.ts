/** Sends several requests, but not all of them at once. */

/** Number of requests that are sent at the same time. */
const AT_ONCE = 4

/** Calls `work` for each item, and returns the results in the same order. */
export async function inTurns<Item, Result> (
  items: readonly Item[],
  work: (item: Item) => Promise<Result>
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, takeTurns))
  return results
}
