/** "Did you mean" is one click: the suggestion of an error, applied to the request, is a request that is accepted. */
import t from 'tap'
import { formatQuery, parseQuery } from '../../explorer/url/address.ts'
import { withSuggestion } from '../../explorer/url/suggestions.ts'
import { AllowedFilters } from '../../src/index.ts'
import { entities, Plant } from '../fixtures/entities.ts'
import { resource, serve } from '../http/helper.ts'
import { forOneDatabase } from '../helpers/databases.ts'
import { openExample } from '../helpers/example.ts'

/** Descriptions of filters by their operators. Those in `own` compare a property of the record. */
const filtersBy = (operators: Readonly<Record<string, readonly string[]>>, own: readonly string[]) => (name: string) =>
  operators[name] &&
    { field: own.includes(name) ? name : null, operators: operators[name].map((operator) => ({ name: operator })) }
const filterOf = filtersBy(
  { name: ['eq', 'in'], price: ['gt'], status: ['eq'], 'tags.name': ['eq'] },
  ['name', 'price', 'status']
)

t.test('suggestions of the example', async (t) => {
  const app = await openExample(t)
  for (const [query, mended] of [
    ['filter[nme]=x&page=1', '?filter[name]=x'],
    ['filter[status]=active&filter[nme][in]=x,y&sort=-price',
      '?filter[status]=active&filter[name][in]=x,y&sort=-price'],
    ['filter[price][gtt]=1', '?filter[price][gt]=1'],
    ['filter[tags][name]=sale', '?filter[tags.name]=sale'],
    ['filter[status]=actve', '?filter[status]=active'],
    ['sort=name,-prise', '?sort=name,-price'],
    ['include=tags,product', '?include=tags,products'],
    ['fields=id,nam', '?fields=id,name'],
    ['include=products&fields[products]=nam', '?include=products&fields[products]=name'],
    ['name=x', '?filter[name]=x'],
    ['perPage=3', '?per_page=3'],
  ] as const) {
    const params = parseQuery(query)
    const refused = await app.inject({ url: `/categories${formatQuery(params)}` })
    t.equal(refused.statusCode, 400, query)
    const next = withSuggestion(params, refused.json().errors[0], filterOf)
    t.equal(next && formatQuery(next), mended, query)
    t.equal((await app.inject({ url: `/categories${formatQuery(next ?? [])}` })).statusCode, 200, mended)
  }
  for (const [query, ...steps] of [
    ['filter[prise][gtt]=1', '?filter[price][gtt]=1', '?filter[price][gt]=1'],
    ['filter[tags.nme][eqq]=1', '?filter[tags.name][eqq]=1', '?filter[tags.name][eq]=1'],
  ] as const) {
    let params = parseQuery(query)
    for (const mended of steps) {
      const refused = await app.inject({ url: `/categories${formatQuery(params)}` })
      params = withSuggestion(params, refused.json().errors[0], filterOf)!
      t.equal(formatQuery(params), mended, 'one mistake after the other')
    }
  }
})

await forOneDatabase(t, { entities }, async (t, { orm }) => {
  t.test('a path in two brackets becomes the filter with its alias', async (t) => {
    const grower = new AllowedFilters('supplier.name', 'eq', ['eq', 'contains'], { alias: 'grower' })
    const app = await serve(t, orm, {
      '/known': resource(Plant, { allowedFilters: [{ supplier: ['eq', 'ne'] }, grower] }),
      '/unknown': resource(Plant, { allowedFilters: [{ status: ['eq'] }, grower] }),
    })
    const known = { supplier: ['eq', 'ne'], grower: ['eq', 'contains'] }
    const unknown = { status: ['eq'], grower: ['eq', 'contains'] }
    for (const [path, filters, query, mended] of [
      ['/known', known, 'filter[supplier][name]=x', '?filter[grower]=x'],
      ['/known', known, 'filter[supplier][nee]=1', '?filter[supplier][ne]=1'],
      ['/unknown', unknown, 'filter[supplier][name]=x', '?filter[grower]=x'],
      ['/unknown', unknown, 'filter[growr][contains]=x', '?filter[grower][contains]=x'],
    ] as const) {
      const params = parseQuery(query)
      const refused = await app.inject({ url: `${path}${formatQuery(params)}` })
      t.equal(refused.statusCode, 400, query)
      const next = withSuggestion(params, refused.json().errors[0], filtersBy(filters, ['supplier', 'status']))
      t.equal(next && formatQuery(next), mended, `${path} ${query}`)
      t.equal((await app.inject({ url: `${path}${formatQuery(next ?? [])}` })).statusCode, 200, mended)
    }
  })
})

t.test('an error without a suggestion changes nothing', async (t) => {
  const params = parseQuery('sort=name')
  t.equal(withSuggestion(params, { source: { parameter: 'sort' }, code: 'X', detail: 'No.' }, filterOf), undefined)
  t.equal(withSuggestion(params, { code: 'X', detail: 'No.', suggestion: 'a' }, filterOf), undefined)
  const other = { source: { parameter: 'perPage' }, code: 'X', detail: 'No.', suggestion: 'per_page' }
  t.equal(withSuggestion(params, other, filterOf), undefined)
})
