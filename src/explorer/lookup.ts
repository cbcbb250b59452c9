/** Decides how people recognize a record, and how it is found by a text. */
import type { EntityModel, ScalarProperty } from '../model/index.ts'
import type { Operator } from '../operators/index.ts'
import { takesOperators, type Whitelist } from '../plan/index.ts'
import type { FieldDescription, Lookup, SortDescription } from './description.ts'
import { parameterOf } from './filters.ts'

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
  whitelist: Whitelist,
  fields: readonly FieldDescription[],
  sorts: readonly SortDescription[]
): Lookup | null {
  const property = labelOf(whitelist.model)
  const label = property?.publicName ?? fields.find(({ key }) => key)?.name
  if (label === undefined) return null
  const needed = fields.filter(({ key, name }) => key || name === label)
  const selected = needed.map(({ select }) => select)
  return {
    parameter: property === undefined ? null : parameterFor(property, whitelist) ?? null,
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
function parameterFor (property: ScalarProperty, { filters }: Whitelist): string | undefined {
  const compares = [...filters.values()].filter((filter) => takesOperators(filter)).filter(({ operand, relations }) =>
    operand === property && relations.length === 0
  )
  const search = [...filters.values()].find((filter) =>
    filter.kind === 'search' && filter.targets.some(({ operand }) => operand === property)
  )
  for (const operator of FINDING) {
    if (operator === 'starts' && search !== undefined) return `filter[${search.name}]`
    const filter = compares.find(({ operators, kind }) =>
      operators.has(operator) && (kind === 'partial' || !operator.endsWith('like'))
    )
    if (filter !== undefined) return parameterOf(filter, operator)
  }
  return search === undefined ? undefined : `filter[${search.name}]`
}
