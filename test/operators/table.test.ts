import t from 'tap'
import { isOperator, OPERATOR_NAMES, OPERATORS } from '../../src/operators/index.ts'

t.test('every operator describes its value', async t => {
  const taking = (kind: string) => OPERATOR_NAMES.filter(name => OPERATORS[name].value === kind).join(' ')
  t.equal(taking('one'), 'eq ne lt lte gt gte ieq')
  t.equal(taking('text'), 'like ilike contains starts ends')
  t.equal(taking('list'), 'in nin')
  t.equal(taking('pair'), 'between')
  t.equal(taking('items'), 'overlap')
  t.equal(taking('boolean'), 'isnull')
  t.ok(Object.isFrozen(OPERATORS))
  t.ok(Object.isFrozen(OPERATOR_NAMES))
})

t.test('only their names are operators', async t => {
  t.ok(OPERATOR_NAMES.every(isOperator))
  for (const name of ['', 'EQ', 'constructor', '__proto__', 'toString', undefined, ['eq']]) t.notOk(isOperator(name))
})
