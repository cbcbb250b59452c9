/** The options of each method, and the error for others. A misspelt filter that is left out would match all records. */
import { PAGINATION } from './query-string.ts'

const SHOWN = ['include', 'fields', 'fieldsByInclude', 'signal']
const CHOSEN = ['filter', 'sort', ...SHOWN]
const PAGES = [...CHOSEN, 'per_page', 'cursor']
const CREATE = ['signal', 'idempotencyKey']
const WRITE = ['ifMatch', ...CREATE]

const OPTIONS = {
  list: [...CHOSEN, ...PAGINATION],
  pages: PAGES,
  each: PAGES,
  stream: CHOSEN,
  url: CHOSEN,
  get: SHOWN,
  create: CREATE,
  update: WRITE,
  delete: ['hard', ...WRITE],
  restore: WRITE,
} as const satisfies Readonly<Record<string, readonly string[]>>

/**
 * Checks the names of a method's options.
 *
 * @throws {TypeError} for an unknown name; it says which one is nearest, and which exist
 */
export function checkNames (method: keyof typeof OPTIONS, given: object = {}): void {
  const known: readonly string[] = OPTIONS[method]
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const near = known.find((other) => distance(name, other) < 3)
    throw new TypeError(
      `${method}: there is no option '${name}'.${near === undefined ? '' : ` Did you mean '${near}'?`} ` +
        `Allowed: ${known.join(', ')}.`
    )
  }
}

/** The number of letters to insert, delete or replace, apart from upper and lower case. */
function distance (one: string, other: string): number {
  let row = Array.from(other + ' ', (_, index) => index)
  for (const [at, letter] of [...one.toLowerCase()].entries()) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index++) {
      const same = row[index]! + Number(other[index]!.toLowerCase() !== letter)
      next.push(Math.min(same, row[index + 1]! + 1, next[index]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}
