/** All items of an iterator, such as the records of a stream. */
export async function collect<Item> (items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
