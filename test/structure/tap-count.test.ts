import t from 'tap'
import { countAssertions, isNews } from '../../scripts/tap.ts'

t.test('the last summary counts, and those of subtests do not', async (t) => {
  const text = 'ok 1 - a\n    # { total: 2, pass: 2 }\n# { total: 24, pass: 21, fail: 2, skip: 1 }\n# time=1ms\n'
  t.strictSame(countAssertions(text), { passed: 21, failed: 2, skipped: 1 })
})

t.test('an output without a summary counts as no test', async (t) => {
  t.strictSame(countAssertions(''), { passed: 0, failed: 0, skipped: 0 })
})

t.test('files, failures and diagnostics are printed, and passed assertions are not', async (t) => {
  const news = [
    'ok 1 - test/a.test.ts # time=1ms', 'not ok 2 - test/b.test.ts', '    not ok 1 - b', '      found: 2',
    '# { total: 3 }',
  ]
  for (const line of news) t.ok(isNews(line), line)
  for (const line of ['    ok 1 - a', '        1..1', '    # Subtest: a', '# Subtest: test/a.test.ts', '  ']) {
    t.notOk(isNews(line), line)
  }
})
