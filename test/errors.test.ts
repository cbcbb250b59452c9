import t from 'tap'
import * as errors from '../src/base/errors.ts'
import {
  ConfigError, ConflictError, FilterValidationError, NotFoundError, queryError, QUERY_CODES, RequestValidationError,
  SortValidationError, UnavailableError, type ErrorItem, type QueryCode,
} from '../src/base/errors.ts'

const CATALOGUE: ReadonlyArray<readonly [name: keyof typeof errors, code: string, statusCode: number]> = [
  ['FilterValidationError', 'FST_CRUD_FILTER_INVALID', 400],
  ['SortValidationError', 'FST_CRUD_SORT_INVALID', 400],
  ['FieldValidationError', 'FST_CRUD_FIELD_INVALID', 400],
  ['IncludeValidationError', 'FST_CRUD_INCLUDE_INVALID', 400],
  ['PaginationValidationError', 'FST_CRUD_PAGINATION_INVALID', 400],
  ['QueryValidationError', 'FST_CRUD_QUERY_INVALID', 400],
  ['TooLargeError', 'FST_CRUD_TOO_LARGE', 400],
  ['RequestValidationError', 'FST_ERR_VALIDATION', 400],
  ['DataValidationError', 'FST_CRUD_DATA_INVALID', 400],
  ['TooManyError', 'FST_CRUD_TOO_MANY', 400],
  ['OutOfScopeError', 'FST_CRUD_OUT_OF_SCOPE', 403],
  ['ForbiddenError', 'FST_CRUD_FORBIDDEN', 403],
  ['NotFoundError', 'FST_CRUD_NOT_FOUND', 404],
  ['ConflictError', 'FST_CRUD_CONFLICT', 409],
  ['PreconditionFailedError', 'FST_CRUD_PRECONDITION_FAILED', 412],
  ['PreconditionRequiredError', 'FST_CRUD_PRECONDITION_REQUIRED', 428],
  ['IdempotencyKeyError', 'FST_CRUD_IDEMPOTENCY_KEY_INVALID', 400],
  ['IdempotencyRunningError', 'FST_CRUD_IDEMPOTENCY_RUNNING', 409],
  ['IdempotencyMismatchError', 'FST_CRUD_IDEMPOTENCY_MISMATCH', 422],
  ['UnavailableError', 'FST_CRUD_UNAVAILABLE', 503],
  ['UnsupportedMediaTypeError', 'FST_ERR_CTP_INVALID_MEDIA_TYPE', 415],
  ['OutcomeUnknownError', 'FST_CRUD_OUTCOME_UNKNOWN', 503],
  ['AbortedError', 'FST_CRUD_ABORTED', 499],
  ['DatabaseError', 'FST_CRUD_DATABASE_ERROR', 500],
  ['ScopeError', 'FST_CRUD_SCOPE_INVALID', 500],
  ['ReadOnlyViolationError', 'FST_CRUD_READ_ONLY', 500],
  ['ConfigError', 'FST_CRUD_CONFIG_INVALID', 500],
]

const item = (code: QueryCode, detail: string, parameter?: string): ErrorItem & { code: QueryCode } => ({
  ...(parameter !== undefined && { source: { parameter } }), code, detail,
})

t.test('every class has its code and status, and no class is missing', async (t) => {
  const classes = Object.entries(errors).filter(([name]) => name.endsWith('Error') && name !== 'queryError').map((
    [name]
  ) => name)
  t.strictSame(classes.sort(), CATALOGUE.map(([name]) => name).sort())
  for (const [name, code, statusCode] of CATALOGUE) {
    const Class = errors[name] as any
    const error = (name.endsWith('ValidationError') && name !== 'DataValidationError') || name === 'TooLargeError'
      ? new Class([{ code, detail: 'x' }])
      : new Class(name === 'ConfigError' ? 'x' : undefined)
    t.strictSame([error.code, error.statusCode, error instanceof Error, error instanceof Class], [
      code, statusCode, true, true,
    ], name)
    t.type(error.message, 'string')
  }
  t.equal(new Set(CATALOGUE.map(([, code]) => code)).size, CATALOGUE.length)
})

t.test('an error is an instance of its own class only', async (t) => {
  t.notOk(new NotFoundError() instanceof ConflictError)
  t.notOk(new ConflictError() instanceof NotFoundError)
  t.notOk(new ConfigError('x') instanceof FilterValidationError)
})

