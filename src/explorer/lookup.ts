/** Decides how people recognize a record, and how it is found by a text. */
import type { EntityModel, ScalarProperty } from '../model/index.ts'
import type { Operator } from '../operators/index.ts'
import type { DescribedFilter } from '../catalogue/index.ts'
import type { FieldDescription, Lookup, SortDescription } from './description.ts'

/** Names of properties that are likely to tell records apart, the most likely first. */
const LIKELY: readonly string[] = [
  'name',
  'title',
  'label',
  'display_name',
  'full_name',
  'subject',
  'username',
  'email',
  'code',
  'slug',
]

export function describeLookup (
  model: EntityModel,
  filters: readonly DescribedFilter[],
  fields: readonly FieldDescription[],
  sorts: readonly SortDescription[]
): Lookup | null {
  const property = labelOf(model)
  const label = property?.publicName ?? fields.find(({ key }) => key)?.name
  if (label === undefined) return null
  const needed = fields.filter(({ key, name }) => key || name === label)
  const selected = needed.map(({ select }) => select)
  return {
    parameter: property === undefined ? null : parameterFor(property, filters) ?? null,
    label,
    fields: selected.every((name) => name !== null) ? selected.join() : null,
    sort: sorts.find(({ field }) => field === label)?.name ?? null,
  }
}

/** The text by which people are likely to recognize a record. */
function labelOf ({ properties, primaryKey }: EntityModel): ScalarProperty | undefined {
  const keys = new Set<unknown>(primaryKey.map(({ property }) => property))
  const texts = [...properties.values()].filter((property) =>
    property.kind === 'scalar' && !property.hidden && property.type.kind === 'text' && property.codec === undefined
  ) as ScalarProperty[]
  for (const name of LIKELY) {
    const found = texts.find(({ publicName }) => snakeCase(publicName) === name)
    if (found !== undefined) return found
  }
  return texts.find((property) => !keys.has(property)) ?? texts[0]
}

const snakeCase = (name: string): string => name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Operators that find a record by a part of its label, the most useful first. */
const FINDING: readonly Operator[] = ['contains', 'ilike', 'starts', 'like', 'ieq', 'eq']

/** The parameter that finds records by a part of their label. A pattern needs wildcards, unless it is partial. */
function parameterFor (property: ScalarProperty, filters: readonly DescribedFilter[]): string | undefined {
  const compares = filters.filter(({ target }) => target?.operand === property && target.relations.length === 0)
  const search = filters.find(({ looks, compares }) =>
    looks === 'search' && compares.some(({ operand }) => operand === property)
  )
  for (const operator of FINDING) {
    if (operator === 'starts' && search !== undefined) return search.inputs[0]!.parameter
    const input = compares.flatMap(({ looks, inputs }) =>
      looks === 'partial' || !operator.endsWith('like') ? inputs : []
    ).find((input) => input.operator === operator)
    if (input !== undefined) return input.parameter
  }
  return search?.inputs[0]!.parameter
}
