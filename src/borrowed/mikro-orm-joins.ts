/**
 * The joins of MikroORM's QueryBuilder, for conditions on related rows. A query for a class of single-table inheritance
 * finds the rows of its subclasses, but a join to the class leaves them out. And the alias of a join can be the alias
 * that a builder was given. The list gives the reason for each borrowed member. The tests in test/borrowed fail when
 * one changes.
 */
import type { EntityMetadata } from '@mikro-orm/core'
import type { EntityManager, QueryBuilder } from '@mikro-orm/postgresql'
import { borrowedMembers } from './borrowed-member.ts'

export const JOIN_MEMBERS = borrowedMembers('@mikro-orm/sql', '7.2.1', [
  ['QueryBuilder', 'clone', 'replaced: it makes the builders of subqueries'],
  ['QueryBuilder', 'state', 'the number of the next alias'],
  ['QueryBuilder', 'helper', 'compiles the joins of a builder'],
  ['QueryBuilder', 'createQueryBuilderHelper', 'replaced: it makes another helper when a builder changes its table'],
  ['QueryBuilderHelper', 'createJoinExpression', 'replaced: a join to a class finds the rows of its subclasses, too'],
])

/** A join, with the members that decide which rows of a class it finds. */
interface Join {
  readonly alias: string
  /** The alias of the related rows, if `alias` is that of a pivot table. */
  readonly inverseAlias?: string
  readonly path?: string
  readonly prop: { readonly targetMeta?: EntityMetadata }
  readonly cond: Readonly<Record<string, unknown>>
}

interface Helper {
  createJoinExpression(join: Join, ...rest: unknown[]): unknown
}

interface Builder {
  readonly alias: string
  readonly state: { aliasCounter: number }
  readonly helper: Helper
  createQueryBuilderHelper(): Helper
  clone(...args: unknown[]): Builder
}

type AnyBuilder = QueryBuilder<any, any, any, any, any, any, any>

/** The objects that have the members; none if the ORM has no entities. */
export function buildersOf (em: EntityManager): Partial<Record<'QueryBuilder' | 'QueryBuilderHelper', object>> {
  const entity = [...em.getMetadata().getAll().values()].find(({ embeddable }) => !embeddable)
  if (entity === undefined) return {}
  const builder = em.createQueryBuilder(entity.class as never) as unknown as Builder
  return { QueryBuilder: builder, QueryBuilderHelper: builder.helper }
}

/**
 * Lets the joins of a builder and of its subqueries have other aliases than the builder itself. The numbers of their
 * aliases begin after that of the builder.
 *
 * @param qb a builder with an alias that ends with a number
 */
export function withOwnAlias<Qb extends AnyBuilder> (qb: Qb): Qb {
  const next = Number(/\d+$/.exec(qb.alias)![0]) + 1
  return change(qb, ({ state }) => {
    // a clone may have joins already
    state.aliasCounter = Math.max(state.aliasCounter, next)
  })
}

/** Returns the values that mark the rows of a class of single-table inheritance and of its subclasses. */
type ValuesOf = (meta: EntityMetadata) => readonly unknown[]

/** Lets the joins of a builder and of its subqueries find the rows of subclasses as well. */
export function joiningSubclasses<Qb extends AnyBuilder> (qb: Qb, valuesOf: ValuesOf): Qb {
  return change(qb, (builder) => {
    const make = builder.createQueryBuilderHelper
    replaceJoins(builder.helper, valuesOf)
    builder.createQueryBuilderHelper = () => replaceJoins(make.call(builder), valuesOf)
  })
}

/** Changes a builder, and those that it makes for subqueries. */
function change<Qb extends object> (qb: Qb, by: (builder: Builder) => void): Qb {
  const builder = qb as unknown as Builder
  by(builder)
  const { clone } = builder
  builder.clone = (...args) => change(clone.apply(builder, args), by)
  return qb
}

function replaceJoins (helper: Helper, valuesOf: ValuesOf): Helper {
  const { createJoinExpression } = helper
  helper.createJoinExpression = (join, ...rest) => {
    const { alias, inverseAlias = alias, path, prop: { targetMeta: target }, cond } = join
    const value = `${inverseAlias}.${String(target?.root.discriminatorColumn)}`
    if (
      target?.root.inheritanceType === 'sti' && target.discriminatorValue !== undefined &&
      // a callback of the application may name one class
      path?.endsWith('[pivot]') !== true && typeof cond[value] !== 'string' && typeof cond[value] !== 'number'
    ) {
      const ofClasses = { $in: valuesOf(target) }
      // the method assigns the value of the class itself to this member
      Object.defineProperty(cond, value, {
        configurable: true,
        enumerable: true,
        get: () => ofClasses,
        set: () => undefined,
      })
    }
    return createJoinExpression.call(helper, join, ...rest)
  }
  return helper
}
