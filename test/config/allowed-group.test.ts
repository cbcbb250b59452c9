/** The mistakes in groups and aggregates that their constructors refuse. */
import t from 'tap'
import { AllowedAggregate, AllowedGroup } from '../../src/config/index.ts'

const aggregate = (...given: readonly unknown[]) => () => new (AllowedAggregate as any)('price', ...given)
const dates = (...given: readonly unknown[]) => () => (AllowedGroup as any).date('sownOn', ...given)

const FUNCTIONS = "'sum', 'avg', 'min', 'max', 'countDistinct'"
const noZone = (name: string): string =>
  `AllowedGroup.date 'sownOn': timeZone: there is no time zone '${name}'; write its name in the IANA database, ` +
  "such as 'Europe/Berlin'"

for (const [make, message] of [
  [aggregate(), "AllowedAggregate 'price': name its functions: new AllowedAggregate('price', ['sum'])"],
  [aggregate([]), `AllowedAggregate 'price': functions must be a list of ${FUNCTIONS}, got an empty one`],
  [aggregate('sum'), `AllowedAggregate 'price': functions must be a list of ${FUNCTIONS}, got 'sum'`],
  [
    aggregate(['avg', 'sums']),
    `AllowedAggregate 'price': functions[1]: expected one of ${FUNCTIONS}, got 'sums'. Did you mean 'sum'?`,
  ],
  [aggregate(['sum', 'sum']), "AllowedAggregate 'price': functions names 'sum' twice"],
  [
    dates(['hour']),
    "AllowedGroup.date 'sownOn': units[0]: expected one of 'day', 'week', 'month', 'year', got 'hour'.",
  ],
  [dates(['day'], { timeZone: 'Europe/Berln' }), noZone('Europe/Berln')],
  [dates(['day'], { timeZone: '+01:00' }), noZone('+01:00')],
] as const) {
  t.test(message, async (t) => t.throws(make, { code: 'FST_CRUD_CONFIG_INVALID', message }))
}
