/** Describes the filters of a whitelist: their parameters, and what each of them takes. */
import { exampleText, namedParameter, type NamedFilter } from '../http/index.ts'
import type { Property } from '../model/index.ts'
import type { Operator, OperatorForm, OperatorValue } from '../operators/index.ts'
import { takesOperators, TRASHED, type FilterEntry, type OperatorFilter, type Whitelist } from '../plan/index.ts'
import type { FilterDescription, OperatorDescription } from './description.ts'
import { describeKey, describeScalar, describeType, type ReferenceTo } from './values.ts'

export function describeFilters (whitelist: Whitelist, referenceTo: ReferenceTo): FilterDescription[] {
  const defaults = new Map(whitelist.defaults.map(({ entry, param }) => [entry, param.value]))
  return [...whitelist.filters.values()].map((filter) => ({
    ...takesOperators(filter) ? byOperators(filter, whitelist, referenceTo) : byName(filter),
    default: defaults.get(filter) ?? null,
  }))
}

type Described = Omit<FilterDescription, 'default'>

function byOperators (filter: OperatorFilter, { model }: Whitelist, referenceTo: ReferenceTo): Described {
  const { name, operators, defaultOperator, relations, operand } = filter
  const others = [...operators].filter(([operator]) => operator !== defaultOperator)
  const property: Property = operand.kind === 'json' ? operand.property : operand
  const own = relations.length === 0 && model.properties.get(property.name) === property
  return {
    name,
    kind: 'operators',
    operators: [[defaultOperator, operators.get(defaultOperator)!] as const, ...others].map(([operator, form]) =>
      describeOperator(filter, operator, form)
    ),
    field: own ? property.publicName : null,
    nullable: property.nullable || operand.kind === 'json' || relations.length > 0,
    relations: relations.map((relation) => ({
      name: relation.publicName,
      many: relation.many,
      reference: referenceTo(relation.target),
    })),
    reference: referredBy(filter, referenceTo),
    description: `Records whose \`${name}\` matches.`,
  }
}

/** The records whose keys are the values of a filter. */
function referredBy ({ operand, relations }: OperatorFilter, referenceTo: ReferenceTo): Described['reference'] {
  if (operand.kind === 'relation') return operand.key.length === 1 ? referenceTo(operand.target) : null
  const target = relations.at(-1)?.target
  const isKey = target?.primaryKey.length === 1 && target.primaryKey[0]!.property === operand
  return isKey ? referenceTo(target) : null
}

function describeOperator (filter: OperatorFilter, operator: Operator, form: OperatorForm): OperatorDescription {
  return {
    name: operator,
    parameter: parameterOf(filter, operator),
    takes: TAKES[form.value],
    value: valueOf(filter, form),
    meaning: form.meaning,
    example: exampleText(filter, form),
  }
}

/** The parameter of an operator. The default operator is not named. */
export function parameterOf ({ name, defaultOperator }: OperatorFilter, operator: Operator): string {
  return operator === defaultOperator ? `filter[${name}]` : `filter[${name}][${operator}]`
}

const TAKES: { readonly [Value in OperatorValue]: OperatorDescription['takes'] } = {
  one: 'one',
  part: 'one',
  text: 'text',
  list: 'list',
  items: 'list',
  pair: 'pair',
  boolean: 'boolean',
}

function valueOf ({ operand, type }: OperatorFilter, { value }: OperatorForm): OperatorDescription['value'] {
  if (value === 'boolean') return BOOLEAN
  if (value === 'text') return TEXT
  if (operand.kind === 'relation') return describeKey(operand.key)
  if (operand.kind === 'scalar' && operand.codec !== undefined) return describeScalar(operand)
  return describeType(type.kind === 'array' ? type.element : type)
}

const BOOLEAN = describeType({ kind: 'boolean' })
const TEXT = describeType({ kind: 'text' })

/** A filter without operators has one way to give its value. */
function byName (filter: NamedFilter): Described {
  const { description } = namedParameter(filter)
  return {
    name: filter.name,
    kind: filter.kind,
    operators: [{ name: null, parameter: `filter[${filter.name}]`, meaning: 'matches the value', ...inputOf(filter) }],
    field: null,
    nullable: false,
    relations: NONE,
    reference: null,
    description: String(description),
  }
}

const NONE: readonly [] = []

type Input = Pick<OperatorDescription, 'takes' | 'value' | 'parts' | 'example'>

function inputOf (filter: NamedFilter): Input {
  switch (filter.kind) {
    case 'search':
      return { takes: 'text', value: TEXT, example: 'text' }
    case 'trashed':
      return { takes: 'one', value: { type: 'enum', json: 'string', items: [...TRASHED] }, example: TRASHED[0]! }
    case 'custom':
      return { takes: 'one', value: null, example: null }
    case 'anyOf':
      return inputOfAny(filter)
    case 'scope':
      return inputOfScope(filter)
  }
}

/** A group of filters takes what the first of them takes. Its values are texts, unless all filters have one type. */
function inputOfAny ({ filters }: Extract<FilterEntry, { kind: 'anyOf' }>): Input {
  const [first, ...others] = filters as readonly [OperatorFilter, ...OperatorFilter[]]
  const form = first.operators.get(first.defaultOperator)!
  const value = valueOf(first, form)
  const written = JSON.stringify(value)
  const same = others.every((other) =>
    JSON.stringify(valueOf(other, other.operators.get(other.defaultOperator)!)) === written
  )
  return { takes: TAKES[form.value], value: same ? value : TEXT, example: exampleText(first, form) }
}

function inputOfScope ({ params }: Extract<FilterEntry, { kind: 'scope' }>): Input {
  const [param, ...more] = params
  if (param === undefined) return { takes: 'boolean', value: BOOLEAN, example: 'true' }
  if (more.length === 0) return { takes: 'one', value: describeType(param.type), example: null }
  const parts = params.map(({ name, type }) => ({ name, value: describeType(type) }))
  return { takes: 'tuple', value: null, parts, example: null }
}
