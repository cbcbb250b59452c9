import {
  DriverException, OptimisticLockError, MetadataError, UniqueConstraintViolationException, ValidationError, p,
} from '@mikro-orm/core'
import t from 'tap'
import {
  AbortedError, ConflictError, DatabaseError, DataValidationError, OutcomeUnknownError, PreconditionFailedError,
  ReadOnlyViolationError, UnavailableError, type RequestError,
} from '../../../src/base/errors.ts'
import { convertError, isDriverError } from '../../../src/run/index.ts'
import { Plant, Shelf, Supplier } from '../../fixtures/entities.ts'
import { entity } from '../../helpers/entity.ts'
import { modelsOf } from '../../helpers/models.ts'

/** An error as thrown by pg or PGlite. */
const serverError = (code: string, more: object = {}) =>
  Object.assign(new Error('select secret from "secret_table"'), { code, severity: 'ERROR', ...more })
/** An error of Citus about its nodes. */
const citusError = (message: string, code = 'XX000') => Object.assign(new Error(message), { code, severity: 'ERROR' })
const nodeError = (code: string) =>
  Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code, syscall: 'connect' })
const named = (name: string) => Object.assign(new Error('secret'), { name })

const cases: ReadonlyArray<
  readonly [what: string, error: unknown, expected: abstract new(...args: any[]) => Error, statusCode: number]
