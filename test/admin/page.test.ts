/** The tables of operators in docs/front-ends/admin.md. */
import type { CrudFilter } from '@refinedev/core'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { filterOfReactAdmin as fromReactAdmin } from '../../src/admin/react-admin/react-admin-filters.ts'
import { filterOfRefine as fromRefine } from '../../src/admin/refine/refine-filters.ts'

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/front-ends/admin.md'), 'utf8')
const sectionOf = (heading: string): string => page.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!

t.test('react-admin has the operators of the page, with the meanings of the page', async (t) => {
  const row = sectionOf('Filters of react-admin').split('\n').find((line) => line.includes('`_gte`'))!
  const named = [...row.matchAll(/`_(\w+)`(?: \(`(\w+)`\))?/g)]
  t.equal(named.length, 12)
  for (const [, word, meaning] of named) {
    const filter = fromReactAdmin({ [`size_${word}`]: 1 })
    const [field, operators] = Object.entries((filter['not'] ?? filter) as object)[0]!
    t.equal(field, 'size', word!)
    if (meaning !== undefined) t.strictSame(Object.keys(operators as object), [meaning], word!)
  }
})

t.test('refine has the operators of the page, and no others', async (t) => {
  const rows = sectionOf('Filters of refine').split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
  t.equal(named.length, 30)
  const logical = named.filter((name) => name !== 'and' && name !== 'or')
  for (const operator of logical) {
    const filter = fromRefine([{ field: 'size', operator, value: 1 } as CrudFilter])
    t.strictSame(Object.keys((filter['not'] ?? filter) as object), ['size'], operator)
  }
  try {
    fromRefine([{ field: 'size', operator: 'about', value: 1 } as unknown as CrudFilter])
    t.fail('another operator is refused')
  } catch (error) {
    const [, all] = /but for (.*)\.$/.exec((error as Error).message)!
    t.strictSame(all!.split(', ').sort(), logical.sort())
  }
})
