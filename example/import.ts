/**
 * npm run import -- example/seed/products.csv: reads products from a CSV file. A product with the same SKU is changed,
 * others are added, so that the same file can be read again. If the example's database is the folder, stop the example
 * first: PGlite serves one process at a time.
 */
import fs from 'node:fs'
import { parse } from 'csv-parse/sync'
import { withTransaction } from '../src/index.ts' // in an application: 'fastify-crud-kit'
import { exampleDatabase } from './database.ts'
import { Category } from './entities/index.ts'
import { ProductCrud } from './resources/products.ts'
import { seed } from './seed/catalogue.ts'

/** A line of the file. The names in its first line may have any order. */
interface Line {
  readonly sku: string
  readonly name: string
  readonly price: string
  readonly stock: string
  /** The name of a category. */
  readonly category: string
}

/** The number of products in one upsert. */
const BATCH = 100

async function importProducts (file: string | undefined): Promise<void> {
  if (file === undefined) throw new Error('Name a CSV file: npm run import -- example/seed/products.csv')
  const lines = parse<Line>(fs.readFileSync(file), { columns: true, bom: true })
  const database = exampleDatabase()
  try {
    const session = database.getSessionMaker(await database.getEngine())
    if (await session().count(Category) === 0) await seed(session())
    const categories = await session().find(Category, { name: { $in: lines.map(({ category }) => category) } })
    const ids = new Map(categories.map(({ name, id }) => [name, id]))
    const records = lines.map(({ sku, name, price, stock, category }, index) => {
      const id = ids.get(category)
      if (id === undefined) throw new Error(`Line ${index + 2}: there is no category '${category}'.`)
      return { sku, name, price: Number(price), stock: Number(stock), category: id }
    })
    const products = new ProductCrud()
    const created = await withTransaction(session(), async (em) => {
      let count = 0
      // one transaction: a mistake in a line undoes the whole file
      for (let start = 0; start < records.length; start += BATCH) {
        const results = await products.upsert(em, records.slice(start, start + BATCH), { on: 'sku' })
        count += results.filter(({ created }) => created).length
      }
      return count
    })
    console.log(`${created} products added, ${records.length - created} changed`)
  } finally {
    await database.close()
  }
}

await importProducts(process.argv[2]).catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
