/** Statements that keep an answer within its limits, as text and by their results. */
import { p } from '@mikro-orm/postgresql'
import t from 'tap'
import { AllowedInclude } from '../../src/config/index.ts'
import { planGet, planList, resolveWhitelist, type ReadPlan } from '../../src/plan/index.ts'
import { parseQueryParams } from '../../src/query/index.ts'
import { modelsOf } from '../helpers/models.ts'
import { compiled, oneLine, whitelist, type Names } from './helper.ts'
import { entity } from '../helpers/entity.ts'

const Shop = entity('Shop', {
  id: p.integer().primary(), notes: p.text().nullable(), map: p.json<object>().nullable(),
  items: () => p.oneToMany(Item).mappedBy('shop'),
}, { tableName: 'shop' })
const Item = entity('Item', {
  id: p.integer().primary(), name: p.string().length(40), manual: p.text(), shop: () => p.manyToOne(Shop),
  parts: () => p.oneToMany(Part).mappedBy('item'),
}, { tableName: 'item' })
const Part = entity('Part', { id: p.integer().primary(), size: p.integer(), item: () => p.manyToOne(Item) }, {
  tableName: 'part',
})

const models = modelsOf([Shop, Item, Part])
const allowed: Names = {
  allowedFields: ['id', 'notes', 'map', 'items.id', 'items.name', 'items.manual', 'items.parts.size'],
  allowedIncludes: ['items', 'items.parts'],
}

function plan (query: string, pagination: Names['pagination'] = {}): ReadPlan {
  return planList(parseQueryParams(query), resolveWhitelist(whitelist({ ...allowed, pagination }), models.of(Shop)))
}
const textOf = (plan: ReadPlan) => compiled(plan).text
const statement = (query: string, pagination?: Names['pagination']) => textOf(plan(query, pagination))

t.test('a page without long values and includes is the same as without limits', async (t) => {
  t.notMatch(statement('fields=id'), /octet_length|weight|limit 1/)
})

t.test('a mark replaces a long value of the page, so that a page of them fits into an answer', async (t) => {
  // 16 MiB for two values of a hundred rows
  t.match(
    statement('fields=notes,map'),
    oneLine(`
    select case when octet_length("@page"."notes") > 83886 then '@fastify-crud-kit/too-long'
    else "@page"."notes" end as "notes",
    case when pg_column_size("@page"."map") > 83886 then to_json('@fastify-crud-kit/too-long'::text)
    else to_json("@page"."map") end as "map" from`)
  )
})

t.test('an include of short values is cut off one row above its limit', async (t) => {
  t.match(
    statement('fields=id&include=items&fields[items]=id', { maxIncluded: 7 }),
    oneLine(`
    "@2_items" as (select "@3_items_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@3_items_rows"."id") as "@json"
    from (select "e1"."shop_id" as "@key0", "e1"."id" as "id" from "item" as "e1"
    where "e1"."shop_id" in (select "@page"."id" from "@page") limit 8) as "@3_items_rows"
    cross join lateral (select "@3_items_rows"."id" as "id") as "@row"
    group by "@3_items_rows"."@key0")`)
  )
})