> = [
  ['unique violation', serverError('23505'), ConflictError, 409],
  ['foreign key violation', serverError('23503'), ConflictError, 409],
  ['foreign key that restricts, since PostgreSQL 18', serverError('23001'), ConflictError, 409],
  ['integrity violation of a trigger', serverError('23000'), ConflictError, 409],
  ['exclusion violation', serverError('23P01'), ConflictError, 409],
  ['not null violation', serverError('23502'), DataValidationError, 400],
  ['check violation', serverError('23514'), DataValidationError, 400],
  ['text too long', serverError('22001'), DataValidationError, 400],
  ['number out of range', serverError('22003'), DataValidationError, 400],
  ['datetime out of range', serverError('22008'), DataValidationError, 400],
  ['division by zero', serverError('22012'), DatabaseError, 500],
  ['logarithm of zero', serverError('2201E'), DatabaseError, 500],
  ['invalid text', serverError('22P02'), DataValidationError, 400],
  ['a value with an error of syntax', serverError('42601'), DataValidationError, 400],
  ['a part of a value that is too long', serverError('42622'), DataValidationError, 400],
  ['one in a statement', serverError('42601', { position: '8', file: 'tsvector_parser.c' }), DataValidationError, 400],
  ['an error of syntax of unknown origin', serverError('42601', { position: '8' }), DatabaseError, 500],
  ['one in a function', serverError('42601', { internalPosition: '8', where: 'x' }), DatabaseError, 500],
  ['a mistake in a function', serverError('42601', { where: 'PL/pgSQL function f() line 1' }), DatabaseError, 500],
  ['NUL in a text', serverError('22021'), DataValidationError, 400],
  ['statement timeout', serverError('57014'), UnavailableError, 503],
  ['server shutting down', serverError('57P01', { severity: 'FATAL' }), UnavailableError, 503],
  ['server starting up', serverError('57P03', { severity: 'FATAL' }), UnavailableError, 503],
  ['too many connections', serverError('53300', { severity: 'FATAL' }), UnavailableError, 503],
  ['out of memory', serverError('53200'), UnavailableError, 503],
  ['connection failure', serverError('08006'), UnavailableError, 503],
  ['a value with the bytes of another type', serverError('08P01'), DatabaseError, 500],
  ['a pooler that waited too long', serverError('08P01', { severity: 'FATAL' }), UnavailableError, 503],
  ['a node that Citus lost', citusError('failure on connection marked as essential: db:1'), UnavailableError, 503],
  ...[
    'SSL SYSCALL error: EOF detected\ninvalid socket',
    'SSL connection has been closed unexpectedly',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'could not receive data from server: Connection reset by peer',
    'could not send data to server: Broken pipe',
    'no connection to the server',
    'connection not open',
    'SSL error: decryption failed or bad record mac',
    'lost synchronization with server: got message type "D", length 1',
    'could not connect to any active placements',
    'could not find any healthy placement for shard 1',
    'execution cannot recover from multiple connection failures. Last node failed 127.0.0.1:9711',
    'cannot connect to 127.0.0.1:9711 to fetch intermediate results',
    'failed to read result "3_1" from node 127.0.0.1:9711',
    "failed to prepare transaction 'citus_0_1' on host 127.0.0.1:9711",
    'postmaster was shut down, exiting',
    'terminating connection due to administrator command',
    'the database system is shutting down',
  ].map((message) => [`a node that is lost: ${message}`, citusError(message), UnavailableError, 503] as const),
  ...['failed to COPY to shard 102097 on 127.0.0.1:9711', 'failed to complete COPY on 127.0.0.1:9711'].map((message) =>
    [`rows that a lost node does not take: ${message}`, citusError(message, '58030'), UnavailableError, 503] as const
  ),
  ['a file that the server cannot read', serverError('58030'), DatabaseError, 500],
  [
    'a commit that a node has not confirmed',
    citusError('could not commit transaction for shard 1 on at least one active node'), OutcomeUnknownError, 503,
  ],
  ['an internal error about something else', citusError('could not find shard 1'), DatabaseError, 500],
  ['wrong password', serverError('28P01', { severity: 'FATAL' }), UnavailableError, 503],
  ['no such database', serverError('3D000', { severity: 'FATAL' }), UnavailableError, 503],
  ['serialization failure', serverError('40001'), UnavailableError, 503],
  ['deadlock', serverError('40P01'), UnavailableError, 503],
  ['an end of the connection of any kind', serverError('XX000', { severity: 'FATAL' }), UnavailableError, 503],
  ['write in a read-only transaction', serverError('25006'), ReadOnlyViolationError, 500],
  ['undefined table', serverError('42P01'), DatabaseError, 500],
  ['undefined column', serverError('42703'), DatabaseError, 500],
  ['syntax error', serverError('42601', { position: '8', file: 'scan.l' }), DatabaseError, 500],
  ['two statements in one', serverError('42601', { file: 'postgres.c' }), DatabaseError, 500],
  ['insufficient privilege', serverError('42501'), DatabaseError, 500],
  ['internal error', serverError('XX000'), DatabaseError, 500],
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'].map((
    code
  ) => [code, nodeError(code), UnavailableError, 503] as const),
  ['pg: connection lost', new Error('Connection terminated unexpectedly'), UnavailableError, 503],
  ['pg: pool exhausted', new Error('timeout exceeded when trying to connect'), UnavailableError, 503],
  [
    'pg: broken client', new Error('Client has encountered a connection error and is not queryable'), UnavailableError,
    503,
  ],
  ['pg: closed pool', new Error('Cannot use a pool after calling end on the pool'), UnavailableError, 503],
  ['an abort', named('AbortError'), AbortedError, 499],
  ['MikroORM: a stale version', new OptimisticLockError('secret'), PreconditionFailedError, 412],
  ['MikroORM: a value that a hook has left out', new ValidationError('secret'), DataValidationError, 400],
  [
    "MikroORM: a driver's error that it has wrapped", new UniqueConstraintViolationException(serverError('23505')),
    ConflictError, 409,
  ],
  ['MikroORM: a mistake in code', new MetadataError('secret'), DatabaseError, 500],
  ['an error that happens to have the name of one of MikroORM', named('OptimisticLockError'), DatabaseError, 500],
  ["a code that is none of the server's", serverError('ERR_INVALID_ARG_TYPE'), DatabaseError, 500],
  ['an error without a code', new TypeError('undefined is not a function'), DatabaseError, 500],
  ['something that is no error', 'secret', DatabaseError, 500],
  ['nothing', undefined, DatabaseError, 500],
]

for (const [what, error, expected, statusCode] of cases) {
  t.test(`${what} is a ${statusCode}`, async (t) => {
    const converted = convertError(error) as Error & RequestError & { statusCode: number }
    t.ok(converted instanceof expected, converted.constructor.name)
    t.equal(converted.statusCode, statusCode)
    t.equal((converted as { cause?: unknown }).cause, error, "the driver's error is the cause")
    t.notMatch(JSON.stringify(converted) + converted.message + converted.detail, /secret|select|127\.0\.0\.1/,
      'and is told to nobody')
    t.equal(converted.errors.length, 1)
  })
}

t.test('an unavailable database says when to try again', async (t) => {
  t.match(convertError(nodeError('ECONNREFUSED')), { headers: { 'retry-after': /^\d+$/ } })
})