t.test('a failure has its own or a given sentence, a cause and items', async (t) => {
  const plain = new NotFoundError()
  t.match(plain, { message: 'The record was not found.', detail: 'The record was not found.' })
  t.strictSame(plain.errors, [{ code: 'FST_CRUD_NOT_FOUND', detail: 'The record was not found.' }])
  t.notOk('cause' in plain)
  const cause = new Error('secret')
  const given = new ConflictError('Taken.', {
    cause,
    errors: [{ source: { pointer: '/name' }, code: 'FST_CRUD_CONFLICT', detail: 'Taken.' }],
  })
  t.equal(given.message, 'Taken.')
  t.match(given.errors, [{ source: { pointer: '/name' } }])
  t.equal((given as { cause?: unknown }).cause, cause)
  t.notMatch(JSON.stringify(given), 'secret', 'a cause is not written to anybody')
  t.equal(new ConflictError('100% of %s and %d').message, '100% of %s and %d', 'a sentence is no format')
  t.strictSame({ ...new UnavailableError().headers }, { 'retry-after': '1' })
})

t.test('a refusal lists its mistakes, up to a readable length', async (t) => {
  const details = (count: number) =>
    Array.from({ length: count }, (_, index) => item('FST_CRUD_FILTER_INVALID', `Sentence ${index}.`, 'filter[x]'))
  t.equal(new FilterValidationError(details(1)).message, 'Sentence 0.')
  t.equal(new FilterValidationError(details(5)).message, 'Sentence 0. Sentence 1. Sentence 2. Sentence 3. Sentence 4.')
  const many = new FilterValidationError(details(8))
  t.equal(many.message, 'Sentence 0. Sentence 1. Sentence 2. Sentence 3. Sentence 4. (3 more)')
  t.strictSame([many.detail, many.errors.length], [many.message, 8])
  t.equal(new FilterValidationError([item('FST_CRUD_FILTER_INVALID', 'A value of 100%s is not %d.')]).message,
    'A value of 100%s is not %d.')
})

t.test('at most 20 errors are listed, and one more item says how many are left out', async (t) => {
  const items = (count: number) =>
    Array.from({ length: count }, (_, index) => item('FST_CRUD_SORT_INVALID', `Sentence ${index}.`, 'sort'))
  t.strictSame(new SortValidationError(items(20)).errors, items(20))
  t.strictSame(new SortValidationError(items(21)).errors, [...items(20), {
    code: 'FST_CRUD_SORT_INVALID',
    detail: 'And 1 more error.',
  }])
  const many = new RequestValidationError(items(20), { count: 200_000 })
  t.strictSame(many.errors, [...items(20), { code: 'FST_ERR_VALIDATION', detail: 'And 199980 more errors.' }])
  t.match(many.message, /^Sentence 0\. .* Sentence 4\. \(199995 more\)$/)
  t.match(queryError(items(3), 30).errors.at(-1), { detail: 'And 27 more errors.' })
})

t.test('a sentence with "this" names its subject, and one about a record of a list names the record', async (t) => {
  const inList = (pointer: string): string =>
    new RequestValidationError([{ source: { pointer }, code: 'x', detail: "'price' is odd." }]).message
  t.equal(inList('/price'), "'price' is odd.")
  t.equal(inList('/298/price'), "/298/price: 'price' is odd.")
  t.equal(inList('/7'), "/7: 'price' is odd.")
  t.equal(new FilterValidationError([item('FST_CRUD_FILTER_INVALID', 'This filter is odd.', 'filter[x]')]).message,
    'filter[x]: This filter is odd.')
  t.equal(new FilterValidationError([{ source: { pointer: '/name' }, code: 'x', detail: 'This is odd.' }]).message,
    '/name: This is odd.')
  t.equal(new FilterValidationError([item('FST_CRUD_FILTER_INVALID', 'This is odd.')]).message, 'This is odd.')
})

t.test('errors of several kinds are one error of the first kind by rank, with all items by kind', async (t) => {
  const items = QUERY_CODES.toReversed().flatMap((code) => [item(code, `${code} a.`), item(code, `${code} b.`)])
  for (let kept = 1; kept <= QUERY_CODES.length; kept++) {
    const error = queryError(items.slice(0, kept * 2))
    t.equal(error.code, QUERY_CODES.at(-kept))
    t.strictSame(error.errors.map(({ code }) => code), QUERY_CODES.slice(-kept).flatMap((code) => [code, code]))
    t.match(error.errors[0]?.detail, / a\.$/, 'in the order of the request within a kind')
  }
  t.strictSame(QUERY_CODES,
    ['FILTER', 'SORT', 'FIELD', 'INCLUDE', 'PAGINATION', 'QUERY'].map((kind) => `FST_CRUD_${kind}_INVALID`))
  t.throws(() => queryError([]), TypeError)
})
