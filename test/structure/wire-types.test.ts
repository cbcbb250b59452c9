/** The tables of wire types are complete: every type has a fixture, a round trip, and a row in the documentation. */
import t from 'tap'
import { AllowedFilters, AllowedSort } from '../../src/config/index.ts'
import { OPERATOR_NAMES, type Operator } from '../../src/operators/index.ts'
import {
  convert, fromJson, isComparable, WIRE_TYPES, wireTypeOf, type TypeName, type ValueType,
} from '../../src/model/index.ts'
import { exampleOf, secondExampleOf } from '../../src/schema/index.ts'
import { sqlTypeOf } from '../../src/sql/wire-types.ts'
import { Specimen } from '../fixtures/entities.ts'
import { SPECIMEN_VALUES } from '../fixtures/specimen-values.ts'
import { readDocument, tablesOf } from '../helpers/document.ts'
import { messageOf, models, whitelistOf } from '../plan/helper.ts'

interface Column {
  readonly name: string
  readonly type: ValueType
}

const names = Object.keys(WIRE_TYPES) as TypeName[]
const columns: readonly Column[] = [...models.of(Specimen).properties.values()].flatMap((property) =>
  property.kind === 'scalar' && property.codec === undefined && property.embedded === undefined ? [property] : []
)
const columnsOf = (name: TypeName): readonly Column[] => columns.filter(({ type }) => type.kind === name)

const [types, groups] = tablesOf(readDocument('docs/reference/types.md').text)
const rows = new Map(types!.slice(1).map((row) => [codes(row[0]!)[0]!, row]))

/** The texts between backticks. */
function codes (cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!)
}

t.test('every type has a column of the specimen, and a value that is written and read again', async (t) => {
  for (const name of names) {
    t.ok(columnsOf(name).length > 0, name)
    // test/http/writes/wire-form.test.ts sends these values in each way and reads them in each way
    for (const column of columnsOf(name)) {
      if (column.name !== 'id' && column.name !== 'code') t.ok(column.name in SPECIMEN_VALUES, column.name)
    }
  }
})

t.test('each column type belongs to one type', async (t) => {
  const all = Object.values(WIRE_TYPES).flatMap(({ columns }) => Object.keys(columns))
  t.strictSame(all, [...new Set(all)])
})

t.test('a type has the SQL of a sum and of a mean if it has their types', async (t) => {
  for (const { type, name } of columns) {
    const { sum, mean } = wireTypeOf(type)
    const written = sqlTypeOf(type)
    t.strictSame([written.sum !== undefined, written.mean !== undefined], [sum !== undefined, mean !== undefined], name)
  }
})

t.test('a value of the application in the form of bodies is a value of its type', async (t) => {
  const given: Partial<Record<TypeName, readonly unknown[]>> = {
    integer: ['10'], bigint: ['10', 10], decimal: ['1.5', 1.5],
  }
  for (const { type, name } of columns) {
    const { toBody } = wireTypeOf(type)
    for (const value of [exampleOf(type), ...given[type.kind] ?? []]) {
      t.match(fromJson(toBody(value, type), type), { ok: true }, `${name}: ${String(value)}`)
    }
  }
})

t.test('a type takes a Date if it says so', async (t) => {
  for (const { type, name } of columns) {
    if (wireTypeOf(type).takesDates) t.match(fromJson(new Date(0), type), { ok: true }, name)
    else t.match(fromJson(new Date(0), type), { ok: type.kind === 'json' }, name)
  }
})

t.test('examples are values of their types', async (t) => {
  for (const { name, type } of columns) {
    for (const example of [exampleOf(type), secondExampleOf(type)]) t.match(fromJson(example, type), { ok: true }, name)
  }
})

t.test('every comparable type has a text in URLs', async (t) => {
  for (const { type, name } of columns.filter(({ type }) => isComparable(type))) {
    const example = exampleOf(type)
    const text = typeof example === 'object' ? JSON.stringify(example) : String(example)
    t.match(convert(text, type), { ok: true }, name)
  }
})

t.test('the table of the documentation has every type, with its columns', async (t) => {
  t.strictSame([...rows.keys()], names)
  for (const name of names) {
    const known = Object.keys(WIRE_TYPES[name].columns)
    if (known.length > 0) t.strictSame(codes(rows.get(name)![1]!), known, name)
  }
})

t.test('the documented values are values of their types', async (t) => {
  for (const [name, [, , inJson, inUrl]] of rows) {
    const values = codes(inJson!).slice(0, 1).map((code) => JSON.parse(code) as unknown)
    t.equal(values.length, 1, name)
    const types = columnsOf(name as TypeName).map(({ type }) => type)
    for (const value of values) t.ok(types.some((type) => fromJson(value, type).ok), `${name} ${JSON.stringify(value)}`)
    for (const text of codes(inUrl!)) t.ok(types.some((type) => convert(text, type).ok), `${name} ${text}`)
    t.equal(codes(inUrl!).length > 0, WIRE_TYPES[name as TypeName].fromText !== undefined, `${name} has a text in URLs`)
  }
})

t.test('only the documented operators and sorts work', async (t) => {
  const operatorsOf = new Map(groups!.slice(1).map(([name, operators]) => [name!, codes(operators!)]))
  const works = (options: object): boolean => messageOf(() => whitelistOf(options, Specimen)) === undefined
  for (const name of names) {
    const documented = [...operatorsOf].filter(([group]) => rows.get(name)![4]!.includes(group)).flatMap(([, all]) =>
      all
    )
    const filters = (operator: Operator): boolean =>
      columnsOf(name).some((column) => works({ allowedFilters: [new AllowedFilters(column.name, operator)] }))
    t.strictSame(new Set(OPERATOR_NAMES.filter(filters)), new Set([...documented, 'isnull']), name)
    const sorts = columnsOf(name).some((column) => works({ allowedSorts: [new AllowedSort(column.name)] }))
    t.equal(sorts, documented.includes('eq'), `sort by ${name}`)
  }
})