t.test('an answer that exceeds the limits of the driver or the server is a 400', async (t) => {
  const model = modelsOf().of(Plant)
  const tooLarge = [
    nodeError('ERR_STRING_TOO_LONG'),
    nodeError('ERR_BUFFER_TOO_LARGE'),
    serverError('54000'),
    serverError('XX000', { message: 'invalid memory alloc request size 1073741824' }),
  ]
  for (const error of tooLarge) {
    const [read, written] = [convertError(error), convertError(error, model)] as Array<Error & RequestError>
    t.match(read, {
      statusCode: 400, code: 'FST_CRUD_TOO_LARGE',
      detail: 'The answer would be too large. Ask for fewer records, fields or includes.', cause: error,
    })
    t.match(written, {
      statusCode: 400, code: 'FST_CRUD_TOO_LARGE',
      detail: 'The record is too large for an answer. It is not known whether the changes have been made.',
      cause: error,
    })
  }
  for (const routine of ['_bt_check_third_page', 'index_form_tuple_context']) {
    t.match(convertError(serverError('54000', { routine }), model), {
      statusCode: 400, code: 'FST_CRUD_DATA_INVALID', detail: 'A value is too long for an index.',
    })
  }
  for (const routine of ['make_tsvector', 'tsvector_concat']) {
    t.match(convertError(serverError('54000', { routine }), model), {
      statusCode: 400, code: 'FST_CRUD_DATA_INVALID', detail: 'A text is too long for a search by its words.',
    })
  }
})

t.test('a constraint that shares a column with a composite relation does not name the relation', async (t) => {
  const model = modelsOf().of(Plant)
  const pointers = (code: string, detail: string) =>
    (convertError(serverError(code, { detail }), model) as Error & RequestError).errors.map(({ source }) =>
      source && 'pointer' in source ? source.pointer : undefined
    )
  const shared = 'Key (shelf_house, article_number)=(1, x) already exists.'
  t.strictSame(pointers('23505', shared), ['/sku'])
  t.strictSame(pointers('23503', 'Key (shelf_house, id)=(1, 2) is still referenced from table "label".'), [undefined],
    'a record that others refer to')
  t.strictSame(pointers('23503', 'Key (shelf_house, shelf_number)=(1, 9) is not present in table "shelf".'), ['/shelf'])
})

t.test('a violated foreign key says which record is in the way, if the server says it in English', async (t) => {
  const model = modelsOf().of(Plant)
  const referred = 'A record that others refer to cannot be removed.'
  const absent = 'A record that does not exist cannot be referred to.'
  const cases: ReadonlyArray<
    readonly [code: string, detail: string | undefined, sentence: string, pointer?: string]
  > = [
    ['23001', 'Key (id)=(1) is referenced from table "label".', referred],
    ['23503', 'Key (id)=(1) is still referenced from table "label".', referred],
    ['23503', 'Key (supplier_id)=(1) is still referenced from table "label".', referred],
    ['23503', 'Key is still referenced from table "label".', referred],
    ['23503', 'Key is not present in table "secret".', absent],
    ['23503', 'Key (hidden_id)=(x is still referenced from table ") is not present in table "secret".', absent],
    ['23503', 'Key (id)=(x) is not present in table "y".) is still referenced from table "label".', referred],
    [
      '23503', 'Key (supplier_id)=(99) is not present in table "supplier".',
      "'supplier' refers to a record that does not exist.", '/supplier',
    ],
    ...[undefined, 'Schlüssel (id)=(1) wird noch aus Tabelle »label« verwiesen.'].map((detail) => [
      '23503', detail,
      'A record that others refer to cannot be removed, and one that does not exist cannot be referred to.',
    ] as const),
  ]
  for (const [code, detail, sentence, pointer] of cases) {
    const { errors: [item] } = convertError(serverError(code, { detail }), model) as Error & RequestError
    t.strictSame(item, {
      ...(pointer !== undefined && { source: { pointer } }), code: 'FST_CRUD_CONFLICT', detail: sentence,
    }, detail ?? 'without a detail')
  }
})

t.test('a constraint error names its properties by their public names', async (t) => {
  const models = modelsOf()
  const items = (error: Error, entity: unknown = Plant) =>
    (convertError(error, models.of(entity)) as Error & RequestError).errors.map((
      { source, detail }
    ) => [source && 'pointer' in source ? source.pointer : undefined, detail])
  t.strictSame(items(serverError('23505', { detail: 'Key (article_number)=(LAV-001) already exists.' })), [[
    '/sku',
    "There is another record with this value of 'sku'.",
  ]])
  t.strictSame(items(serverError('23505', { detail: 'Key ("latinName", "order")=(x, 1) already exists.' })), [[
    '/latinName',
    "There is another record with these values of 'latinName' and 'position'.",
  ], ['/position', "There is another record with these values of 'latinName' and 'position'."]])
  t.strictSame(items(serverError('23503', { detail: 'Key (supplier_id)=(99) is not present in table "supplier".' })), [[
    '/supplier',
    "'supplier' refers to a record that does not exist.",
  ]])
  t.strictSame(
    items(serverError('23503', { detail: 'Key (shelf_house, shelf_number)=(Z, 9) is not present in table "shelf".' })),
    [['/shelf', "'shelf' refers to a record that does not exist."]]
  )
  t.strictSame(items(serverError('23505', { detail: 'Key (lower(name::text), COALESCE("order", 0))=(x, )=(1).' })), [
    ['/name', "There is another record with these values of 'name' and 'position'."],
    ['/position', "There is another record with these values of 'name' and 'position'."],
  ])
  t.strictSame(items(serverError('23514', { detail: 'Failing row contains (1, (name)=(x).' })), [
    [undefined, 'The values do not satisfy a rule of the data.'],
  ])
  t.strictSame(items(serverError('23502', { column: 'name' })), [['/name', "'name' cannot be null."]])
  t.strictSame(items(serverError('23502', { column: 'house' }), Shelf), [['/house', "'house' cannot be null."]])
})

