/**
 * What a distributed server changes. The statements of writes are compared as text here. `test/citus` runs all
 * statements on a cluster.
 */
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { readCondition } from '../../src/conditions/index.ts'
import { AllowedField, QueryBuilderConfig } from '../../src/config/index.ts'
import {
  planChanges, planCount, planGet, planUpdate, resolveWhitelist, withConditions, type ManyTarget, type WritePlan,
} from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { CITUS, compileAnyWrite, POSTGRESQL, type Dialect } from '../../src/sql/index.ts'
import { entities, Task } from '../citus/colocated.ts'
import { modelsOf } from '../helpers/models.ts'
import { nothingForeign } from './helper.ts'

const decisions = Object.keys(POSTGRESQL) as (keyof Dialect)[]

t.test('each entry of the table is a decision', async (t) => {
  t.strictSame(Object.keys(CITUS), decisions, 'in the same order')
  for (const decision of decisions) t.not(CITUS[decision], POSTGRESQL[decision], decision)
})

t.test('only the table knows the kinds of servers, and its readers ask for decisions', async (t) => {
  const root = path.join(import.meta.dirname, '../..')
  const files = fs.globSync('{src,plugins}/**/*.{ts,tsx}', { cwd: root }).map((file) => file.split(path.sep).join('/'))
  const texts = new Map(files.map((file) => [file, fs.readFileSync(path.join(root, file), 'utf8')]))
  const knowing = files.filter((file) => /\b(POSTGRESQL|CITUS)\b/.test(texts.get(file)!))
  t.strictSame(knowing.sort(), ['src/run/distribution.ts', 'src/sql/dialect.ts', 'src/sql/index.ts'])
  const asked = files.filter((file) => file !== 'src/sql/dialect.ts').map((file) => texts.get(file)!).join('\n')
  for (const decision of decisions) {
    t.match(asked, new RegExp(`dialect(\\w*\\([^)]*\\))?\\.${decision}\\b`, 'i'), `${decision} is asked for`)
  }
})

const model = modelsOf(entities).of(Task)
const config = new QueryBuilderConfig<any>({ allowedFields: [new AllowedField<any>('title')] })
const whitelist = resolveWhitelist(config, model)
const id = { tenant_id: 1, id: '11111111-1111-4111-8111-111111111111' }
const { selection } = planGet(id, parseQueryParams('fields=title'), whitelist)!
const property = model.properties.get('title') as never
const data = { columns: [{ column: 'title', property }], values: ['x'], references: [] }
const count = planCount(parseQueryParams(''), whitelist)
const target: ManyTarget = { ...count, kind: 'target', narrows: 'certainly' }
const inScope = <Plan extends WritePlan>(plan: Plan): Plan =>
  withConditions(plan, readCondition({ tenant_id: 1 }, model), new Map())!

const update = planUpdate(id, data, selection, {
  deleted: 'without', versions: ['2026-01-01T00:00:00.000Z'], mayBeHidden: () => false,
})!
const textOf = (plan: WritePlan): string =>
  compileAnyWrite(inScope(plan), nothingForeign, { dialect: CITUS, keysRepeat: false }).text

const VERSION = '(coalesce(to_char(("@written"."changed" at time zone interval \'0\'), ' +
  'case when "@written"."changed" < \'0001-01-01Z\' ' +
  'then \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"\' else \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\' end), ' +
  '"@written"."changed"::text))::text as "version"'

t.test('the statements of writes on a cluster', async (t) => {
  t.equal(
    textOf(update),
    'with "@written" as (update "task" as "e0" set "title" = $1, "changed" = now() ' +
      'where "e0"."tenant_id" = $2 and "e0"."id" = $3 ' +
      'and ("e0"."tenant_id" = $4) > (("e0"."tenant_id", "e0"."id") is null) ' +
      'and (("e0"."changed" at time zone \'UTC\') = any($5::timestamp[])) > (("e0"."tenant_id", "e0"."id") is null) ' +
      'returning "e0"."title" as "title", "e0"."changed" as "changed", "e0"."tenant_id" as "tenant_id", ' +
      '"e0"."id" as "id") ' +
      `select json_build_object('title', "@written"."title")::text as "item", ${VERSION} from "@written"`,
    'columns are returned, and conditions hidden, except those on the key'
  )
  t.match(
    textOf({ ...update, forHooks: { whole: undefined, previous: selection } }),
    'from "task" as "e2" where "e2"."tenant_id" = $2 and "e2"."id" = $3 ' +
      'and "e2"."tenant_id" = $4 and "e2"."id" = $3 for no key update) as "e1"',
    'the row before an update is on the same node'
  )
  t.equal(
    textOf(planChanges(target, { does: 'update', maxAffected: 9, data })),
    'with "@found" as (select "e0"."tenant_id" as "key0", "e0"."id" as "key1" from "task" as "e0" ' +
      'where "e0"."tenant_id" = $1 limit $2), ' +
      '"@2_written" as (update "task" as "e0" set "title" = $3, "changed" = now() where "e0"."tenant_id" = $1 ' +
      'and ("e0"."tenant_id", "e0"."id") in (select "key0", "key1" from "@found") ' +
      'and ("e0"."tenant_id" = $1) > (("e0"."tenant_id", "e0"."id") is null) ' +
      'and ((select count(*) from "@found") < $2) > (("e0"."tenant_id", "e0"."id") is null) ' +
      'returning \'1\' as "row") ' +
      'select (select count(*) from "@found")::text as "found", ' +
      '(select count("@2_written"."row") from "@2_written")::text as "affected"',
    'the rows of a change of many are on the same node'
  )
  t.notMatch(textOf(planChanges(target, { does: 'lock', maxAffected: 9 })), /for update/, 'many rows are not locked')
})
