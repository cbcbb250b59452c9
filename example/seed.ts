/**
 * npm run seed -- --categories 100000: adds the catalogue, if the database is empty, and the given number of generated
 * categories, with a progress bar. If the example's database is the folder, stop the example first: PGlite serves one
 * process at a time.
 */
import { parseArgs } from 'node:util'
import { exampleDatabase } from './database.ts'
import { Category } from './entities/index.ts'
import { fill } from './seed/bulk.ts'
import { seed } from './seed/catalogue.ts'
import { progressBar } from './seed/progress-bar.ts'

function readCount (args: string[]): number {
  const { values } = parseArgs({ args, options: { categories: { type: 'string', default: '0' } } })
  if (!/^\d{1,7}$/.test(values.categories)) {
    throw new Error(
      `--categories takes a whole number of at most 7 digits, got '${values.categories}': ` +
        'npm run seed -- --categories 1000'
    )
  }
  return Number(values.categories)
}

async function main (): Promise<void> {
  const count = readCount(process.argv.slice(2))
  const database = exampleDatabase()
  try {
    const engine = await database.getEngine()
    const session = database.getSessionMaker(engine)
    if (await session().count(Category) === 0) await seed(session())
    if (count > 0) await fill(session(), count, progressBar(count))
    console.log(`${(await session().count(Category)).toLocaleString('en')} categories`)
  } finally {
    await database.close()
  }
}

await main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
