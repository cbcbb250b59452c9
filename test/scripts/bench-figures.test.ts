/** The figures that documents take from the saved results of the benchmark. */
import t from 'tap'
import { pagesWithFigures, savedTable, withFigures, withTable } from '../../bench/figures.ts'

t.test('the figures of documents are those of the saved results', async (t) => {
  const pages = pagesWithFigures()
  t.ok(pages.length > 1)
  for (const { page, is, should } of pages) t.equal(is, should, `${page}: npm run bench -- --figures updates it`)
})

const SAVED = `# Results

## CPU

|  | a | b |
| --- | ---: | ---: |
| x | 1 | 2.5x (2 to 3) |

## Time

|  | c |
| --- | --- |
| y | 3 |
`

t.test('tables of saved results are found by their heading, or by a column', async (t) => {
  t.strictSame(savedTable(SAVED, { heading: '## CPU' }), [{ '': 'x', a: '1', b: '2.5x (2 to 3)' }])
  t.strictSame(savedTable(SAVED, { head: 'c' }), [{ '': 'y', c: '3' }])
  t.throws(() => savedTable(SAVED, { heading: '## Memory' }), { message: "the saved page has no part '## Memory'" })
  t.throws(() => savedTable(SAVED, { head: 'd' }), { message: "the saved page has no table with a column 'd'" })
})

t.test('the first table below a heading is replaced', async (t) => {
  const page = '# A\n\n| 1 |\n\n## B\n\nText.\n\n| 2 |\n|---|\n| 3 |\n\nMore.\n\n| 4 |\n'
  t.equal(withTable(page, { heading: '## B', write: () => '| 5 |' }), page.replace('| 2 |\n|---|\n| 3 |', '| 5 |'))
  t.throws(() => withTable(page, { heading: '## C', write: () => '' }), { message: /^a page must have a table/ })
})

t.test('figures are replaced in a sentence that may be broken into lines', async (t) => {
  const text = 'It takes {} times as long (of all), and {} with one.'
  const page = 'Here. It takes 17\ntimes as long (of all), and 1.5 with one. There.'
  t.equal(withFigures(page, { text, figures: () => ['2.25', '3'] }), page.replace('17', '2.25').replace('1.5', '3'))
  for (const wrong of ['Here.', `${page} ${page}`]) {
    t.throws(() => withFigures(wrong, { text, figures: () => [] }), { message: /^a page must have this sentence/ })
  }
})
