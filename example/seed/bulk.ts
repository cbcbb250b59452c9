import type { EntityManager } from '@mikro-orm/postgresql'

/** Number of categories of each statement, small enough for a smooth progress bar. */
const BATCH = 2_000
const PRODUCTS_EACH = 5

/**
 * Adds `count` generated categories with five products each. The server generates the rows, which takes seconds;
 * sending half a million rows would take minutes.
 *
 * @param onProgress called after each batch with the number of categories added so far
 */
export async function fill (
  em: EntityManager,
  count: number,
  onProgress: (done: number) => void = () => {}
): Promise<void> {
  for (let done = 0; done < count;) {
    const size = Math.min(BATCH, count - done)
    await em.execute(INSERT, [done + 1, done + size, PRODUCTS_EACH])
    done += size
    onProgress(done)
  }
  await em.execute('analyze categories')
  await em.execute('analyze products')
}

/** A single statement, so that an interrupted run leaves no category without its products. */
const INSERT = `
  with made as (
    insert into categories (name, description, price, status, created_at, updated_at)
    select
      (array['Tech', 'Books', 'Kitchen', 'Garden', 'Sports', 'Music', 'Toys', 'Office'])[1 + n % 8] || ' ' || n,
      'Made-up category number ' || n,
      (n * 7919 % 100000) / 100.0,
      (array['draft', 'active', 'active', 'archived'])[1 + n % 4],
      timestamptz '2020-01-01 00:00:00Z' + n * interval '17 minutes',
      timestamptz '2020-01-01 00:00:00Z' + n * interval '17 minutes'
    from generate_series(?::int, ?::int) as n
    returning id, name, price, created_at
  )
  insert into products (name, description, price, stock, category_id, created_at, updated_at)
  select made.name || ', product ' || m, 'Made-up product', made.price + m, m * 10, made.id,
    made.created_at, made.created_at
  from made, generate_series(1, ?::int) as m`
