/** The data of upserts: reads the key that finds each record, and takes it out of the data. */
import { invalidAt, RequestValidationError, type ErrorItem } from '../base/errors.ts'
import { escapedName } from '../base/error-list.ts'
import { isObject } from '../base/is-object.ts'
import { madeOnce } from '../base/made-once.ts'
import { canonicalKey, columnsOf, tellsClass, type EntityModel, type Property, type SqlValue } from '../model/index.ts'
import { columnData, type ColumnValues, type DataColumn, type RecordData, type UpsertKey } from '../plan/index.ts'
import type { ScopeRules } from '../resource/index.ts'
import { readData } from '../schema/index.ts'
import type { CreateData } from './create-data.ts'
import type { Data } from './new-row.ts'
import type { Write, Written } from './write.ts'

/** An upsert in progress. */
export interface Upsert {
  readonly write: Write
  readonly key: UpsertKey
  /** The create that follows for a key that no record has. */
  readonly create: CreateData
}

/** A record that an upsert has written. */
export interface UpsertedRow extends Written {
  readonly created: boolean
}

/** Values of the key that the body of a record need not give, because the server gives them. */
type GivenByServer = Pick<ScopeRules, 'values'> | undefined

/** The class of new rows, if it is a part of the key: it is that of their resource, and no body sets it. */
export function givenByClass ({ properties }: UpsertKey, model: EntityModel): GivenByServer {
  const part = properties.find((property) => tellsClass(property, model))
  return part && { values: new Map([[part, model.discriminator!.values[0]!]]) }
}

/** The values that the server adds to the data of each record. A scope may require rows of another class. */
export function givenByServer ({ write: { model, scope }, key, create: { values } }: Upsert): GivenByServer {
  const byClass = givenByClass(key, model)
  if (values === undefined && byClass === undefined) return scope
  const own = values === undefined ? [] : columnData(readData(values, model, { by: 'server' }))
  return {
    values: new Map([
      ...byClass?.values ?? [],
      ...scope?.values ?? [],
      ...own.map(({ property, value }) => [property, value] as const),
    ]),
  }
}

/** The columns of the key that finds a record. */
export interface KeyValues extends ColumnValues {
  /** The same text for equal keys. */
  readonly text: string
}

/** The data of a record, with its key. */
export interface UpsertData extends RecordData {
  readonly on: KeyValues
}

/**
 * The data of records with their keys. Only the database knows all the ways to write a key, so a list that passes may
 * still have one key twice.
 *
 * @param given what the server adds to records
 * @throws {RequestValidationError} for a key that is missing or null, and for two records with one key
 */
export function withKeys (
  rows: readonly RecordData[],
  key: UpsertKey,
  given: GivenByServer,
  pointer: (index: number) => string
): readonly UpsertData[] {
  const keyed: UpsertData[] = []
  let latest: KeyPlaces | undefined
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!
    const { columns, values, references, links, properties } = row
    if (latest?.columns !== columns) latest = placesOfKey(columns, key)
    const of = givenKey(row, latest) ?? keyOfRow(row, key, given, () => pointer(index))
    const on = { columns: of.columns, values: of.values, text: canonicalKey(of.values, key.columns) }
    keyed.push({ columns, values, references, links, properties, on })
  }
  checkEachOnce(keyed.map(({ on }) => on.text), key, given, pointer)
  return keyed
}

/** Where records with some columns have their key. */
interface KeyPlaces {
  readonly columns: RecordData['columns']
  /** The columns of the key; `undefined` if the records do not have all of them. */
  readonly ofKey: RecordData['columns'] | undefined
  readonly places: readonly number[]
}

function placesOfKey (columns: RecordData['columns'], key: UpsertKey): KeyPlaces {
  const places = key.columns.map(({ column }) => columns.findIndex((data) => data.column === column))
  return { columns, places, ofKey: places.includes(-1) ? undefined : places.map((place) => columns[place]!) }
}

