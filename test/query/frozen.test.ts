/** The hidden classes of parsed queries: V8 remembers where the members of the objects of one class are. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { parseQueryParams } from '../../src/query/index.ts'

setFlagsFromString('--allow-natives-syntax')
const haveSameClass = runInNewContext('(one, other) => %HaveSameMap(one, other)') as (
  one: unknown,
  other: unknown
) => boolean
const isHashTable = runInNewContext('(object) => !%HasFastProperties(object)') as (object: unknown) => boolean

t.test('queries with the same members have one hidden class, and so have their filters and groups', async t => {
  const read = (value: number) =>
    parseQueryParams(
      `filter[price][gte]=${value}&filter[or][0][name]=a&filter[or][1][name]=b&page=${value}&fields[a]=b`
    )
  const [one, other] = [read(1), read(2)]
  const pairs = [
    ['the query', one, other],
    ['the fields of an include', one.fieldsByInclude, other.fieldsByInclude],
    ['a filter', one.filters[0], other.filters[0]],
    ['a group', one.groups[0], other.groups[0]],
    ['a member of a group', one.groups[0]!.members[0], other.groups[0]!.members[1]],
  ] as const
  for (const [name, a, b] of pairs) {
    t.ok(haveSameClass(a, b), `${name} has the class of others`)
    t.notOk(isHashTable(a), `${name} is no hash table`)
  }
})
