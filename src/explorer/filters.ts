/** The filters of a resource in the explorer's document: their parameters, and what each of them takes. */
import { exampleText, type DescribedFilter, type DescribedInput } from '../catalogue/index.ts'
import type { EntityModel, Property } from '../model/index.ts'
import type { FilterDescription, OperatorDescription } from './description.ts'
import { CUSTOM, describeType, type ReferenceTo } from './values.ts'

export function showFilter (filter: DescribedFilter, model: EntityModel, referenceTo: ReferenceTo): FilterDescription {
  const { name, looks, sentence, inputs, target } = filter
  return {
    name,
    kind: looks === 'partial' ? 'operators' : looks,
    operators: inputs.map(showInput),
    ...target === undefined ? NO_PROPERTY : showTarget(target, model, referenceTo),
    description: sentence,
    default: filter.default ?? null,
  }
}

type OfProperty = Pick<FilterDescription, 'field' | 'nullable' | 'relations' | 'reference'>

const NO_PROPERTY: OfProperty = { field: null, nullable: false, relations: [], reference: null }

function showTarget (
  target: NonNullable<DescribedFilter['target']>,
  model: EntityModel,
  referenceTo: ReferenceTo
): OfProperty {
  const { relations, operand } = target
  const property: Property = operand.kind === 'json' ? operand.property : operand
  const own = relations.length === 0 && model.properties.get(property.name) === property
  return {
    field: own ? property.publicName : null,
    nullable: property.nullable || operand.kind === 'json' || relations.length > 0,
    relations: relations.map((relation) => ({
      name: relation.publicName,
      many: relation.many,
      reference: referenceTo(relation.target),
    })),
    reference: referredBy(target, referenceTo),
  }
}

/** The records whose keys are the values of a filter. */
function referredBy (
  { operand, relations }: NonNullable<DescribedFilter['target']>,
  referenceTo: ReferenceTo
): FilterDescription['reference'] {
  if (operand.kind === 'relation') return operand.key.length === 1 ? referenceTo(operand.target) : null
  const target = relations.at(-1)?.target
  const isKey = target?.primaryKey.length === 1 && target.primaryKey[0]!.property === operand
  return isKey ? referenceTo(target) : null
}

const TAKES: { readonly [Value in DescribedInput['takes']]: OperatorDescription['takes'] } = {
  one: 'one',
  part: 'one',
  text: 'text',
  list: 'list',
  items: 'list',
  pair: 'pair',
  boolean: 'boolean',
  tuple: 'tuple',
}

function showInput (input: DescribedInput): OperatorDescription {
  const { operator, parameter, takes, value, parts, meaning, example } = input
  return {
    name: operator ?? null,
    parameter,
    meaning,
    takes: TAKES[takes],
    value: value === undefined ? null : value.codec === undefined ? describeType(value.type) : CUSTOM,
    ...parts !== undefined && { parts: parts.map(({ name, type }) => ({ name, value: describeType(type) })) },
    example: example === undefined ? null : exampleText(example),
  }
}