/** The key that a record has in its data; `undefined` if a part is missing or null. */
function givenKey ({ values }: RecordData, { ofKey, places }: KeyPlaces): ColumnValues | undefined {
  if (ofKey === undefined) return undefined
  const found = new Array<SqlValue>(places.length)
  for (let part = 0; part < places.length; part++) {
    const value = values[places[part]!]!
    if (value === null) return undefined
    found[part] = value
  }
  return { columns: ofKey, values: found }
}

/**
 * The columns of a record's key.
 *
 * @param given what the server adds to records
 * @param pointerOf returns the JSON pointer of the record in the body
 * @throws {RequestValidationError} for each part of the key that is missing or null
 */
function keyOfRow (
  row: RecordData,
  key: UpsertKey,
  given: GivenByServer,
  pointerOf: () => string
): ColumnValues {
  const columns: DataColumn[] = []
  const values: SqlValue[] = []
  let missing: Map<Property, ErrorItem> | undefined
  for (const { column } of key.columns) {
    const place = row.columns.findIndex((data) => data.column === column)
    if (place >= 0 && row.values[place] !== null) {
      columns.push(row.columns[place]!)
      values.push(row.values[place]!)
      continue
    }
    const property = key.properties.find((property) => columnsOf(property).includes(column))!
    const value = given?.values.get(property)
    if (value !== undefined && value !== null) {
      columns.push({ property, column })
      values.push(value)
      continue
    }
    const name = property.publicName
    missing ??= new Map()
    const detail = place < 0
      ? `The property '${name}' is required, because the key '${key.name}' finds the record.`
      : `'${name}' cannot be null, because the key '${key.name}' finds the record.`
    missing.set(property, invalidAt(`${pointerOf()}/${escapedName(name)}`, detail))
  }
  if (missing !== undefined) throw new RequestValidationError([...missing.values()])
  return { columns, values }
}

/**
 * Refuses a list of which two records are the same one.
 *
 * @param ids texts that records have in common if they are the same; `undefined` for a record that is like no other
 * @throws {RequestValidationError} with the pointers to the first part of the key that bodies give, in both records
 */
export function checkEachOnce (
  ids: ReadonlyArray<string | undefined>,
  key: UpsertKey,
  given: GivenByServer,
  pointer: (index: number) => string
): void {
  const seen = new Map<string, number>()
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index]
    if (id === undefined) continue
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, index)
      continue
    }
    const detail = 'This key occurs twice in the list.'
    const { publicName } = key.properties.find((property) => given?.values.has(property) !== true) ?? key.properties[0]!
    const below = escapedName(publicName)
    throw new RequestValidationError([first, index].map((at) => invalidAt(`${pointer(at)}/${below}`, detail)))
  }
}

/**
 * The places of keys in their order. Requests that lock rows in the same order do not wait for each other in a circle.
 */
export const inKeyOrder = (keys: readonly KeyValues[]): readonly number[] =>
  [...keys.keys()].sort((one, other) => keys[one]!.text < keys[other]!.text ? -1 : 1)

/** The columns of data without those of the key that finds its record. Its `properties` stay. */
export function withoutUpsertKey (row: RecordData, { properties: parts }: UpsertKey): RecordData {
  const isPart = (property: Property): boolean => parts.includes(property as never)
  const { columns, values, references } = row
  const rest = columnsWithout(parts)(columns)
  if (rest.length === columns.length) return row
  const kept = new Array<SqlValue>(rest.length)
  let count = 0
  for (let index = 0; index < columns.length; index++) {
    if (columns[index] === rest[count]) kept[count++] = values[index]!
  }
  return {
    columns: rest,
    values: kept,
    references: references.length === 0 ? references : references.filter(({ relation }) => !isPart(relation)),
    links: row.links,
    properties: row.properties,
  }
}

/** The columns of other properties than those of a key, made once for all records that share their columns. */
const columnsWithout = madeOnce((parts: UpsertKey['properties']) =>
  madeOnce((columns: RecordData['columns']) => columns.filter(({ property }) => !parts.includes(property)))
)

/** A body without the properties of the key. */
export function bodyWithoutKey (body: Data, { properties }: UpsertKey): Data {
  if (!isObject(body)) return body
  const rest: Record<string, unknown> = { ...body }
  for (const { publicName } of properties) delete rest[publicName]
  return rest
}
