/**
 * The SQL of a fixed set of requests, as text. The other files of this folder test the results, and
 * answer-limits.test.ts the limits of an answer.
 */
import t from 'tap'
import { AllowedField, AllowedFilters, AllowedInclude, type AggregateInclude } from '../../src/config/index.ts'
import { planCount, planExists, planGet } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { AuditEntry, Group, Order, OrderItem, Parcel, Plant, Shelf, Specimen, Tag } from '../fixtures/entities.ts'
import { whitelistOf } from '../plan/helper.ts'
import { compiled, oneLine, unlimited, unlimitedStatementOf as statementOf, type Names } from './helper.ts'

const fields = (...names: string[]) => names.map((name) => new AllowedField(name))
const filters = (...names: string[]) => names.map((name) => AllowedFilters.exact(name))

/** The condition of a count statement, which equals that of the list. */
const countOf = (query: string, options: Names, entity: unknown = Plant) =>
  compiled(planCount(parseQueryParams(query), whitelistOf(options, entity))).text.replace(
    'select count(*) as "count" from ',
    ''
  )

t.test('a list is the page, its records as one text, and the total if the page does not determine it', async (t) => {
  const statement = statementOf('fields=id,name&sort=-name&page=3&per_page=5', {
    allowedFields: fields('id', 'name'),
    allowedSorts: ['name'],
  }, Plant)
  t.equal(
    statement.text,
    oneLine(`
    select string_agg(row_to_json("@row".*)::text, ',') as "items", count(*) as "fetched",
    case when count(*) < $1 and (count(*) > 0 or $2 = 0) then $2 + count(*) else (select count(*)
    from "plant" as "e0" where "e0"."deleted_at" is null) end as "total" from (
    select "@page"."id" as "id", "@page"."name" as "name" from (
    select "e0"."id" as "id", "e0"."name" as "name" from "plant" as "e0" where "e0"."deleted_at" is null
    order by "e0"."name" desc, "e0"."id" limit $1 offset $2
    ) as "@page" offset 0) as "@row"`).replaceAll(' )', ')')
  )
  t.strictSame(statement.slots, [0, 1], "the page's size and its offset")
})

t.test('groups of filters are conditions, and a not keeps the rows for which its conditions are unknown', async (t) => {
  const allowedFilters = filters('id', 'name', 'tags.name', 'tags.weight')
  const whereOf = (query: string): string => countOf(query, { allowedFilters }).replace('"plant" as "e0" where ', '')
  const deleted = ' and "e0"."deleted_at" is null'
  for (const [query, condition] of [
    ['filter[not][id]=1', '("e0"."id" = $1) is not true'],
    ['filter[not][id]=1&filter[not][name]=a', '("e0"."id" = $1 and "e0"."name" = $2) is not true'],
    ['filter[not][not][id]=1', '(("e0"."id" = $1) is not true) is not true'],
    ['filter[or][0][id]=1&filter[or][1][not][name]=a', '("e0"."id" = $1 or ("e0"."name" = $2) is not true)'],
    ['filter[or][0][id]=1&filter[or][0][name]=a&filter[or][1][id]=2',
      '(("e0"."id" = $1 and "e0"."name" = $2) or "e0"."id" = $3)'],
  ] as const) t.equal(whereOf(query), condition + deleted, query)
})

t.test('a list without a total fetches one more row than it shows', async (t) => {
  const statement = statementOf('', { pagination: { count: 'none' } }, Shelf)
  t.equal(
    statement.text,
    oneLine(`
    select string_agg("item", ',') filter (where "number" <= $1) as "items", count(*) as "fetched", null as "total"
    from (
    select row_to_json("@row".*)::text as "item", row_number() over () as "number" from (
    select "@page"."house" as "house", "@page"."number" as "number", "@page"."capacity" as "capacity" from (
    select "e0"."house" as "house", "e0"."number" as "number", "e0"."capacity" as "capacity" from "shelf" as "e0"
    order by "e0"."house", "e0"."number" limit $2 offset $3
    ) as "@page" offset 0) as "@row") as "@numbered"`).replaceAll(' )', ')')
  )
})