t.test('an include that cannot be too large has no limit', async (t) => {
  const options = { ...allowed, allowedIncludes: [new AllowedInclude('items', { limit: 5 })] }
  const of = (maxIncluded: number, query: string) =>
    textOf(
      planList(parseQueryParams(query),
        resolveWhitelist(whitelist({ ...options, pagination: { maxPerPage: 10, maxIncluded } }), models.of(Shop)))
    )
  t.notMatch(of(50, 'include=items&fields[items]=id'), /@records|octet_length\("@[0-9]|limit 51/)
  const one = planGet(1, parseQueryParams('fields=id&include=items&fields[items]=id'),
    resolveWhitelist(whitelist({ ...options, pagination: { maxIncluded: 5 } }), models.of(Shop)))!
  t.notMatch(textOf(one), /limit 6/)
})

t.test('a nested include is measured level by level, before any JSON is written', async (t) => {
  t.equal(
    statement('fields=id&include=items.parts&fields[items]=name&fields[items.parts]=size', { maxIncluded: 7 }),
    oneLine(`
    with "@page" as (select "e0"."id" as "id" from "shop" as "e0"
    order by "e0"."id" limit $1 offset $2),
    "@4_items_rows" as (select "e1"."shop_id" as "@key0", "e1"."name" as "name", "e1"."id" as "id"
    from "item" as "e1" where "e1"."shop_id" in (select "@page"."id" from "@page") limit 8),
    "@6_parts_rows" as (select "e2"."item_id" as "@key0", "e2"."size" as "size", "e2"."id" as "@sort0"
    from "part" as "e2" where "e2"."item_id" in (select "@4_items_rows"."id" from "@4_items_rows") limit 8),
    "@7_parts_weight" as (select "@6_parts_rows"."@key0" as "@key0", count(*) as "@records" from "@6_parts_rows"
    group by "@6_parts_rows"."@key0"),
    "@8_items_weight" as (select "@4_items_rows"."@key0" as "@key0",
    sum(1 + coalesce("@7_parts_weight"."@records", 0)) as "@records"
    from "@4_items_rows" left join "@7_parts_weight" on "@7_parts_weight"."@key0" = "@4_items_rows"."id"
    group by "@4_items_rows"."@key0"),
    "@2_weight" as (select case when "@records0" > 7 then case greatest("@records0") when "@records0"
    then '0' end end as "@excess"
    from (select coalesce(sum("@8_items_weight"."@records"), 0) as "@records0" from "@page"
    left join "@8_items_weight" on "@8_items_weight"."@key0" = "@page"."id") as "@sums"),
    "@5_parts" as (select "@6_parts_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@6_parts_rows"."@sort0") as "@json"
    from "@6_parts_rows"
    cross join lateral (select "@6_parts_rows"."size" as "size") as "@row"
    where (select "@excess" is null from "@2_weight") group by "@6_parts_rows"."@key0"),
    "@3_items" as (select "@4_items_rows"."@key0" as "@key0", json_agg(row_to_json("@row".*)
    order by "@4_items_rows"."id") as "@json"
    from "@4_items_rows" left join "@5_parts" on "@5_parts"."@key0" = "@4_items_rows"."id"
    cross join lateral (select "@4_items_rows"."name" as "name", coalesce("@5_parts"."@json", '[]'::json) as "parts")
    as "@row" where (select "@excess" is null from "@2_weight") group by "@4_items_rows"."@key0")
    select case when not octet_length("items") > 16777216 then "items" end as "items", "fetched" as "fetched",
    "total" as "total",
    case when octet_length("items") > 16777216 then 'bytes' else (select "@excess" from "@2_weight") end as "excess"
    from (select string_agg(row_to_json("@row".*)::text, ',') as "items", count(*) as "fetched",
    case when count(*) < $1 and (count(*) > 0 or $2 = 0) then $2 + count(*) else (select count(*)
    from "shop" as "e0") end as "total"
    from (select "@page"."id" as "id", coalesce("@3_items"."@json", '[]'::json) as "items"
    from "@page" left join "@3_items" on "@3_items"."@key0" = "@page"."id" where (select "@excess" is null
    from "@2_weight") order by "@page"."id" offset 0) as "@row") as "@rows"`)
  )
})

t.test('included long values are measured by their length', async (t) => {
  const text = statement('fields=notes&include=items&fields[items]=manual', { maxBytes: 1000 })
  t.match(
    text,
    'count(*) as "@records", sum(0 + coalesce(octet_length("@4_items_rows"."manual"), 0)) as "@bytes" ' +
      'from "@4_items_rows"'
  )
  t.match(text, 'when "@bytes" > 1000 then \'bytes\' end as "@excess"')
  t.match(
    text,
    'coalesce(sum(0 + coalesce(octet_length("@page"."notes"), 0) + coalesce("@5_items_weight"."@bytes", 0)), ' +
      '0) as "@bytes"'
  )
})

t.test('pages by cursor and single records are also measured', async (t) => {
  const cursor = compiled(plan('fields=id&include=items.parts&cursor='))
  t.match(cursor.text, 'select case when (select "@excess" is null from "@3_weight") then row_to_json("@row".*)')
  t.equal(cursor.columns!.at(-1), '@excess')
  const resolved = resolveWhitelist(whitelist(allowed), models.of(Shop))
  const one = compiled(planGet(1, parseQueryParams('fields=id&include=items.parts'), resolved)!)
  t.match(
    one.text,
    'select case when (select "@excess" is null from "@2_weight") ' +
      'then row_to_json("@row".*)::text end as "item", (select "@excess" from "@2_weight") as "excess" from'
  )
  t.strictSame(one.columns, ['item', 'excess'])
})
