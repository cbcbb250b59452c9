/**
 * Moments of bodies that MikroORM's entities cannot hold. A Date has milliseconds and is never infinite, and MikroORM
 * writes only the years 1 to 9999.
 */
import { invalidAt, RequestValidationError, type ErrorItem } from '../../base/errors.ts'
import { escapedName } from '../../base/error-list.ts'
import { fitsDate, momentText, type EmbeddedJson, type EntityModel, type Property } from '../../model/index.ts'
import { isObject } from '../../base/is-object.ts'
import { columnData, type RecordData } from '../../plan/index.ts'

/** Values of a record or an entity by the names of its properties. */
type NamedValues = Readonly<Record<string, unknown>>

/** The record that an update finds: as the client sees it, and as MikroORM has loaded it. */
export interface Present {
  readonly record: NamedValues
  readonly entity: NamedValues
}

/**
 * The values to assign to an entity. A moment that a Date cannot hold must be that of the present record. Its place
 * takes what MikroORM has loaded, so that MikroORM finds no change and leaves the column as it is.
 *
 * @param present `undefined` for a new record
 * @param pointer the JSON pointer to the record in the body
 * @throws {RequestValidationError} for any other moment that a Date cannot hold, since MikroORM would store another one
 */
export function exactProperties (
  row: RecordData,
  { properties: known }: EntityModel,
  present?: Present,
  pointer = ''
): NamedValues {
  const { properties } = row
  const lost = new Map(
    columnData(row).filter(({ property, value }) => losesMoment(property, value))
      .map(({ property, value }) => [property as Property, String(value)])
  )
  const holdsJson = [...known.values()].some((property) => embeddedOf(property) !== undefined)
  if (lost.size === 0 && !holdsJson) return properties
  const errors: ErrorItem[] = []
  const exact = (values: NamedValues, members: EntityModel['properties'], present: Present | undefined, at: string) => {
    const kept: Record<string, unknown> = { ...values }
    for (const name of Object.keys(values)) {
      const property = members.get(name)
      if (property === undefined) continue
      const [place, value, own] = [`${at}/${escapedName(property.publicName)}`, values[name], present?.entity[name]]
      const shown = present?.record[property.publicName]
      const moment = lost.get(property)
      if (moment !== undefined && shown === momentText(moment)) kept[name] = own
      else if (moment !== undefined) errors.push(refusal(place))
      else if (property.kind === 'scalar' && property.embedded !== undefined) {
        const part = lostPart(value, property.embedded)
        if (part === undefined) continue
        // a member cannot be left out, because MikroORM replaces the object around it as a whole
        if (at === pointer && isShown(value, shown, property.embedded)) delete kept[name]
        else errors.push(refusal(`${place}${part}`))
      } else if (property.kind === 'embedded' && isObject(value)) {
        const inner = isObject(shown) && isObject(own) ? { record: shown, entity: own } : undefined
        kept[name] = exact(value, property.properties, inner, place)
      }
    }
    return kept
  }
  const kept = exact(properties, known, present, pointer)
  if (errors.length > 0) throw new RequestValidationError(errors)
  return kept
}

function refusal (pointer: string): ErrorItem {
  const name = pointer.split('/').at(-1)!
  return invalidAt(pointer, `'${name}' must be a date and time of the years 1 to 9999, without microseconds.`)
}

const losesMoment = (property: Property, value: unknown): boolean =>
  property.kind === 'scalar' && property.type.kind === 'datetime' && property.codec === undefined &&
  typeof value === 'string' && !fitsDate(value, property.type)

const embeddedOf = (member: Property): EmbeddedJson | undefined =>
  member.kind === 'embedded'
    ? { list: false, properties: member.properties }
    : member.kind === 'scalar'
      ? member.embedded
      : undefined

/** The pointer to the first moment that MikroORM would change in an object that is stored as JSON. */
function lostPart (value: unknown, { properties }: EmbeddedJson): string | undefined {
  if (Array.isArray(value)) {
    return firstPart(value.map((item, index) => [String(index), lostPart(item, { list: false, properties })]))
  }
  if (!isObject(value)) return undefined
  return firstPart([...properties.values()].map((member) => {
    const [part, inner] = [value[member.name], embeddedOf(member)]
    return [member.publicName, inner !== undefined ? lostPart(part, inner) : losesMoment(member, part) ? '' : undefined]
  }))
}

function firstPart (parts: ReadonlyArray<readonly [name: string, part: string | undefined]>): string | undefined {
  const [name, part] = parts.find(([, part]) => part !== undefined) ?? []
  return name === undefined ? undefined : `/${escapedName(name)}${part!}`
}

/** Whether a record shows exactly this object. */
function isShown (value: unknown, shown: unknown, { properties }: EmbeddedJson): boolean {
  if (Array.isArray(value)) {
    return Array.isArray(shown) && value.length === shown.length &&
      value.every((item, index) => isShown(item, shown[index], { list: false, properties }))
  }
  if (!isObject(value) || !isObject(shown)) return value === shown
  return [...properties.values()].every((member) => {
    const [one, other, inner] = [value[member.name] ?? null, shown[member.publicName] ?? null, embeddedOf(member)]
    if (member.hidden) return one === null
    return inner === undefined ? JSON.stringify(one) === JSON.stringify(other) : isShown(one, other, inner)
  })
}
