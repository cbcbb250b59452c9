/** Documents filters: one parameter for each way to give the value of a filter. */
import { Type, type TSchema } from '@sinclair/typebox'
import { describeFilters, exampleText, type DescribedFilter, type DescribedInput } from '../../catalogue/index.ts'
import { MAX_PATTERN_LENGTH } from '../../operators/index.ts'
import type { Whitelist } from '../../plan/index.ts'
import { MAX_LIST_ITEMS } from '../../query/index.ts'
import { textSchema } from '../../schema/index.ts'

/**
 * The parameters of filters by name, in the order of the whitelist. The default operator of a filter comes first.
 *
 * @param examples whether the document's schemas support `examples`; descriptions always contain them
 */
export function filterParameters (whitelist: Whitelist, examples: boolean): Record<string, TSchema> {
  return Object.fromEntries(
    describeFilters(whitelist).flatMap((filter) =>
      filter.inputs.map((input) => [input.parameter, parameterOf(filter, input, examples)])
    )
  )
}

function parameterOf (filter: DescribedFilter, input: DescribedInput, examples: boolean): TSchema {
  const { operator, parameter, meaning, example } = input
  const schema = valueSchema(input)
  if (operator === undefined) return { ...schema, description: filter.sentence }
  const sentence = `Records whose \`${filter.name}\` ${meaning}. Example: \`${parameter}=${exampleText(example)}\``
  const described = { ...schema, description: sentence }
  return examples ? withExample(described, example) : described
}

function valueSchema ({ takes, value, parts = [] }: DescribedInput): TSchema {
  switch (takes) {
    case 'one':
      return itemSchema(value)
    case 'text':
      return Type.String({ maxLength: MAX_PATTERN_LENGTH })
    case 'part':
      return Type.String()
    case 'list':
    case 'items':
      return Type.Array(itemSchema(value), { maxItems: MAX_LIST_ITEMS })
    case 'pair':
      return Type.Array(itemSchema(value), { minItems: 2, maxItems: 2 })
    case 'boolean':
      return Type.Boolean()
    case 'tuple':
      return Type.Array(Type.String(), { minItems: parts.length, maxItems: parts.length })
  }
}

/** The schema of one value. If only the server or a custom type knows its form, it is documented as a string. */
const itemSchema = (value: DescribedInput['value']): TSchema =>
  value === undefined || value.codec?.toDatabase !== undefined ? Type.String() : textSchema(value.type)

/**
 * A parameter with its example inside `allOf`, or in the items of a list. Next to the type, @fastify/swagger would turn
 * it into an example that interactive documentation fills in and sends by default, for all filters at once.
 */
function withExample (schema: TSchema, example: unknown): TSchema {
  if (schema['type'] === 'array') return { ...schema, items: { ...schema['items'], examples: example } }
  return { ...schema, allOf: [{ examples: [example] }] }
}