t.test('only the columns of a key are named, not other words of its expressions', async (t) => {
  const names = [
    'a', 'b', 'public', 'f', 'title', 'year', 'from', 'd', 'time', 'zone', 'timestamp', 'C', 'x', 'at', 'char',
    'interval', 'day', 'collate', 'and', 'varying',
  ]
  const word = entity('Word', {
    id: p.integer().primary(), ...Object.fromEntries(names.map((name) => [name, p.string().fieldName(name)])),
  })
  const model = modelsOf([word]).of(word)
  const pointersOf = (key: string) => {
    const error = serverError('23505', { detail: `Key (${key})=(a, b) already exists.` })
    return (convertError(error, model) as Error & RequestError).errors.map(({ source }) =>
      source && 'pointer' in source ? source.pointer : undefined
    )
  }
  for (const [key, ...expected] of [
    ['a, b', '/a', '/b'],
    ['lower(a::text), "C"', '/C', '/a'],
    ['public.f(title)', '/title'],
    ['"public"."f"(title), "f"(a)', '/a', '/title'],
    ['EXTRACT(year FROM d)', '/d'],
    ['(a)::timestamp(3) without time zone, b', '/a', '/b'],
    ['(d)::time with time zone', '/d'],
    ['((d)::interval day)', '/d'],
    ['(a)::character varying(3)', '/a'],
    ['a::public.x', '/a'],
    ['a::"char", (b)::text[]', '/a', '/b'],
    ['a COLLATE "C"', '/a'],
    ['lower(a) COLLATE public."x", b', '/a', '/b'],
    ["(d AT TIME ZONE 'x'::text)", '/d'],
    ['((a)=(b))', '/a', '/b'],
    ["((a)=('x, b'::text))", '/a'],
    ['(x).title, b', '/b', '/x'],
    ['CASE WHEN (a = 1e5) THEN b ELSE NULL::text END', '/a', '/b'],
    ['make_interval(day => a)', '/a'],
    ["JSON_VALUE(a, '$.b' RETURNING char)", '/a'],
    [String.raw`(a || E'\\b''c, d')`, '/a'],
    ['SUBSTRING(title FROM 1 FOR 2)', '/title'],
    ['((a) b'],
  ] as const) t.strictSame(pointersOf(key).sort(), expected.length === 0 ? [undefined] : expected, key)
})

t.test('a constraint error on a hidden property, or on none, names nothing', async (t) => {
  const models = modelsOf()
  for (const more of [
    { detail: 'Key (email)=(secret@vert.example) already exists.' },
    { detail: 'Key (lower(email))=(secret) already exists.' },
    { detail: 'name (nothing = (1) AND name(x)::name AND \'(name)=(\' = (a).name)=(1)=(secret) already exists.' },
    { detail: 'name=(secret)' },
    { detail: 'Key (nothing)=(secret) already exists.' },
    {},
  ]) {
    const converted = convertError(serverError('23505', more), models.of(Supplier)) as Error & RequestError
    t.strictSame(converted.errors, [{
      code: 'FST_CRUD_CONFLICT',
      detail: 'There is another record with these values.',
    }])
  }
})

t.test("a driver's error is distinguished from an error of the application", async (t) => {
  for (const error of [
    serverError('23505'), nodeError('ECONNREFUSED'), new Error('Connection terminated unexpectedly'),
    new DriverException(new Error('secret')), new OptimisticLockError('secret'), new ValidationError('secret'),
  ]) t.equal(isDriverError(error), true, error.message)
  for (const error of [
    new Error('no stock'), new TypeError('x'), named('DriverException'), new MetadataError('secret'), 'text', undefined,
    new ConflictError(), Object.assign(new Error('teapot'), { statusCode: 418, code: '23505' }),
  ]) t.equal(isDriverError(error), false, String(error))
})
