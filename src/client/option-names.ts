/** The options of each method, and the error for others. A misspelt filter that is left out would match all records. */
import { PAGINATION } from './query-string.ts'

const SHOWN = ['include', 'fields', 'fieldsByInclude', 'signal']
const CHOSEN = ['filter', 'sort', ...SHOWN]
const PAGES = [...CHOSEN, 'per_page', 'cursor']
const CREATE = ['signal', 'idempotencyKey']
const WRITE = ['ifMatch', ...CREATE]
const MANY = ['dryRun', ...CREATE]

const OPTIONS = {
  list: [...CHOSEN, ...PAGINATION],
  pages: PAGES,
  each: PAGES,
  stream: CHOSEN,
  url: CHOSEN,
  get: SHOWN,
  create: CREATE,
  upsert: ['on', ...WRITE],
  update: WRITE,
  updateMany: MANY,
  delete: ['hard', ...WRITE],
  deleteMany: ['hard', ...MANY],
  restore: WRITE,
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of a method, in the messages of errors. `create` is also that of `createMany`. */
export type MethodName = keyof typeof OPTIONS

/**
 * Checks the names of a method's options.
 *
 * @param known the names that exist. Default: those of the method's last argument
 * @throws {TypeError} for an unknown name; it says which one is nearest, and which exist
 */
export function checkNames (
  method: MethodName,
  given: object = {},
  known: readonly string[] = OPTIONS[method]
): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const near = known.find((other) => distance(name, other) < 3)
    throw new TypeError(
      `${method}: there is no option '${name}'.${near === undefined ? '' : ` Did you mean '${near}'?`} ` +
        `Allowed: ${known.join(', ')}.`
    )
  }
}

/** The number of letters that only one of two names has. */
const distance = (one: string, other: string): number => missing(one, other) + missing(other, one)

const missing = (name: string, other: string): number =>
  [...name.toLowerCase()].filter((letter) => !other.toLowerCase().includes(letter)).length
