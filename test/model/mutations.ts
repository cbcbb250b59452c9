/* eslint no-template-curly-in-string: off -- the texts are pieces of source */
/** Small mistakes in the product's source. The random tests must find each of them. */

export interface Mutation {
  /** The effect that a client would see. */
  readonly breaks: string
  readonly file: string
  /** Text that occurs once in the file. */
  readonly from: string
  readonly to: string
  /** The test that finds it. */
  readonly test: 'random-requests' | 'random-writes'
}

const reads = (breaks: string, file: string, from: string, to: string): Mutation => ({
  breaks, file, from, to, test: 'random-requests',
})
const writes = (breaks: string, file: string, from: string, to: string): Mutation => ({
  breaks, file, from, to, test: 'random-writes',
})

export const mutations: readonly Mutation[] = [
  reads('nulls come first in a descending order', 'src/sql/order.ts', "' desc nulls last'", "' desc nulls first'"),
  reads('`lte` leaves out what is equal', 'src/operators/table.ts', '{column} <= {value}', '{column} < {value}'),
  reads('`ne` matches null', 'src/operators/table.ts', '{column} <> {value}', '{column} is distinct from {value}'),
  reads('deleted rows are included, counted, and found behind relations', 'src/sql/visibility.ts',
    "visibility(target, alias, 'without', filter)", "visibility(target, alias, 'with', filter)"),
  reads('`not` leaves out rows for which the condition is unknown', 'src/sql/condition.ts', ') is not true`',
    ') is false`'),
  reads('the total counts deleted rows, and those that filters leave out', 'src/sql/rows-direct.ts',
    '(select count(*) from ${table}${where})', '(select count(*) from ${table})'),
  reads('a page without a total has a row too few, or does not know of a next page', 'src/plan/plan.ts',
    "count === 'exact' ? limitSlot : values.add(limit + 1)", "count === 'exact' ? limitSlot : values.add(limit)"),
  reads('`between` leaves out its first value', 'src/operators/table.ts', '{column} between {low} and {high}',
    '{column} > {low} and {column} <= {high}'),
  reads(
    '`in` of an empty list matches everything',
    'src/operators/read-operand.ts',
    'export const readArray: ReadTexts = (texts, convert, type) => {',
    'export const readArray: ReadTexts = (texts, convert, type) => {\n' +
      "  if (texts.length === 0) return { kind: 'nothing' }"
  ),
  reads('the alias of a filter is ignored', 'src/plan/filters/operators.ts', '...withAlias(filter.alias, name)',
    'name'),
  reads('the key does not break ties', 'src/plan/order.ts', 'if (present) continue',
    'if (present || order.length > 0) continue'),
  reads('a cursor leads to the row that it comes from', 'src/answer/cursor-page.ts', 'rows.slice(witnessed ? 1 : 0, ',
    'rows.slice(0, '),
  reads('conditions on one path hold for different related rows', 'src/plan/filters/tree.ts',
    'related.set(relation, tree = new ConditionTree())', 'tree = new ConditionTree()'),
  reads('members of an `and` hold for different related rows', 'src/plan/filters/plan-level.ts',
    'entries()) plan(member, index, tree)', 'entries()) tree.conditions.push(...planned(member, index))'),
  reads('a `_` in a search stands for any character', 'src/operators/pattern.ts', 'value.replace(/[\\\\%_]/g',
    'value.replace(/[\\\\%]/g'),
  reads('a relation that is limited has one record less', 'src/sql/record.ts', '} <= ${numberSql(rules.limit)}',
    '} < ${numberSql(rules.limit)}'),
  reads('the condition of an include leaves out nothing', 'src/sql/record.ts',
    'relatedRows(relation, parents, rules?.where, context)', 'relatedRows(relation, parents, undefined, context)'),
  reads('the condition of an aggregate leaves out nothing', 'src/sql/aggregate.ts',
    'relatedRows(relation, parents, where, context)', 'relatedRows(relation, parents, undefined, context)'),
  reads('the condition of a number of each record leaves out nothing', 'src/sql/related-numbers.ts',
    "relatedRows(relation, parents, where, context, 'each')",
    "relatedRows(relation, parents, undefined, context, 'each')"),
  reads('aggregates of one relation have the condition of the first one', 'src/sql/number-uses.ts',
    "`${idOf(relation)} ${where === undefined ? '' : idOf(where)}`", 'idOf(relation)'),
  reads('a count of no records is null', 'src/sql/aggregate.ts', 'sql`coalesce(${value}, 0)`', 'value'),
  reads('a relation that does not exist exists', 'src/sql/aggregate.ts',
    'sql`${name(expression, keyName(0))} is not null`', "trusted('true')"),
  writes('a change does not change the version', 'src/sql/assignments.ts',
    'return [sql`${name(version.column)} = ${next}`]',
    'return [sql`${name(version.column)} = ${name(alias, version.column)}`]'),
  writes('`If-Match` is ignored', 'src/sql/write-target.ts', 'if (versions !== undefined) where.push',
    'if (versions === undefined) where.push'),
]
