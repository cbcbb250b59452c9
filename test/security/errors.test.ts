/** Requests with very many mistakes: neither the answer nor a log line grows with their number. */
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { ErrorList } from '../../src/base/error-list.ts'
import { AllowedFilters, crudKit } from '../../src/index.ts'
import { QueryErrors } from '../../src/plan/index.ts'
import { entities, Plant, Specimen } from '../fixtures/entities.ts'
import { seed } from '../fixtures/seed.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { keptLog } from '../helpers/log.ts'
import { newServer } from '../helpers/server.ts'
import { resource, type Json } from '../http/helper.ts'

/** The largest number of bytes of an answer, and of everything logged for a request. */
const MAX_ANSWER = 24 * 1024
const MAX_LOG = 64 * 1024

const many = (count: number, item: (index: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator)
const post = (url: string, payload: string): InjectOptions => ({
  method: 'POST', url, payload, headers: { 'content-type': 'application/json' },
})

/** A request, and the number of its mistakes; `undefined` if the query string may be too long to count them all. */
const ATTACKS: ReadonlyArray<readonly [what: string, request: InjectOptions, errors: number]> = [
  [
    'bad ids in a list of links', post('/plants', `{"name":"x","supplier":1,"tags":[${many(200_000, () => '"x"')}]}`),
    200_000,
  ],
  [
    'unknown properties', post('/plants', `{"name":"x","supplier":1,${many(60_000, (index) => `"p${index}":1`)}}`),
    60_000,
  ],
  [
    'unknown members of an embedded object',
    post('/specimens',
      `{"code":"x","plant":1,"size":{"height":1,"width":1,${many(60_000, (index) => `"p${index}":1`)}}}`),
    60_000,
  ],
  ['one long name', post('/plants', `{"name":"x","supplier":1,"${'x'.repeat(900_000)}":1}`), 1],
  ['one long name in an embedded object',
    post('/specimens', `{"code":"x","plant":1,"size":{"height":1,"width":1,"${'x'.repeat(900_000)}":1}}`), 1],
  ['a batch', post('/plants', `[{"name":"x","supplier":1,"tags":[${many(200_000, () => '"x"')}]}]`), 200_000],
  ['sorts', { url: `/plants?sort=${many(2_500, () => 'xx')}` }, 2_500],
  ['the same sort', { url: `/plants?sort=${many(2_700, () => 'id')}` }, 2_699],
  ['fields', { url: `/plants?fields=${many(1_600, (index) => `x${index.toString(36)}`)}` }, 1_600],
  ['fields of an include', {
    url: `/plants?include=tags&fields[tags]=${many(1_600, (index) => `x${index.toString(36)}`)}`,
  }, 1_600],
  ['fields of what is not included', { url: `/plants?${many(100, (index) => `fields[x${index}]=a`, '&')}` }, 100],
  ['filters', { url: `/plants?${many(100, (index) => `filter[n${index}]=a`, '&')}` }, 100],
  ['values of filters', { url: `/plants?${many(50, () => 'filter[status][]=x&filter[id]=x', '&')}` }, 2],
  ['parameters that are nearly ours', { url: `/plants?${many(100, (index) => `filters[n${index}]=a`, '&')}` }, 100],
]

t.test('errors that are not listed are only counted, without building their messages', async (t) => {
  const COUNT = 200_000
  let made = 0
  const body = new ErrorList<string>()
  const query = new QueryErrors()
  for (let index = 0; index < COUNT; index++) body.add(() => `${made++}`)
  t.strictSame([made, body.items.length, body.count], [20, 20, COUNT])
  made = 0
  for (let index = 0; index < COUNT; index++) {
    query.add('FST_CRUD_SORT_INVALID',
      () => ({ source: { parameter: 'sort' }, code: 'FST_CRUD_SORT_INVALID', detail: `${made++}` }))
  }
  t.strictSame([made, query.count], [20, COUNT])
  let thrown: { errors?: Array<{ detail: string }> } = {}
  try {
    query.throw()
  } catch (error) {
    thrown = error as typeof thrown
  }
  t.strictSame([thrown.errors?.length, thrown.errors?.at(-1)?.detail], [21, `And ${COUNT - 20} more errors.`])
})

await forOneDatabase(t, { entities, seed }, async (t, { orm }) => {
  const log = keptLog()
  const app = newServer(t, { logger: { level: 'info', stream: log.stream } })
  const whitelist = {
    allowedSorts: ['id', 'name', 'position', 'created_at', 'updated_at'],
    allowedFilters: ['id', 'name', 'status'].map((name) => AllowedFilters.exact(name)),
    allowedFields: ['id', 'name', 'tags.name', 'tags.weight'],
    allowedIncludes: ['tags'],
  }
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: {
      '/plants': { crud: resource(Plant, whitelist), operations: ['list', 'create', 'createMany'] },
      '/forgiving': resource(Plant, { ...whitelist, ignoreInvalidErrors: true }),
      '/specimens': resource(Specimen),
    },
  })
  await app.ready()

  for (const [what, request, count] of ATTACKS) {
    t.test(what, async (t) => {
      log.clear()
      const response = await app.inject(request)
      const { errors, message } = response.json() as Json
      t.equal(response.statusCode, 400)
      t.equal(errors.length, count > 20 ? 21 : count)
      if (count > 20) {
        t.strictSame(errors[20], {
          code: response.json().code,
          detail: `And ${count - 20} more ${count === 21 ? 'error' : 'errors'}.`,
        })
        t.ok(message.endsWith(` (${count - 5} more)`), message.slice(-40))
      }
      t.ok(response.body.length < MAX_ANSWER, `${response.body.length} bytes are answered`)
      t.match(log.text, /"code":"FST_/, 'it is logged')
      t.ok(log.text.length < MAX_LOG, `${log.text.length} bytes are logged`)
    })
  }

  t.test('a limit is still reported after any number of ignored errors', async (t) => {
    const ignored = many(60, (index) => `filter[n${index}]=a`, '&')
    t.equal((await app.inject(`/forgiving?${ignored}`)).statusCode, 200)
    const { errors } = (await app.inject(`/forgiving?${ignored}&filter[name][eq][x]=1`)).json() as Json
    t.strictSame(errors.map(({ source }: Json) => source), [{ parameter: 'filter[name][eq][x]' }])
    t.match((await app.inject(`/forgiving?${ignored}&per_page=1000`)).json().errors, [{
      source: { parameter: 'per_page' },
    }])
  })

  t.test('the code is that of the first kind, whichever errors are listed', async (t) => {
    const { code, errors } = (await app.inject(`/plants?sort=${
      many(50, () => 'x')
    }&fields=${many(50, (index) => `x${index}`)}&filter[x]=1`)).json() as Json
    t.equal(code, 'FST_CRUD_FILTER_INVALID')
    t.strictSame(errors.map(({ source }: Json) => source?.parameter), [
      'filter[x]', ...Array<string>(19).fill('sort'), undefined,
    ])
    t.strictSame(errors[20], { code, detail: 'And 81 more errors.' })
  })
})
