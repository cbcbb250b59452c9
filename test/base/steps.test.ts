/** Steps: what a blocking session does with promises, and what a stack shows of steps that have waited. */
import t from 'tap'
import { AbortedError } from '../../src/base/errors.ts'
import { cannotWait, doAtOnce, doInTurn, wait, type Steps } from '../../src/base/steps.ts'

const refused = { code: 'FST_CRUD_CONFIG_INVALID' }
const refusal = () => cannotWait('This takes a promise')

function * waiting (value: unknown): Steps<unknown> {
  return yield * wait(value, refusal)
}
function * outerStep (value: unknown): Steps<unknown> {
  return yield * waiting(value)
}

t.test('a blocking session refuses what would have to be awaited', async (t) => {
  let started = 0
  const lazy = {
    then (done: (value: string) => void) {
      started++
      done('rows')
    },
  }
  t.throws(() => doAtOnce(waiting(lazy)), refused, 'a query builder, which runs its query when it is awaited')
  await null
  t.equal(started, 0, 'and does not begin it')
  t.throws(() => doAtOnce(waiting(Promise.reject(new Error('unawaited')))), refused)
  t.equal(await doInTurn(waiting(lazy)), 'rows', 'an ordinary session waits for it')
})

t.test('the stack of an error shows the steps that have waited, once', async (t) => {
  const later = async (error: Error) => {
    await null
    throw error
  }
  const stackOf = async (make: () => Promise<unknown>) =>
    ((await doInTurn(outerStep(make())).catch((error: unknown) => error)) as Error).stack!
  const count = (stack: string) => stack.split(' at outerStep (').length - 1
  const fresh = async () => {
    await null
    throw new Error('fresh')
  }
  t.equal(count(await stackOf(fresh)), 1)

  let made: Error | undefined
  const shared = async () => {
    await null
    made ??= new Error('shared')
    const error = made
    throw error
  }
  const first = await stackOf(shared)
  t.equal(count(first), 1)
  for (let request = 0; request < 3; request++) t.equal(await stackOf(shared), first, 'a shared error does not grow')

  const frozen = async () => {
    await null
    const error = new Error('frozen')
    Object.freeze(error)
    throw error
  }
  t.match(await stackOf(frozen), /^Error: frozen/)
  t.equal(count(await stackOf(() => later(new AbortedError()))), 0, 'an error of the client stays as it is')
})
