/**
 * Reads the data of writes. The schema of a body accepts the data, says what is wrong with it (`body-errors.ts`), and
 * what it has accepted is converted to values of columns (`src/plan/data.ts`).
 */
import type { TObject } from '@sinclair/typebox'
import { ConfigError, invalidAt, RequestValidationError, validationOf, type ErrorItem } from '../base/errors.ts'
import type { EntityModel, Property } from '../model/index.ts'
import { isObject, isObjectLiteral } from '../base/is-object.ts'
import { madeOnce } from '../base/made-once.ts'
import {
  convertData, EMPTY_RECORD, namesForServer, NO_CHILDREN, type BodyRules, type Checked, type DataNames, type RecordData,
} from '../plan/index.ts'
import { bodyErrors } from './body-errors.ts'
import { clientSchema, serverSchema, type Author, type BodyOptions } from './body-schema.ts'
import { checkOf, type Check } from './compiled-check.ts'

/** The body of one operation. Its schema is compiled when it is first needed. */
class Body {
  readonly schema: TObject
  readonly #names: DataNames
  readonly #by: Author
  /** The properties that data may set. */
  readonly #writable: () => Iterable<Property>
  readonly #fits: Check
  /** The columns of the latest record. */
  #latest: RecordData['columns'] = []

  constructor (schema: TObject, names: DataNames, by: Author, writable: () => Iterable<Property>) {
    this.schema = schema
    this.#names = names
    this.#by = by
    this.#writable = writable
    this.#fits = checkOf(schema)
  }

  /** Whether the data of a record is valid. */
  accepts (data: unknown): data is Checked {
    return isObject(data) && this.#fits(data)
  }

  /**
   * One error for all errors of a record that is not valid.
   *
   * @param pointer the prefix of their pointers, e.g. `/1` in a batch
   * @param others errors that do not come from the schema
   */
  refusalOf (data: unknown, pointer = '', others: readonly ErrorItem[] = []): RequestValidationError {
    const { byName, children, elsewhere } = this.#names
    const find = (name: string): Property | undefined => byName.get(name)?.property
    const writable = (): string[] => [
      ...[...this.#writable()].filter(({ write }) => write.writable).map(({ publicName }) => publicName),
      ...children.keys(),
    ]
    const errors = bodyErrors(this.schema, data, { find, writable, elsewhere }, pointer)
    for (const item of others) errors.add(() => ({ item, validation: validationOf(item) }))
    return new RequestValidationError(errors.items.map(({ item }) => item), {
      count: errors.count,
      validation: errors.items.map(({ validation }) => validation),
    })
  }

  /** The values of columns. */
  rowOf (data: Checked): RecordData {
    const row = convertData(data, this.#names, this.#by, this.#latest)
    this.#latest = row.columns
    return row
  }

  /** The properties that data sets. */
  propertiesIn (data: Readonly<Record<string, unknown>>): ReadonlySet<Property | undefined> {
    const given = Object.keys(data).filter((name) => data[name] !== undefined)
    return new Set(given.map((name) => this.#names.byName.get(name)?.property))
  }
}

/** The bodies of one set of rules, by their options. */
const ofClients: (rules: BodyRules) => (Body | undefined)[] = madeOnce(() => new Array(4).fill(undefined))

/** The bodies of clients by their rules. */
export function clientBody (model: EntityModel, rules: BodyRules, options: BodyOptions): Body {
  const bodies = ofClients(rules)
  const index = (options.complete ? 1 : 0) + (options.readonly === true ? 2 : 0)
  bodies[index] ??= new Body(clientSchema(model, rules, options), rules, 'client', () => rules.properties)
  return bodies[index]
}

/**
 * The data of the application for an entity.
 *
 * @param children the children that it may write with the record
 */
export function serverBody (model: EntityModel, children: BodyRules['children'] = NO_CHILDREN): Body {
  return ofServers(model)(children.size === 0 ? NO_CHILDREN : children)
}

const ofServers = madeOnce((model: EntityModel) =>
  madeOnce((children: BodyRules['children']) => {
    const names = { byName: namesForServer(model), children }
    return new Body(serverSchema(model, children), names, 'server', () => model.properties.values())
  })
)

interface DataOptions {
  /** The rules of a body, or `server` for data of the application, which may set everything that has a column. */
  readonly by: BodyRules | 'server'
  /** The children that data of the application may write with the record. */
  readonly children?: BodyRules['children'] | undefined
  /** Given if the data is the complete new record. The rules say which properties it must have. */
  readonly complete?: BodyRules
  /** Given if others fill in the rest of the new record. The rules say which properties the data itself must have. */
  readonly partial?: BodyRules
  /** Looks for errors of the record as a whole. */
  readonly check?: (record: RecordData) => readonly ErrorItem[]
  /** The prefix of all pointers in errors, e.g. `/1` in a batch. */
  readonly pointer?: string
}

/**
 * Reads the data of one record.
 *
 * @throws {RequestValidationError} with an item for each property that is unknown, not writable or missing, or has a
 *   value that its column cannot hold
 * @throws {ConfigError} if a new record lacks a value that no client may write
 */
export function readData (given: unknown, model: EntityModel, options: DataOptions): RecordData {
  const { by, children, complete, partial, check, pointer = '' } = options
  const body = by === 'server'
    ? serverBody(model, children)
    : clientBody(model, by, { complete: complete !== undefined })
  const data = withOwnMembers(given)
  if (!body.accepts(data)) {
    const missing = partial === undefined || !isObject(data) ? [] : missingIn(body.propertiesIn(data), partial, pointer)
    throw body.refusalOf(data, pointer, [...missing, ...check?.(EMPTY_RECORD) ?? []])
  }
  const row = body.rowOf(data)
  const others = check?.(row)
  if (others !== undefined && others.length > 0) throw new RequestValidationError(others)
  if (complete !== undefined && (by === 'server' || complete.unfilled.length > 0)) {
    checkComplete(body.propertiesIn(data), complete, pointer, model)
  }
  if (partial !== undefined) checkComplete(body.propertiesIn(data), partial, pointer, model)
  return row
}

/**
 * Checks that data has all properties that a new record needs. Data of the application may use both names of a
 * property, so its schema cannot say which are required.
 */
function checkComplete (
  given: ReadonlySet<Property | undefined>,
  rules: BodyRules,
  prefix: string,
  model: EntityModel
): void {
  const missing = missingIn(given, rules, prefix)
  if (missing.length > 0) throw new RequestValidationError(missing)
  const unfilled = rules.unfilled.find((property) => !given.has(property))
  if (unfilled !== undefined) throw unfilledError(unfilled, model)
}

/** An error for each required property that is not given. */
function missingIn (given: ReadonlySet<Property | undefined>, { required }: BodyRules, prefix: string): ErrorItem[] {
  return required.filter(({ property }) => !given.has(property)).map(({ property, pointer }) =>
    invalidAt(`${prefix}${pointer}`, `The property '${property.publicName}' is required.`)
  )
}

/** The data with its own members, in place of an instance of a class, which inherits members. */
function withOwnMembers (data: unknown): unknown {
  return isObject(data) && !isObjectLiteral(data) ? { ...data as object } : data
}

/** Names the property only in the cause, for the log, because clients cannot fix this and may not know the property. */
function unfilledError (property: Property, model: EntityModel): ConfigError {
  const cause = new ConfigError(
    `${model.name}.${property.name} is required, no client may write it, and neither beforeCreate nor 'values' nor ` +
      'a scope has set it.'
  )
  return new ConfigError('The server lacks a value that new records need.', { cause })
}
