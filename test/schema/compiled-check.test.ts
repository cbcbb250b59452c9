/** Checks give the same answers with and without TypeBox's compiler. */
import { execFileSync } from 'node:child_process'
import t from 'tap'

const check = new URL('../../src/schema/compiled-check.ts', import.meta.url).href

/** Answers of a new process: before the compiler is loaded, and after that. */
function answers (...flags: readonly string[]): unknown {
  const script = `
    import { Type } from '@sinclair/typebox'
    import { checkOf, loadCompiler } from ${JSON.stringify(check)}
    const accepts = checkOf(Type.Object({ name: Type.String() }, { additionalProperties: false }))
    const all = () => [{ name: 'x' }, { name: 5 }, {}, { name: 'x', other: 1 }, null].map(accepts)
    const before = all()
    await loadCompiler()
    let generated = 0
    const { Function: Original } = globalThis
    globalThis.Function = function (...args) { generated++; return Original(...args) }
    console.log(JSON.stringify({ before, after: all(), generated: generated > 0 }))`
  return JSON.parse(
    execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', script], { encoding: 'utf8' })
  )
}

const verdicts = [true, false, false, false, false]

t.test('a schema is interpreted until the compiler is loaded, and compiled after that', async (t) => {
  t.strictSame(answers(), { before: verdicts, after: verdicts, generated: true })
})

t.test('a process that must not generate code interprets schemas', async (t) => {
  t.match(answers('--disallow-code-generation-from-strings'), { before: verdicts, after: verdicts })
})