t.test('an include is found by the keys of the page, and joined to it', async (t) => {
  const statement = statementOf('fields=id&include=plants&fields[plants]=name', {
    allowedFields: fields('id', 'plants.name'),
    allowedIncludes: ['plants'],
  }, Tag)
  t.equal(
    statement.text,
    oneLine(`
    with "@page" as (select "e0"."id" as "id" from "tag" as "e0"
    where "e0"."deleted_at" is null order by "e0"."id" limit $1 offset $2),
    "@2_plants" as (select "@3_plants_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@3_plants_rows"."@sort0") as "@json"
    from (select "e2"."tag_id" as "@key0", "e1"."name" as "name", "e1"."id" as "@sort0"
    from "plant_tags" as "e2" inner join "plant" as "e1" on "e1"."id" = "e2"."plant_id"
    where "e2"."tag_id" in (select "@page"."id" from "@page") and "e1"."deleted_at" is null) as "@3_plants_rows"
    cross join lateral (select "@3_plants_rows"."name" as "name") as "@row" group by "@3_plants_rows"."@key0")
    select string_agg(row_to_json("@row".*)::text, ',') as "items", count(*) as "fetched",
    case when count(*) < $1 and (count(*) > 0 or $2 = 0) then $2 + count(*) else (select count(*)
    from "tag" as "e0" where "e0"."deleted_at" is null) end as "total" from (
    select "@page"."id" as "id", coalesce("@2_plants"."@json", '[]'::json) as "plants" from "@page"
    left join "@2_plants" on "@2_plants"."@key0" = "@page"."id" order by "@page"."id"
    offset 0) as "@row"`).replaceAll(' )', ')')
  )
})

