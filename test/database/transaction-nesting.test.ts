/** Nested wrappers: every pair, and any tree of them. */
import type { EntityManager } from '@mikro-orm/postgresql'
import fc from 'fast-check'
import t from 'tap'
import { readOnly, ReadOnlyViolationError, withRetry, withTimeout, withTransaction } from '../../src/index.ts'
import { Account, accounts, add, failureOf, owners, reset } from '../helpers/accounts.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'

const WRAPPERS = {
  withTransaction: withTransaction(), withRetry: withRetry(), withTimeout: withTimeout(60_000), readOnly: readOnly(),
}
type Name = keyof typeof WRAPPERS
const NAMES = Object.keys(WRAPPERS) as Name[]
const WAYS = ['crud', 'orm', 'sql'] as const

/**
 * A function in a wrapper: the rows that it writes before and after its inner ones, and whether it fails in the end.
 */
interface Tree {
  readonly wrapper: Name
  readonly before: number
  readonly after: number
  readonly way: typeof WAYS[number]
  readonly inner: readonly Tree[]
  /** Whether the inner ones start together. */
  readonly together: boolean
  /** Whether it continues after an inner one fails. */
  readonly catches: boolean
  readonly fails: boolean
}

/** Any tree with the given number of levels. */
const treeOf = (levels: number): fc.Arbitrary<Tree> =>
  fc.record({
    wrapper: fc.oneof({ weight: 6, arbitrary: fc.constantFrom<Name>('withTransaction', 'withRetry', 'withTimeout') }, {
      weight: 1,
      arbitrary: fc.constant<Name>('readOnly'),
    }),
    before: fc.nat(1),
    after: fc.nat(1),
    way: fc.constantFrom(...WAYS),
    inner: levels === 1 ? fc.constant([]) : fc.array(treeOf(levels - 1), { maxLength: 3 }),
    together: fc.boolean(),
    catches: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    fails: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 3, arbitrary: fc.constant(false) }),
  })

/** The number of rows that a tree leaves, or `undefined` if it fails. */
function predict ({ wrapper, before, after, inner, catches, fails }: Tree, outerReadOnly = false): number | undefined {
  const isReadOnly = outerReadOnly || wrapper === 'readOnly'
  if (isReadOnly && before > 0) return undefined
  let rows = before
  for (const tree of inner) {
    const added = predict(tree, isReadOnly)
    if (added === undefined && !catches) return undefined
    rows += added ?? 0
  }
  if (fails || (isReadOnly && after > 0)) return undefined
  return rows + after
}

async function perform (
  em: EntityManager,
  { wrapper, before, after, way, inner, together, catches, fails }: Tree
): Promise<void> {
  await WRAPPERS[wrapper](async (em) => {
    const write = async (count: number) => {
      for (let i = 0; i < count; i++) await add(em, 'x', way)
    }
    const innerOf = async (tree: Tree) =>
      await perform(em, tree).catch((error: unknown) => {
        if (!catches) throw error
      })
    await write(before)
    if (together) await Promise.all(inner.map(innerOf))
    else for (const tree of inner) await innerOf(tree)
    await write(after)
    if (fails) throw new Error('it fails')
  })(em)
}

await forEachDatabase(t, { entities: [Account] }, async (t, { orm }) => {
  for (const outer of NAMES) {
    for (const inner of NAMES) {
      t.test(`${inner} nests in ${outer}`, async (t) => {
        await reset(orm)
        const writes = (name: Name) => name !== 'readOnly'
        const nested = WRAPPERS[outer](async (
          em,
          fn: (em: EntityManager) => Promise<unknown>
        ) => [await WRAPPERS[inner](fn)(em), await accounts.count(em)])
        t.strictSame(await nested(orm.em.fork(), async (em) => await accounts.count(em)), [2, 2], 'both return')
        const write = nested(orm.em.fork(), async (em) => {
          for (const way of WAYS) await add(em, 'inner', way)
        })
        if (writes(outer) && writes(inner)) t.strictSame(await write, [undefined, 5])
        else t.ok(await failureOf(write) instanceof ReadOnlyViolationError)
        await reset(orm)
        // the outer one continues, and may write if its mode allows it
        const after = WRAPPERS[outer](async (em) => {
          t.match(
            await failureOf(
              WRAPPERS[inner](async (em) => {
                await accounts.count(em)
                if (writes(outer) && writes(inner)) await add(em, 'undone')
                throw new Error('inner')
              })(em)
            ),
            { message: 'inner' }
          )
          await add(em, 'after')
        })(orm.em.fork())
        if (writes(outer)) await after
        else t.ok(await failureOf(after) instanceof ReadOnlyViolationError)
        t.strictSame(await owners(orm), ['a', 'b', ...(writes(outer) ? ['after'] : [])])
      })
    }
  }

  t.test('any tree of wrappers leaves the expected rows', { timeout: 300_000 }, async (t) => {
    await assertProperty(
      fc.asyncProperty(treeOf(4), async (tree) => {
        await orm.em.fork().execute('delete from account')
        const expected = predict(tree)
        const failed = await perform(orm.em.fork(), tree).then(() => false, () => true)
        const rows = (await owners(orm)).length
        if (failed !== (expected === undefined) || rows !== (expected ?? 0)) {
          throw new Error(`failed: ${failed}, rows: ${rows}, expected: ${expected}`)
        }
      }),
      { numRuns: 50 }
    )
    t.pass()
  })
})
