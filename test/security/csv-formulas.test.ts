/** Cells that a spreadsheet would read as a formula (OWASP, "CSV Injection"), or as several cells. */
import { p } from '@mikro-orm/core'
import { parse, type Options } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { CrudBase, crudKit, type CrudRecord } from '../../src/index.ts'
import { forEachDatabase } from '../helpers/databases.ts'
import { assertProperty } from '../helpers/property.ts'
import { newServer } from '../helpers/server.ts'
import { whitelist } from '../helpers/resource.ts'
import { entity } from '../helpers/entity.ts'

const Entry = entity('Entry', {
  id: p.integer().primary(), note: p.text(), parts: p.array().$type<string[]>(), data: p.json<unknown>().nullable(),
  amount: p.decimal().precision(12).scale(2), total: p.bigint(), ratio: p.double(), day: p.date(),
})

/** A reader that takes each CR and LF outside of quotes for the end of a row, as spreadsheets do. */
const READER = { record_delimiter: ['\r\n', '\n', '\r'] } satisfies Options

const FORMULAS = [
  '=1+1', "=cmd|' /C calc'!A0", '+1', '+49 30 123', '-1', '-2+3', '@SUM(A1)', '\t=1', '\rx', '\nx', '＝1', '＋1', '－1',
  '＠x', ' =1', '\u00a0=1', '\u3000@x', '\ufeff=1', '="a"', '=1,2;3', '\r=1', '\n=1', '-infinity',
]
/** Quoted, each of these is a part of its cell: a formula begins at the start of one. */
const INSIDE = ['a\n=1', 'a\r=1', 'a\r\n=1', 'a,=1', 'a;=1', 'a\t=1', 'a",=1', 'a"\n=1', 'a\n"=1"']
const HARMLESS = [...INSIDE, '', 'a=1', 'a-b', "'=1", ' a', '1-2', '"=1"', '(=1)', '–1']

await forEachDatabase(t, { entities: [Entry] }, async (t, { orm }) => {
  const texts = [...FORMULAS, ...HARMLESS]
  const queryConfig = whitelist({ allowedFields: ['id', 'note'] })
  const rows = texts.map((note, id) => ({
    id, note, parts: [note], data: null, amount: '-12.50', total: '-9007199254740993',
    ratio: id === 0 ? '-Infinity' : '-0.5', day: '2024-02-29',
  }))
  const sql = 'insert into entry (id, note, parts, data, amount, total, ratio, day) ' +
    'select id, note, parts, data, amount, total, ratio, day from json_populate_recordset(null::entry, ?::json)'
  await orm.em.getConnection().execute(sql, [JSON.stringify(rows)])
  const app = newServer(t)
  const execute = (sql: string, values: readonly unknown[] = []) => orm.em.getConnection().execute(sql, [...values])
  const loud = new (class extends CrudBase {
    override afterRead ({ id, note, amount }: CrudRecord) {
      return { id, '=note': note, amount, copy: `=${note}` }
    }
  })({ model: Entry })
  await app.register(crudKit, {
    orm,
    indexAdvice: false,
    resources: {
      '/entries': { crud: new CrudBase({ model: Entry }), operations: ['list'], stream: true },
      '/plain': {
        crud: new CrudBase<any>({ model: Entry, queryConfig }), operations: ['list'],
        stream: { csv: { escapeFormulas: false } },
      },
      '/loud': { crud: loud, operations: ['list'], stream: true },
    },
  })
  const read = async (url: string): Promise<Record<string, string>[]> => {
    const { body } = await app.inject({ url, headers: { accept: 'text/csv' } })
    return parse(body, { columns: true, ...READER }) as Record<string, string>[]
  }

  t.test('only texts that could be formulas are prefixed with an apostrophe', async (t) => {
    const records = await read('/entries')
    t.strictSame(records.map(({ note }) => note), [...FORMULAS.map((text) => `'${text}`), ...HARMLESS])
    for (const [index, { amount, total, ratio, day, parts, data }] of records.entries()) {
      t.strictSame([amount, total, ratio, day, data], [
        '-12.50', '-9007199254740993', index === 0 ? '-Infinity' : '-0.5', '2024-02-29', '',
      ])
      t.equal(parts, JSON.stringify([texts[index]]))
    }
  })

  t.test('records changed by a hook are escaped as well, including names of columns', async (t) => {
    const [first] = await read('/loud')
    t.strictSame(first, { id: '0', "'=note": "'=1+1", amount: '-12.50', copy: "'==1+1" })
  })

  t.test('escaping can be turned off, and never applies to NDJSON', async (t) => {
    t.strictSame((await read('/plain')).map(({ note }) => note), texts)
    const { body } = await app.inject({ url: '/entries', headers: { accept: 'application/x-ndjson' } })
    t.strictSame(body.split('\n').slice(0, -1).map((line) => JSON.parse(line).note), texts)
  })

  t.test('a text of any characters is one cell, in one record', async (t) => {
    const text = fc.string({ unit: fc.constantFrom('\r', '\n', '"', ',', ';', '\t', ' ', '=', "'", '\\', 'a', 'ä') })
    await assertProperty(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (notes) => {
        await execute('delete from entry')
        await execute(sql, [JSON.stringify(notes.map((note, id) => ({ ...rows[0], id, note, parts: [note] })))])
        for (const fields of ['id,note', 'note', 'note,id']) {
          const { body } = await app.inject({ url: `/plain?fields=${fields}`, headers: { accept: 'text/csv' } })
          const records = notes.map((note, id) => fields.split(',').map((name) => name === 'id' ? String(id) : note))
          t.strictSame(parse(body, READER), [fields.split(','), ...records], JSON.stringify(notes))
        }
      }),
      { numRuns: 60 }
    )
  })
})