/** The part of an include in a list of ids: an expression, or a subquery. */
function includeOf (path: string, entity: unknown, ...selected: string[]): string {
  const root = entity === Shelf ? 'house' : 'id'
  const segments = path.split('.')
  const names = segments.map((_, index) => segments.slice(0, index + 1).join('.'))
  const query = `fields=${root}&include=${path}&${
    names.map((name, index) => `fields[${name}]=${selected[index]}`).join('&')
  }`
  const { text } = statementOf(query, {
    allowedFields: fields(root, ...names.map((name, index) => `${name}.${selected[index]}`)),
    allowedIncludes: [new AllowedInclude(path)],
  }, entity)
  return /limit \$1 offset \$2\), (.*) select string_agg\(/s.exec(text)?.[1] ??
    / from \(select "@page"\."\w+"\S* as "\w+", (.*) from \(select "e0"/s.exec(text)![1]!
}

t.test('an include works for every kind of relation', async (t) => {
  t.equal(
    includeOf('supplier', Plant, 'name'),
    '(select row_to_json("@row".*) from "supplier" as "e1" ' +
      'cross join lateral (select "e1"."name" as "name") as "@row" ' +
      'where "e1"."id" = "@page"."supplier_id" and "e1"."deleted_at" is null limit 1) as "supplier"'
  )
  t.equal(
    includeOf('label', Plant, 'text'),
    '(select row_to_json("@row".*) from "label" as "e1" ' +
      'cross join lateral (select "e1"."text" as "text") as "@row" ' +
      'where "e1"."plant_id" = "@page"."id" limit 1) as "label"'
  )
  t.equal(
    includeOf('offers', Plant, 'title'),
    '"@2_offers" as (select "@3_offers_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*) ' +
      'order by "@3_offers_rows"."@sort0") as "@json" from ' +
      '(select "e1"."plant_id" as "@key0", "e1"."title" as "title", "e1"."id" as "@sort0" from "offer" as "e1" ' +
      'where "e1"."plant_id" in (select "@page"."id" from "@page")) as "@3_offers_rows" ' +
      'cross join lateral (select "@3_offers_rows"."title" as "title") as "@row" group by "@3_offers_rows"."@key0")'
  )
  t.equal(
    includeOf('shelf', Plant, 'capacity'),
    '(select row_to_json("@row".*) from "shelf" as "e1" ' +
      'cross join lateral (select "e1"."capacity" as "capacity") as "@row" ' +
      'where "e1"."house" = "@page"."shelf_house" and "e1"."number" = "@page"."shelf_number" limit 1) as "shelf"'
  )
  t.equal(
    includeOf('plants', Shelf, 'id'),
    '"@2_plants" as (select "@3_plants_rows"."@key0" as "@key0", "@3_plants_rows"."@key1" as "@key1", ' +
      'json_agg(row_to_json("@row".*) order by "@3_plants_rows"."id") as "@json" from ' +
      '(select "e1"."shelf_house" as "@key0", "e1"."shelf_number" as "@key1", "e1"."id" as "id" from "plant" as "e1" ' +
      'where ("e1"."shelf_house", "e1"."shelf_number") in (select "@page"."house", "@page"."number" from "@page") ' +
      'and "e1"."deleted_at" is null) as "@3_plants_rows" ' +
      'cross join lateral (select "@3_plants_rows"."id" as "id") as "@row" ' +
      'group by "@3_plants_rows"."@key0", "@3_plants_rows"."@key1")'
  )
  t.equal(
    includeOf('children', Group, 'name'),
    '"@2_children" as (select "@3_children_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*) ' +
      'order by "@3_children_rows"."@sort0") as "@json" from ' +
      '(select "e1"."parent_id" as "@key0", "e1"."name" as "name", "e1"."id" as "@sort0" from "group" as "e1" ' +
      'where "e1"."parent_id" in (select "@page"."id" from "@page") and "e1"."deleted_at" is null) ' +
      'as "@3_children_rows" cross join lateral (select "@3_children_rows"."name" as "name") as "@row" ' +
      'group by "@3_children_rows"."@key0")'
  )
  t.equal(
    includeOf('plant', AuditEntry, 'name'),
    '(select row_to_json("@row".*) from "plant" as "e1" ' +
      'cross join lateral (select "e1"."name" as "name") as "@row" ' +
      'where "e1"."id" = "@page"."plant_id" and "e1"."deleted_at" is null limit 1) as "plant"'
  )
})

t.test("the rows of a nested include's level are the parents of the next", async (t) => {
  t.equal(
    includeOf('orderItems.order', Plant, 'quantity', 'note'),
    oneLine(`
    "@3_orderItems_rows" as (select "e1"."plant_id" as "@key0", "e1"."quantity" as "quantity",
    "e1"."order_id" as "order_id", "e1"."plant_id" as "@sort1" from "order_item" as "e1"
    where "e1"."plant_id" in (select "@page"."id" from "@page")),
    "@4_order" as (select "@5_order_rows"."@key0" as "@key0", row_to_json("@row".*) as "@json"
    from (select "e2"."id" as "@key0", "e2"."note" as "note" from "order" as "e2"
    where "e2"."id" in (select "@3_orderItems_rows"."order_id" from "@3_orderItems_rows")) as "@5_order_rows"
    cross join lateral (select "@5_order_rows"."note" as "note") as "@row"),
    "@2_orderItems" as (select "@3_orderItems_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@3_orderItems_rows"."order_id", "@3_orderItems_rows"."@sort1") as "@json"
    from "@3_orderItems_rows" left join "@4_order" on "@4_order"."@key0" = "@3_orderItems_rows"."order_id"
    cross join lateral (select "@3_orderItems_rows"."quantity" as "quantity", "@4_order"."@json" as "order") as "@row"
    group by "@3_orderItems_rows"."@key0")`)
  )
})

/** The expressions of an include of plants with one field. */
function expressionsOf (
  include: AllowedInclude<any, any> | AggregateInclude,
  query: string,
  entity: unknown = Plant,
  shown = 'id',
  ...more: string[]
): string {
  const options = { allowedFields: fields(shown, ...more), allowedIncludes: [include] }
  return /limit \$1 offset \$2\), (.*) select string_agg\(/s.exec(
    statementOf(`fields=${shown}&${query}`, options, entity).text
  )![1]!
}

t.test('a limit counts the rows of each parent, in the order of the include', async (t) => {
  t.equal(
    expressionsOf(
      new AllowedInclude('plants', { limit: 2, sort: ['-price', 'supplier.name'] }),
      'include=plants&fields[plants]=name', Group, 'name', 'plants.name'
    ),
    oneLine(`
    "@3_plants_rows" as (select * from (
    select "e1"."group_id" as "@key0", "e1"."name" as "name", row_number() over (partition by "e1"."group_id"
    order by "e1"."price" desc nulls last, "e2"."name", "e1"."id") as "@number"
    from "plant" as "e1" left join "supplier" as "e2" on "e1"."supplier_id" = "e2"."id" and "e2"."deleted_at" is null
    where "e1"."group_id" in (select "@page"."id" from "@page") and "e1"."deleted_at" is null
    ) as "@all" where "@number" <= 2),
    "@2_plants" as (select "@3_plants_rows"."@key0" as "@key0",
    json_agg(row_to_json("@row".*) order by "@3_plants_rows"."@number") as "@json"
    from "@3_plants_rows"
    cross join lateral (select "@3_plants_rows"."name" as "name") as "@row" group by "@3_plants_rows"."@key0")`)
      .replaceAll(' )', ')')
  )
  t.equal(
    expressionsOf(
      new AllowedInclude('plants', { sort: ['-price', '-id'] }), 'include=plants&fields[plants]=name', Tag, 'id',
      'plants.name'
    ),
    oneLine(`
    "@2_plants" as (select "@3_plants_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@3_plants_rows"."@sort0" desc nulls last, "@3_plants_rows"."@sort1" desc) as "@json"
    from (select "e2"."tag_id" as "@key0", "e1"."name" as "name", "e1"."price" as "@sort0", "e1"."id" as "@sort1"
    from "plant_tags" as "e2" inner join "plant" as "e1" on "e1"."id" = "e2"."plant_id"
    where "e2"."tag_id" in (select "@page"."id" from "@page") and "e1"."deleted_at" is null) as "@3_plants_rows"
    cross join lateral (select "@3_plants_rows"."name" as "name") as "@row" group by "@3_plants_rows"."@key0")`)
  )
})

t.test('aggregates of the same rows share an expression, which is separate from includes', async (t) => {
  t.equal(
    expressionsOf(AllowedInclude.count('plants'), 'include=plantsCount', Tag),
    '"@2_plants_values" as (select "e2"."tag_id" as "@key0", count(*) as "@value0" from "plant_tags" as "e2" ' +
      'inner join "plant" as "e1" on "e1"."id" = "e2"."plant_id" where "e2"."tag_id" in (select "@page"."id" ' +
      'from "@page") and "e1"."deleted_at" is null group by "e2"."tag_id")'
  )
  const all = statementOf('fields=id&include=specimensLeavesSum,specimensExists,specimensDryMassAvg,specimensCount', {
    allowedFields: fields('id'),
    allowedIncludes: [
      AllowedInclude.sum('specimens.leaves'), AllowedInclude.count('specimens'),
      AllowedInclude.avg('specimens.dryMass'), AllowedInclude.exists('specimens'),
    ],
  }, Plant).text
  t.match(
    all,
    oneLine(`
    "@2_specimens_values" as (select "e1"."plant_id" as "@key0", count(*) as "@value0",
    regexp_replace(avg("e1"."dry_mass")::text, '(\\.[0-9]*[1-9])0+$|\\.0+$', '\\1') as "@value1",
    sum("e1"."leaves") as "@value3"
    from "specimen" as "e1" where "e1"."plant_id" in (select "@page"."id" from "@page") group by "e1"."plant_id")`)
  )
  t.match(
    all,
    oneLine(`
    select "@page"."id" as "id", coalesce("@2_specimens_values"."@value0", 0) as "specimensCount",
    "@2_specimens_values"."@value1"::text as "specimensDryMassAvg",
    "@2_specimens_values"."@key0" is not null as "specimensExists",
    "@2_specimens_values"."@value3" as "specimensLeavesSum"
    from "@page" left join "@2_specimens_values" on "@2_specimens_values"."@key0" = "@page"."id"`)
  )
})

t.test('numbers about related rows that an index leads to are computed for each record', async (t) => {
  const text = (include: AllowedInclude<any, any> | AggregateInclude, query: string) =>
    statementOf(`fields=id&${query}`, { allowedFields: fields('id'), allowedIncludes: [include] }, Plant).text
  t.match(
    text(AllowedInclude.count('tags'), 'include=tagsCount'),
    'select "@page"."id" as "id", "@2_tags_values"."@value0" as "tagsCount" from (select "e0"."id" as "id" ' +
      'from "plant" as "e0" where "e0"."deleted_at" is null order by "e0"."id" limit $1 offset $2) as "@page" ' +
      'cross join lateral (select count(*) as "@value0" from "plant_tags" as "e2" inner join "tag" as "e1" ' +
      'on "e1"."id" = "e2"."tag_id" where "e2"."plant_id" = "@page"."id" and "e1"."deleted_at" is null) ' +
      'as "@2_tags_values" order by "@page"."id"'
  )
  t.match(
    text(AllowedInclude.exists('supplier'), 'include=supplierExists'),
    'cross join lateral (select (count(*) > 0) as "@value0" from "supplier" as "e1" ' +
      'where "e1"."id" = "@page"."supplier_id" and "e1"."deleted_at" is null) as "@2_supplier_values"'
  )
})

t.test('one record is one statement', async (t) => {
  const whitelist = whitelistOf({ allowedFields: fields('name', 'tags.name'), allowedIncludes: ['tags'] })
  const get = (id: any, query: string, on = whitelist, options = {}) =>
    compiled(unlimited(planGet(id, parseQueryParams(query), on, options)!)).text
  t.equal(
    get(1, 'fields=name'),
    'select row_to_json("@row".*)::text as "item" from (select "e0"."name" as "name" from "plant" as "e0" ' +
      'where "e0"."id" = $1 and "e0"."deleted_at" is null) as "@page" cross join lateral ' +
      '(select "@page"."name" as "name") as "@row"'
  )
  t.equal(
    get(1, 'fields=name', whitelist, { includeDeleted: true }),
    'select row_to_json("@row".*)::text as "item" from (select "e0"."name" as "name" from "plant" as "e0" ' +
      'where "e0"."id" = $1) as "@page" cross join lateral (select "@page"."name" as "name") as "@row"'
  )
  t.equal(
    get('00000000-0000-4000-8000-000000000001', 'fields=name'),
    'select row_to_json("@row".*)::text as "item" from (select "e0"."name" as "name" from "plant" as "e0" ' +
      'where "e0"."uuid" = $1 and "e0"."deleted_at" is null) as "@page" cross join lateral ' +
      '(select "@page"."name" as "name") as "@row"'
  )
  t.equal(
    get(1, 'fields=name&include=tags&fields[tags]=name'),
    oneLine(`
    select row_to_json("@row".*)::text as "item" from (select "e0"."name" as "name", "e0"."id" as "id"
    from "plant" as "e0" where "e0"."id" = $1 and "e0"."deleted_at" is null) as "@page"
    cross join lateral (select "@page"."name" as "name",
    coalesce((select json_agg(row_to_json("@row".*) order by "@2_tags_rows"."@sort0")
    from (select "e1"."name" as "name", "e1"."id" as "@sort0" from "plant_tags" as "e2" inner join "tag" as "e1"
    on "e1"."id" = "e2"."tag_id" where "e2"."plant_id" = "@page"."id" and "e2"."plant_id" = $1
    and "e1"."deleted_at" is null) as "@2_tags_rows"
    cross join lateral (select "@2_tags_rows"."name" as "name") as "@row"), '[]'::json) as "tags") as "@row"`)
  )
  t.equal(
    get({ order: 1, plant: 2 }, '', whitelistOf({}, OrderItem)),
    oneLine(`
    select row_to_json("@row".*)::text as "item" from (select "e0"."order_id" as "order_id",
    "e0"."plant_id" as "plant_id", "e0"."quantity" as "quantity", "e0"."price" as "price" from "order_item" as "e0"
    where "e0"."order_id" = $1 and "e0"."plant_id" = $2) as "@page" cross join lateral (select
    "@page"."order_id" as "order", "@page"."plant_id" as "plant", "@page"."quantity" as "quantity",
    "@page"."price" as "price") as "@row"`)
  )
})

t.test("a count and an existence check have the list's condition", async (t) => {
  const whitelist = whitelistOf({ allowedFilters: filters('name') })
  t.equal(compiled(planCount(parseQueryParams('filter[name]=x'), whitelist)).text,
    'select count(*) as "count" from "plant" as "e0" where "e0"."name" = $1 and "e0"."deleted_at" is null')
  t.equal(compiled(planExists(1, whitelist)!).text,
    'select 1 as "exists" from "plant" as "e0" where "e0"."id" = $1 and "e0"."deleted_at" is null limit 1')
})

t.test('every operator has its condition', async (t) => {
  const allowedFilters = [
    new AllowedFilters('name', 'eq', [
      'eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'ieq', 'like', 'ilike', 'contains', 'starts', 'ends', 'in', 'nin',
      'between', 'isnull',
    ]),
  ]
  const conditions: ReadonlyArray<readonly [query: string, condition: string]> = [
    ['[eq]=x', '"e0"."name" = $1'],
    ['[ne]=x', '"e0"."name" <> $1'],
    ['[lt]=x', '"e0"."name" < $1'],
    ['[lte]=x', '"e0"."name" <= $1'],
    ['[gt]=x', '"e0"."name" > $1'],
    ['[gte]=x', '"e0"."name" >= $1'],
    ['[ieq]=x', 'lower("e0"."name") = lower($1)'],
    ['[like]=x', '"e0"."name" like $1'],
    ['[ilike]=x', '"e0"."name" ilike $1'],
    ['[contains]=x', '"e0"."name" ilike $1'],
    ['[starts]=x', '"e0"."name" ilike $1'],
    ['[ends]=x', '"e0"."name" ilike $1'],
    ['[in]=x,y,z', '"e0"."name" = any($1)'],
    ['[nin]=x', '"e0"."name" <> all($1)'],
    ['[between]=x,y', '"e0"."name" between $1 and $2'],
    ['[isnull]=true', '"e0"."name" is null'],
    ['[isnull]=false', '"e0"."name" is not null'],
  ]
  for (const [query, condition] of conditions) {
    t.equal(countOf(`filter[name]${query}`, { allowedFilters }),
      `"plant" as "e0" where ${condition} and "e0"."deleted_at" is null`, query)
  }
})

t.test('every operator of arrays has its condition', async (t) => {
  const allowedFilters = [new AllowedFilters('synonyms', 'contains', ['contains', 'overlap', 'isnull'])]
  const conditions: ReadonlyArray<readonly [query: string, condition: string]> = [
    ['[contains]=x,y', '"e0"."synonyms" @> $1'],
    ['[overlap]=x', '"e0"."synonyms" && $1'],
    ['[isnull]=true', '"e0"."synonyms" is null'],
  ]
  for (const [query, condition] of conditions) {
    t.equal(countOf(`filter[synonyms]${query}`, { allowedFilters }, Specimen), `"specimen" as "e0" where ${condition}`,
      query)
  }
})

t.test('a filter on a relation of every kind is a set of keys', async (t) => {
  const related: ReadonlyArray<readonly [entity: unknown, path: string, sql: string]> = [
    [
      Plant,
      'supplier.name',
      '"plant" as "e0" where "e0"."supplier_id" in (select "e1"."id" from "supplier" as "e1" ' +
      'where "e1"."deleted_at" is null and "e1"."name" = $1) and "e0"."deleted_at" is null',
    ],
    [Plant, 'supplier', '"plant" as "e0" where "e0"."supplier_id" = $1 and "e0"."deleted_at" is null'],
    [
      Plant,
      'label.text',
      '"plant" as "e0" where "e0"."id" in (select "e1"."plant_id" from "label" as "e1" where "e1"."text" = $1) ' +
      'and "e0"."deleted_at" is null',
    ],
    [
      Plant,
      'offers.title',
      '"plant" as "e0" where "e0"."id" in (select "e1"."plant_id" from "offer" as "e1" where "e1"."title" = $1) ' +
      'and "e0"."deleted_at" is null',
    ],
    [
      Plant,
      'tags.name',
      '"plant" as "e0" where "e0"."id" in (select "e2"."plant_id" from "plant_tags" as "e2" ' +
      'where "e2"."tag_id" in (select "e1"."id" from "tag" as "e1" where "e1"."deleted_at" is null ' +
      'and "e1"."name" = $1)) ' +
      'and "e0"."deleted_at" is null',
    ],
    [
      Plant,
      'shelf.capacity',
      '"plant" as "e0" where ("e0"."shelf_house", "e0"."shelf_number") in (select "e1"."house", "e1"."number" ' +
      'from "shelf" as "e1" where "e1"."capacity" = $1) and "e0"."deleted_at" is null',
    ],
    [
      Shelf,
      'plants.name',
      '"shelf" as "e0" where ("e0"."house", "e0"."number") in (select "e1"."shelf_house", "e1"."shelf_number" ' +
      'from "plant" as "e1" where "e1"."deleted_at" is null and "e1"."name" = $1)',
    ],
    [
      Group,
      'parent.name',
      '"group" as "e0" where "e0"."parent_id" in (select "e1"."id" from "group" as "e1" ' +
      'where "e1"."deleted_at" is null and "e1"."name" = $1) and "e0"."deleted_at" is null',
    ],
    [
      Order,
      'items.plant.name',
      '"order" as "e0" where "e0"."id" in (select "e1"."order_id" from "order_item" as "e1" ' +
      'where "e1"."plant_id" in (select "e2"."id" from "plant" as "e2" where "e2"."deleted_at" is null ' +
      'and "e2"."name" = $1))',
    ],
    [
      AuditEntry,
      'plant.name',
      '"audit"."entry" as "e0" where "e0"."plant_id" in (select "e1"."id" from "plant" as "e1" ' +
      'where "e1"."deleted_at" is null and "e1"."name" = $1)',
    ],
  ]
  for (const [entity, path, sql] of related) {
    t.equal(countOf(`filter[${path}]=1`, { allowedFilters: filters(path) }, entity), sql, path)
  }
})

t.test('an owning relation with a composite key is null if its columns are null', async (t) => {
  const options = { allowedFilters: [{ shelf: ['isnull'] }] }
  t.match(countOf('filter[shelf]=true', options), '"e0"."shelf_house" is null and "e0"."shelf_number" is null')
  t.match(countOf('filter[shelf]=false', options), '"e0"."shelf_house" is not null and "e0"."shelf_number" is not null')
})

t.test('renamed columns, formulas, embedded objects and single-table inheritance have their SQL', async (t) => {
  t.equal(
    countOf('filter[position]=1&filter[latinName]=x&filter[sku]=y', {
      allowedFilters: filters('position', 'latinName', 'articleNumber'),
    }),
    '"plant" as "e0" where "e0"."order" = $1 and "e0"."latinName" = $2 and "e0"."article_number" = $3 ' +
      'and "e0"."deleted_at" is null'
  )
  t.equal(countOf('filter[nameLength]=1', { allowedFilters: filters('nameLength') }),
    '"plant" as "e0" where (char_length("e0".name)) = $1 and "e0"."deleted_at" is null')
  t.match(countOf('filter[supplier.address.city]=Lyon', { allowedFilters: filters('supplier.address.city') }),
    '"e1"."address_city" = $1')
  t.equal(countOf('filter[carrier]=snail', { allowedFilters: filters('carrier') }, Parcel),
    '"delivery" as "e0" where "e0"."carrier" = $1 and "e0"."kind" in (\'parcel\')')
})

t.test('a custom type reads and writes with its own SQL', async (t) => {
  const options = {
    allowedFilters: [{ minimum: ['eq', 'lt', 'in', 'between'] }], allowedFields: fields('minimum'),
    allowedSorts: ['minimum'],
  }
  t.equal(countOf('filter[minimum]=1', options, Specimen),
    '"specimen" as "e0" where "e0"."minimum" = ($1::numeric * 10)::int')
  t.equal(countOf('filter[minimum][between]=1,2', options, Specimen),
    '"specimen" as "e0" where "e0"."minimum" between ($1::numeric * 10)::int and ($2::numeric * 10)::int')
  t.equal(
    countOf('filter[minimum][in]=1,2', options, Specimen),
    '"specimen" as "e0" where "e0"."minimum" = any(array(select ("@value"::numeric * 10)::int ' +
      'from unnest($1::text[]) as "@values"("@value")))'
  )
  const { text } = statementOf('fields=minimum&sort=minimum', options, Specimen)
  t.match(
    text,
    'select coalesce(("@page"."minimum" / 10.0)::float8, null) as "minimum" from (select "e0"."minimum" as "minimum" ' +
      'from "specimen" as "e0" order by "e0"."minimum", "e0"."id"'
  )
})

t.test('a sort places nulls only if they are possible, and never sorts by formatted text', async (t) => {
  const options = {
    allowedFields: fields('id', 'created_at'),
    allowedSorts: [
      'name', 'price', 'created_at', 'supplier', 'group', 'nameLength', 'supplier.name', 'group.parent.name',
      'supplier.address.street',
    ],
  }
  const order = (sort: string) => {
    const { text } = statementOf(`fields=id&sort=${sort}`, options, Plant)
    return / from "plant" as "e0"((?: left join .*)?) where "e0"\."deleted_at" is null order by (.*) limit \$1/.exec(
      text
    )!.slice(1)
  }
  const cases: ReadonlyArray<readonly [sort: string, joins: string, order: string]> = [
    ['name', '', '"e0"."name", "e0"."id"'],
    ['-name', '', '"e0"."name" desc, "e0"."id"'],
    ['price', '', '"e0"."price", "e0"."id"'],
    ['-price', '', '"e0"."price" desc nulls last, "e0"."id"'],
    ['-created_at', '', '"e0"."created_at" desc, "e0"."id"'],
    ['-supplier', '', '"e0"."supplier_id" desc, "e0"."id"'],
    ['-group', '', '"e0"."group_id" desc nulls last, "e0"."id"'],
    ['-nameLength', '', '(char_length("e0".name)) desc nulls last, "e0"."id"'],
    ['-supplier.name', ' left join "supplier" as "e1" on "e0"."supplier_id" = "e1"."id" and "e1"."deleted_at" is null',
      '"e1"."name" desc nulls last, "e0"."id"'],
    ['supplier.name,-supplier.address.street',
      ' left join "supplier" as "e1" on "e0"."supplier_id" = "e1"."id" and "e1"."deleted_at" is null',
      '"e1"."name", "e1"."address_street" desc nulls last, "e0"."id"'],
    [
      'group.parent.name',
      ' left join "group" as "e1" on "e0"."group_id" = "e1"."id" and "e1"."deleted_at" is null ' +
      'left join "group" as "e2" on "e1"."parent_id" = "e2"."id" and "e2"."deleted_at" is null',
      '"e2"."name", "e0"."id"',
    ],
  ]
  for (const [sort, joins, expected] of cases) t.strictSame(order(sort).slice(-2), [joins, expected], sort)
  t.match(
    statementOf('fields=created_at&sort=created_at', options, Plant).text,
    '"@page"."created_at"::text) as "created_at" ' +
      'from (select "e0"."created_at" as "created_at" from "plant" as "e0" where "e0"."deleted_at" is null ' +
      'order by "e0"."created_at", "e0"."id"'
  )
})

t.test('values of types without a JSON form are converted in SQL', async (t) => {
  const shown = (property: string) =>
    / as "total" from \(select (.*) as "[^"]*" from \(select "e0"/.exec(
      statementOf(`fields=${property}`, { allowedFields: fields(property) }, Specimen).text
    )![1]
  t.equal(shown('cells'), '"@page"."cells"::text')
  t.equal(shown('pollen'), '"@page"."pollen"')
  t.equal(shown('dryMass'), '"@page"."dry_mass"::text')
  t.equal(shown('value'), '"@page"."value"')
  t.equal(
    shown('measuredAt'),
    'coalesce(to_char(("@page"."measured_at" at time zone interval \'0\'), ' +
      'case when "@page"."measured_at" < \'0001-01-01Z\' then \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z BC"\' ' +
      'else \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\' end), "@page"."measured_at"::text)'
  )
  t.equal(
    shown('recordedAt'),
    'coalesce(to_char("@page"."recorded_at", ' +
      'case when "@page"."recorded_at"::timestamp(3) = "@page"."recorded_at" ' +
      'then \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\' else \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\' end) || ' +
      'case when "@page"."recorded_at" < \'0001-01-01Z\' then \' BC\' else \'\' end, "@page"."recorded_at"::text)'
  )
  t.equal(shown('scan'), "translate(encode(\"@page\".\"scan\", 'base64'), E'\\n', '')")
  t.equal(shown('dormancy'), '"@page"."dormancy"::text')
  t.equal(shown('readings'), '"@page"."readings"')
})
