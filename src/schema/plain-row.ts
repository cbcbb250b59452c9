/**
 * Reads the body of a record in one pass, if all its members are plain: values of columns, and keys of records. Such a
 * value is valid if it can be converted, because this conversion is the rule in the schema of its property. All other
 * bodies are checked against their schema and converted afterwards, and so are bodies that are not valid.
 */
import {
  keyFromJson,
  type Converted,
  type Property,
  type RelationProperty,
  type ScalarProperty,
} from '../model/index.ts'
import { scalarValue, type BodyRules, type ColumnData, type RecordData, type ReferenceData } from '../plan/index.ts'

/** A property that a plain body may set. */
interface Member {
  readonly property: ScalarProperty | RelationProperty
  readonly column: string
  readonly required: boolean
  readonly convert: (value: unknown) => Converted
}

/** A column and the member of the body that its value was made of. */
interface PlainColumn extends ColumnData {
  readonly name: string
  readonly given: unknown
}

const NO_REFERENCES: readonly ReferenceData[] = Object.freeze([])
const NO_LINKS: RecordData['links'] = Object.freeze([])

/** The values of a plain body. */
export class PlainRow implements RecordData {
  readonly source: Readonly<Record<string, unknown>>
  readonly columns: readonly PlainColumn[]
  readonly references: readonly ReferenceData[]
  readonly links = NO_LINKS
  readonly properties: Readonly<Record<string, unknown>>

  constructor (
    source: PlainRow['source'],
    columns: readonly PlainColumn[],
    references: readonly ReferenceData[],
    properties: Readonly<Record<string, unknown>>
  ) {
    this.source = source
    this.columns = columns
    this.references = references
    this.properties = properties
  }

  /** Whether the body has still the same members. Members that are objects may have changed without a trace. */
  isUnchanged (): boolean {
    const { source, columns } = this
    return Object.keys(source).length === columns.length &&
      columns.every(({ name, given }) => source[name] === given && (typeof given !== 'object' || given === null))
  }
}

export class PlainReader {
  readonly #members = new Map<string, Member>()
  readonly #required: number

  /** @param complete whether required properties must be given */
  constructor ({ properties, required }: BodyRules, complete: boolean) {
    const needed = new Set<Property>(complete ? required.map(({ property }) => property) : [])
    this.#required = needed.size
    for (const property of properties) {
      const member = property.hidden ? undefined : memberOf(property, needed.has(property))
      if (member !== undefined) this.#members.set(property.publicName, member)
    }
  }

  /** The row of a body, or `undefined` if the body is not plain or not valid. */
  read (data: Readonly<Record<string, unknown>>): PlainRow | undefined {
    const columns: PlainColumn[] = []
    const properties: Record<string, unknown> = {}
    let references: ReferenceData[] | undefined
    let required = 0
    for (const name of Object.keys(data)) {
      const given = data[name]
      const member = this.#members.get(name)
      if (given === undefined || member === undefined) return undefined
      const { property, column } = member
      if (member.required) required++
      if (given === null) {
        if (!property.nullable) return undefined
        columns.push({ property, column, value: null, name, given })
        properties[property.name] = null
        continue
      }
      const converted = member.convert(given)
      if (!converted.ok) return undefined
      const { value } = converted
      columns.push({ property, column, value, name, given })
      if (property.kind === 'relation') {
        references ??= []
        references.push({ relation: property, key: [value] })
        properties[property.name] = value
      } else properties[property.name] = property.hydrate === undefined ? given : property.hydrate(given, value)
    }
    return required < this.#required ? undefined : new PlainRow(data, columns, references ?? NO_REFERENCES, properties)
  }
}

function memberOf (property: Property, required: boolean): Member | undefined {
  if (property.kind === 'scalar' && property.embedded === undefined) {
    return { property, column: property.column, required, convert: (value) => scalarValue(property, value) }
  }
  if (property.kind !== 'relation' || property.many || property.key.length !== 1) return undefined
  const [part] = property.key
  if (part === undefined || part.shared === true) return undefined
  return { property, column: part.column, required, convert: (value) => keyFromJson(value, part) }
}
