import t from 'tap'
import { isOperator, OPERATOR_NAMES, OPERATORS } from '../../src/config/index.ts'

t.test('every operator takes one value, a list, or a boolean', async t => {
  const taking = (kind: string) => OPERATOR_NAMES.filter(name => OPERATORS[name] === kind).join(' ')
  t.equal(taking('one'), 'eq ne lt lte gt gte like ilike contains starts ends')
  t.equal(taking('list'), 'in nin between overlap')
  t.equal(taking('boolean'), 'isnull')
  t.ok(Object.isFrozen(OPERATORS))
  t.ok(Object.isFrozen(OPERATOR_NAMES))
})

t.test('only their names are operators', async t => {
  t.ok(OPERATOR_NAMES.every(isOperator))
  for (const name of ['', 'EQ', 'constructor', '__proto__', 'toString', undefined, ['eq']]) t.notOk(isOperator(name))
})
