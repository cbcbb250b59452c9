/**
 * The statements of hand-written routes for filters that keep any number of rows, from none to half of the table. They
 * first gather only the keys and sort values, since that is never far from the best form. PostgreSQL's time for a list
 * with two conditions and a total, as a ratio to it:
 *
 * | Rows that the filter keeps | 0 | 30 | 1 000 | 5 000 | 50 000 | the mixture |
 * | --- | ---: | ---: | ---: | ---: | ---: | ---: |
 * | whole rows are gathered, as for some hundred rows | 0.83 | 0.80 | 1.06 | 1.27 | 1.89 | 1.28 |
 * | the page and the total read the rows for themselves | 0.87 | 0.85 | 3.87 | 1.20 | 0.90 | 1.24 |
 * | `count(*) over ()` | 1.13 | 1.06 | 1.07 | 1.07 | 1.12 | 1.08 |
 *
 * In the second form, the planner reads the table in the order of the sort for 1 000 rows. The ratios of `search`,
 * `words` and `either` differ by at most 0.1 up to 1 000 rows, apart from this one: 1.30, 1.51 and 4.04.
 */
import {
  ARTICLE, EITHER, facetsOf, FILTERED, forSomeHundreds, ORDER, PRODUCTS, RECORD, SEARCHED, type Reads,
} from './statements.ts'

/**
 * The keys and sort values of all rows that the filter keeps, and the wide rows of the page only. Its total is their
 * number.
 */
const keysFirst = (where: string, limit: number, { more = '', columns = '', answer = '' } = {}) =>
  `with hits as materialized (select id, created_at${columns} from categories ${where})
  select (select json_agg(r)::text from (select ${RECORD}${more} from
    (select id from hits ${ORDER} limit ${limit} offset $1) as found join categories page using (id)
    order by page.created_at desc, page.id) as r) as items,
  (select count(*) from hits) as total${answer}`

const matching = (limit: number) =>
  `with hits as materialized (select id, ts_rank(words, query) as rank
    from articles, websearch_to_tsquery('english', $2) as query where words @@ query)
  select (select json_agg(r)::text from (select ${ARTICLE} from
    (select * from hits order by rank desc, id limit ${limit} offset $1) as found join articles page using (id)
    order by found.rank desc, found.id) as r) as items,
  (select count(*) from hits) as total`

export const forAnyAmount: Reads = {
  ...forSomeHundreds,
  list: (limit) => keysFirst(FILTERED, limit),
  include: (limit) => keysFirst(FILTERED, limit, { more: PRODUCTS }),
  search: (limit) => keysFirst(SEARCHED, limit),
  words: matching,
  either: (limit) => keysFirst(EITHER, limit),
  facets: (limit) => keysFirst(FILTERED, limit, { columns: ', name', answer: `, ${facetsOf}` }),
}
