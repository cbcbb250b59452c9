/** The options of each method, and the error for others. A misspelt filter that is left out would match all records. */
import { PAGINATION, PLACES } from './query-string.ts'

const SHOWN = ['include', 'fields', 'fieldsByInclude', 'signal']
const CHOSEN = ['filter', 'sort', ...SHOWN]
const PAGES = [...CHOSEN, 'per_page', 'cursor']
const CREATE = ['signal', 'idempotencyKey']
const WRITE = ['ifMatch', ...CREATE]
const MANY = ['dryRun', ...CREATE]

const OPTIONS = {
  list: [...CHOSEN, 'facets', ...PAGINATION],
  aggregate: ['filter', 'group', 'aggregate', 'sort', ...PLACES, 'signal'],
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
 * @throws {TypeError} for an unknown name; it says which exist
 */
export function checkNames (
  method: MethodName,
  given: object = {},
  known: readonly string[] = OPTIONS[method]
): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`${method}: there is no option '${unknown}'. Allowed: ${known.join(', ')}.`)
  }
}
