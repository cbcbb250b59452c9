/** Checks that the database matches what the clients were told, and returns sentences that describe the differences. */
import type { Client } from 'pg'
import type { Fate, Ledger, ProductState } from './ledger.ts'

/** Compares the number of rows that a request has made with the number that it may have made. */
function complaint (what: string, rows: number, complete: number, fate: Fate): string | undefined {
  const possible = { acknowledged: [complete], refused: [0], unknown: [0, complete] }[fate]
  return possible.includes(rows) ? undefined : `${what} was ${fate} and has ${rows} of ${complete} rows`
}

async function countsBy (client: Client, table: string): Promise<Map<string, number>> {
  const { rows } = await client.query<{ marker: string, count: number }>(
    `select marker, count(*)::int as count from ${table} group by marker`
  )
  return new Map(rows.map(({ marker, count }) => [marker, count]))
}

/** Acknowledged writes must exist once, and refused ones must not. Others may exist once. */
async function checkRows (client: Client, { products, transfers }: Ledger): Promise<(string | undefined)[]> {
  const [productRows, transferRows] = [await countsBy(client, 'product'), await countsBy(client, 'transfer')]
  const strangers = [...productRows.keys()].filter((marker) => marker !== 'shared' && !products.has(marker)).concat(
    [...transferRows.keys()].filter((marker) => !transfers.has(marker))
  )
  return [
    ...[...products].map(
      ([marker, { rows, fate }]) => complaint(`the creation of ${marker}`, productRows.get(marker) ?? 0, rows, fate)
    ),
    ...[...transfers].map(
      ([marker, fate]) => complaint(`the transfer ${marker}`, transferRows.get(marker) ?? 0, 1, fate)
    ),
    ...strangers.map((marker) => `no request has created ${marker}`),
  ]
}

/** Products must have the state in which their client has left them. */
async function checkStates (client: Client, { states }: Ledger): Promise<(string | undefined)[]> {
  const { rows } = await client.query<{ id: number, stock: number, version: number, deleted: boolean }>(
    'select id, stock, version, deleted_at is not null as deleted from product where id = any($1)',
    [[...states.keys()]]
  )
  const found = new Map<number, ProductState>(rows.map(({ id, ...state }) => [id, state]))
  const same = (
    one: ProductState,
    other: ProductState | undefined
  ): boolean => one.stock === other?.stock && one.version === other.version && one.deleted === other.deleted
  return [...states].map(
    ([id, possible]) =>
      possible.some(
        (state) => same(state, found.get(id))
      )
        ? undefined
        : `product ${id} is ${JSON.stringify(found.get(id))} and should be ${JSON.stringify(possible)}`
  )
}

/** Increments of shared products must be neither lost nor counted twice. */
async function checkIncrements (client: Client, { increments }: Ledger): Promise<(string | undefined)[]> {
  const { rows } = await client.query<{ id: number, stock: number, version: number }>(
    "select id, stock, version from product where marker = 'shared'"
  )
  return rows.map(({ id, stock, version }) => {
    const { acknowledged, unknown } = increments.get(id) ?? { acknowledged: 0, unknown: 0 }
    if (version !== stock + 1) return `product ${id} has the stock ${stock} and the version ${version}`
    if (stock >= acknowledged && stock <= acknowledged + unknown) return undefined
    return `product ${id} has the stock ${stock} after ${acknowledged} increments and ${unknown} unknown ones`
  })
}

/** An account's balance must match its transfers, i.e. no transaction was done in part. */
async function checkBalances (client: Client): Promise<(string | undefined)[]> {
  const { rows } = await client.query<{ id: number, balance: number, expected: number }>(`
    select id, balance, (
      1000 + coalesce((select sum(amount) from transfer where to_id = account.id), 0) - coalesce(
        (select sum(amount) from transfer where from_id = account.id), 0
      )
    )::int as expected from account`)
  return rows.map(({ id, balance, expected }) => {
    return balance === expected ? undefined : `account ${id} has ${balance}, and its transfers say ${expected}`
  })
}

export async function checkData (client: Client, ledger: Ledger): Promise<string[]> {
  const complaints = [
    await checkRows(client, ledger),
    await checkStates(client, ledger),
    await checkIncrements(client, ledger),
    await checkBalances(client),
  ]
  return complaints.flat().filter((sentence) => sentence !== undefined)
}

/** Sessions of the tested server that run a statement or have an open transaction. */
export async function busySessions (client: Client): Promise<string[]> {
  const { rows } = await client.query<{ state: string, query: string }>(
    "select state, query from pg_stat_activity where application_name = 'soak' and state <> 'idle'"
  )
  return rows.map(({ state, query }) => `${state}: ${query.slice(0, 200)}`)
}
