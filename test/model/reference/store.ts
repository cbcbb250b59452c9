/** The reference implementation of writing: a table of rows that records every change. */
import { isDeepStrictEqual } from 'node:util'
import { readBody, type Writing } from './bodies.ts'
import type { Row, Value } from './description.ts'

/** The reason for refusing a write, and the named members of the body. */
interface Reason {
  readonly status: 400 | 404 | 409 | 412 | 428
  readonly code: string
  readonly pointers?: readonly string[]
}

/**
 * The answer to a write: a record, or one of the reasons for refusing it. The documentation does not say which of
 * several is given.
 */
export type Written =
  | { readonly status: 200 | 201, readonly record: Row }
  | { readonly refused: readonly [Reason, ...Reason[]] }

const NOT_FOUND: Reason = { status: 404, code: 'FST_CRUD_NOT_FOUND' }
const STALE: Reason = { status: 412, code: 'FST_CRUD_PRECONDITION_FAILED' }
const REQUIRED: Reason = { status: 428, code: 'FST_CRUD_PRECONDITION_REQUIRED' }

interface StoreOptions extends Writing {
  /** A property whose values are all different. */
  readonly unique: string
  /** Keys of the rows that a relation may refer to, without deleted ones. */
  readonly targets: Readonly<Record<string, readonly Value[]>>
  readonly requireIfMatch: boolean
}

/** The rows of one entity, with a generated `id`, a `version` and a `deleted_at`. */
export class Store {
  /** All rows that were ever created, by id, with many-to-many relations as lists. */
  readonly rows = new Map<Value, Record<string, Value>>()
  readonly #options: StoreOptions

  constructor (options: StoreOptions) {
    this.#options = options
  }

  /** @param id the id that the database generates */
  create (body: Row, id: Value): Written {
    const { values, pointers } = readBody(body, 'create', this.#options)
    return refused(invalid(pointers), this.#conflict(values, undefined)) ?? this.#insert(values, id)
  }

  /**
   * @param version the version that the server reports: setting unchanged values, or lists of links, may change it or
   * not
   */
  update (id: Value, body: Row, ifMatch: string | undefined, version: Value): Written {
    const { values, pointers } = readBody(body, 'update', this.#options, { id })
    const row = this.#live(id)
    return refused(invalid(pointers), this.#precondition(row, ifMatch), row ? undefined : NOT_FOUND,
      this.#conflict(values, row)) ??
      this.#change(row!, values, version)
  }

  /** @param now the time that the server stores */
  remove (id: Value, now: Value, ifMatch: string | undefined): Written {
    const row = this.#live(id)
    return refused(this.#precondition(row, ifMatch), row ? undefined : NOT_FOUND) ??
      this.#change(row!, { deleted_at: now })
  }

  restore (id: Value): Written {
    const row = this.rows.get(id)
    return refused(row ? undefined : NOT_FOUND) ??
      this.#change(row!, row!['deleted_at'] === null ? {} : { deleted_at: null })
  }

  read (id: Value): Written {
    const row = this.#live(id)
    return refused(row ? undefined : NOT_FOUND) ?? this.#change(row!, {})
  }

  #insert (values: Row, id: Value): Written {
    const row = { ...this.#empty(), ...values, id, version: 1, deleted_at: null }
    this.rows.set(id, row)
    return { status: 201, record: row }
  }

  /** A change without properties keeps the version. */
  #change (row: Record<string, Value>, values: Row, version?: Value): Written {
    const names = Object.keys(values)
    const columns = names.filter((name) => this.#options.entity.relations[name]?.kind !== 'links')
    const changes = columns.some((name) => !isDeepStrictEqual(values[name], row[name]))
    const next = changes || (names.length > 0 && version === row['version'] + 1) ? row['version'] + 1 : row['version']
    Object.assign(row, values, { version: next })
    return { status: 200, record: row }
  }

  #live (id: Value): Record<string, Value> | undefined {
    const row = this.rows.get(id)
    return row?.['deleted_at'] === null ? row : undefined
  }

  /** `If-Match: "3"` or `*`, or several versions. */
  #precondition (row: Row | undefined, ifMatch: string | undefined): Reason | undefined {
    if (ifMatch === undefined) return this.#options.requireIfMatch ? REQUIRED : undefined
    if (!row || ifMatch === '*') return undefined
    return ifMatch.split(',').some((tag) => tag.trim() === `"${row['version']}"`) ? undefined : STALE
  }

  /** A value that another row has, also a deleted one, or a related row that does not exist. */
  #conflict (values: Row, self: Row | undefined): Reason | undefined {
    const { unique, targets } = this.#options
    const taken = unique in values &&
      [...this.rows.values()].some((row) => row !== self && row[unique] === values[unique])
    const absent = Object.keys(targets).filter((relation) =>
      [values[relation] ?? []].flat().some((key) => !targets[relation]!.includes(key) && self?.[relation] !== key)
    )
    const pointers = [...taken ? [`/${unique}`] : [], ...absent.map((name) => `/${name}`)]
    return pointers.length === 0 ? undefined : { status: 409, code: 'FST_CRUD_CONFLICT', pointers }
  }

  #empty (): Record<string, Value> {
    const { properties, relations } = this.#options.entity
    return {
      ...Object.fromEntries(Object.keys(properties).map((name) => [name, null])),
      ...Object.fromEntries(Object.entries(relations).map(([name, { kind }]) => [name, kind === 'links' ? [] : null])),
    }
  }
}

const invalid = (pointers: readonly string[]): Reason | undefined =>
  pointers.length === 0 ? undefined : { status: 400, code: 'FST_ERR_VALIDATION', pointers }

function refused (...reasons: ReadonlyArray<Reason | undefined>): Written | undefined {
  const [first, ...others] = reasons.filter((reason) => reason !== undefined)
  return first && { refused: [first, ...others] }
}
