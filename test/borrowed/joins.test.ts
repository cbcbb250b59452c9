import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM, type QueryBuilder } from '@mikro-orm/postgresql'
import assert from 'node:assert/strict'
import t from 'tap'
import * as borrowed from '../../src/borrowed/mikro-orm-joins.ts'
import { testContracts } from './helper.ts'

const Book = defineEntity({
  name: 'Book', discriminatorColumn: 'kind', discriminatorValue: 'book',
  properties: { id: p.integer().primary(), title: p.string(), lots: () => p.oneToMany(Lot).mappedBy('book') },
})
const Atlas = defineEntity({ name: 'Atlas', extends: Book, discriminatorValue: 'atlas', properties: {} })
const Lot = defineEntity({
  name: 'Lot',
  properties: {
    id: p.integer().primary(), note: p.string(), twin: () => p.manyToOne(Lot),
    book: () => p.manyToOne(Book), others: () => p.manyToMany(Book).pivotTable('lot_others'),
  },
})
const library = await MikroORM.init({ entities: [Book, Atlas, Lot], dbName: 'none', connect: false } as never)
t.teardown(() => library.close(true))
const { em } = library as unknown as MikroORM
const valuesOf = (): readonly string[] => ['book', 'atlas']

const lots = (alias = 'e0') => em.createQueryBuilder(Lot, alias)
const sqlOf = (qb: QueryBuilder<any, any, any, any, any>, where: object): string =>
  qb.andWhere(where as never).toQuery().sql
const [ONE, SOME] = [{ book: { title: 'x' } }, { others: { $some: { title: 'x' } } }]

await testContracts(borrowed.JOIN_MEMBERS, {
  'QueryBuilder.clone': {
    does: 'makes the builders of subqueries',
    holds: () => {
      const joined = borrowed.joiningSubclasses(lots(), valuesOf)
      assert.match(sqlOf(joined, SOME), /in \(select .* "b1"\."kind" in \(\?, \?\) where/)
    },
  },
  'QueryBuilder.state': {
    does: 'has the number of the next alias',
    holds: () => {
      assert.match(sqlOf(lots('b1'), ONE), /as "b1" \w+ join "book" as "b1"/)
      assert.match(sqlOf(borrowed.withOwnAlias(lots('b1')), ONE), /as "b1" \w+ join "book" as "b2"/)
      assert.match(sqlOf(borrowed.withOwnAlias(lots('b1')), SOME), /from "lot" as "b1" .* join "book" as "b2"/)
      // a clone has the joins of its original
      const joined = borrowed.withOwnAlias(lots('b1')).where({ twin: { note: 'x' } })
      const aliases = sqlOf(joined.clone() as never, { twin: { twin: { note: 'x' } } }).matchAll(/(?<= as )"\w+"/g)
      assert.deepEqual([...aliases].map(String), ['"b1"', '"l2"', '"l3"'])
    },
  },
  'QueryBuilder.helper': {
    does: 'compiles the joins of a builder',
    holds: () => assert.match(sqlOf(borrowed.joiningSubclasses(lots(), valuesOf), ONE), /"b1"\."kind" in \(\?, \?\)/),
  },
  'QueryBuilder.createQueryBuilderHelper': {
    does: 'makes another helper when a builder changes its table',
    holds: () => {
      const qb = borrowed.joiningSubclasses(em.createQueryBuilder(Book, 'e0'), valuesOf).from(Lot)
      assert.match(sqlOf(qb as never, ONE), /"b1"\."kind" in \(\?, \?\)/)
    },
  },
  'QueryBuilderHelper.createJoinExpression': {
    does: 'leaves the rows of subclasses out of a join to a class',
    holds: () => {
      assert.match(sqlOf(lots(), ONE), /"b1"\."kind" = \?/)
      assert.match(sqlOf(lots(), SOME), /"b1"\."kind" = \?/)
      // a callback names the class
      const joined = borrowed.joiningSubclasses(lots(), valuesOf).innerJoin('book' as never, 'o', { 'o.kind': 'book' })
      for (let time = 0; time < 2; time++) assert.match(joined.toQuery().sql, /"o"\."kind" = \?/)
    },
  },
})
