/** Documentation of filters: one parameter for each operator that the whitelist allows. */
import { Type, type TSchema } from '@sinclair/typebox'
import { OPERATORS, type Operator, type OperatorValue } from '../../config/index.ts'
import { MAX_PATTERN_LENGTH, type FilterEntry, type OperatorFilter, type Whitelist } from '../../plan/index.ts'
import { joinList, MAX_LIST_ITEMS } from '../../query/index.ts'
import { exampleOf, secondExampleOf, textSchema } from '../../schema/index.ts'

/** What an operator says about a property: "Records whose `price` ...". */
const MEANINGS: Readonly<Record<Operator, string>> = {
  eq: 'is the value',
  ne: 'is another value; null is none',
  lt: 'is less than the value',
  lte: 'is at most the value',
  gt: 'is greater than the value',
  gte: 'is at least the value',
  like: 'matches the pattern: `%` and `_` are wildcards',
  ilike: 'matches the pattern, in upper or lower case: `%` and `_` are wildcards',
  contains: 'contains the text, in upper or lower case',
  starts: 'starts with the text, in upper or lower case',
  ends: 'ends with the text, in upper or lower case',
  in: 'is one of the values',
  nin: 'is none of the values',
  between: 'is between two values, or one of them, low first',
  overlap: 'has any of the values',
  isnull: 'is null, or with `false`, is not',
}

/**
 * The filters' parameters by name, in the order of the whitelist; a filter's default operator first.
 *
 * @param examples whether the document's schemas know `examples`; descriptions have them in any case
 */
export function filterParameters ({ filters }: Whitelist, examples: boolean): Record<string, TSchema> {
  const parameters: Record<string, TSchema> = {}
  for (const filter of filters.values()) {
    if (filter.kind !== 'operators') {
      parameters[`filter[${filter.name}]`] = namedParameter(filter)
      continue
    }
    for (
      const operator of [
        filter.defaultOperator,
        ...filter.operators.filter((operator) => operator !== filter.defaultOperator),
      ]
    ) {
      const name = operator === filter.defaultOperator
        ? `filter[${filter.name}]`
        : `filter[${filter.name}][${operator}]`
      parameters[name] = operatorParameter(name, filter, operator, examples)
    }
  }
  return parameters
}

/** A filter that takes no operator. */
function namedParameter (filter: Exclude<FilterEntry, OperatorFilter>): TSchema {
  switch (filter.kind) {
    case 'custom':
      return Type.String({ description: `The filter \`${filter.name}\`, as this server defines it.` })
    case 'search':
      return Type.String({
        maxLength: MAX_PATTERN_LENGTH,
        description: 'Records that contain the text somewhere, in upper or lower case.',
      })
    case 'trashed':
      return Type.Unsafe<string>({
        type: 'string',
        enum: ['with', 'only', 'without'],
        description: 'Records that are marked as deleted: `with` them, `only` them, or `without`, as by default.',
      })
    case 'anyOf':
      return Type.String({
        description: `Records for which the value is right in any of: ${
          filter.filters.map(({ name }) => `\`${name}\``).join(', ')
        }.`,
      })
    case 'scope':
      return scopeParameter(filter)
  }
}

function scopeParameter ({ name, params }: Extract<FilterEntry, { kind: 'scope' }>): TSchema {
  const [param, ...more] = params
  if (param === undefined) return Type.Boolean({ description: `Records of \`${name}\`, as this server defines it.` })
  const description = `Records of \`${name}\`, as this server defines it, by ${
    params.map((one) => `\`${one.name}\``).join(', ')
  }.`
  return more.length === 0
    ? { ...textSchema(param.type), description }
    : Type.Array(Type.String(), { minItems: params.length, maxItems: params.length, description })
}

function operatorParameter (name: string, filter: OperatorFilter, operator: Operator, examples: boolean): TSchema {
  const meaning = meaningOf(filter, operator)
  const example = exampleFor(filter, operator)
  const written = Array.isArray(example) ? joinList(example.map(String)) : String(example)
  const schema = {
    ...valueSchema(filter, operator),
    description: `Records whose \`${filter.name}\` ${meaning}. Example: \`${name}=${written}\``,
  }
  return examples ? withExample(schema, example) : schema
}

function meaningOf ({ partial, type }: OperatorFilter, operator: Operator): string {
  if (partial) {
    return `contains the text${operator === 'ilike' ? ', in upper or lower case' : ''}; with a \`%\` it is a pattern`
  }
  return type.kind === 'array' && operator === 'contains' ? 'has all of the values' : MEANINGS[operator]
}

/** How a value is written: what an array contains is a list. */
const takes = ({ type }: OperatorFilter, operator: Operator): OperatorValue =>
  type.kind === 'array' && operator === 'contains' ? 'list' : OPERATORS[operator]

function valueSchema (filter: OperatorFilter, operator: Operator): TSchema {
  const item = isText(operator) && filter.type.kind !== 'array'
    ? Type.String({ maxLength: MAX_PATTERN_LENGTH })
    : itemSchema(filter)
  switch (takes(filter, operator)) {
    case 'boolean':
      return Type.Boolean()
    case 'one':
      return item
    case 'list':
      return Type.Array(item, operator === 'between' ? { minItems: 2, maxItems: 2 } : { maxItems: MAX_LIST_ITEMS })
  }
}

/** What a custom type reads from text is its own. */
function itemSchema ({ operand, type }: OperatorFilter): TSchema {
  return operand.kind === 'scalar' && operand.codec?.toDatabase !== undefined
    ? Type.String()
    : textSchema(type.kind === 'array' ? type.element : type)
}

const isText = (operator: Operator): boolean =>
  operator === 'like' || operator === 'ilike' || operator === 'contains' || operator === 'starts' || operator === 'ends'

function exampleFor (filter: OperatorFilter, operator: Operator): unknown {
  if (operator === 'isnull') return true
  const { partial } = filter
  const type = filter.type.kind === 'array' ? filter.type.element : filter.type
  if ((operator === 'like' || operator === 'ilike') && !partial) return 'te_t'
  const [one, other] = [exampleOf(type), secondExampleOf(type)].map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : value
  )
  if (takes(filter, operator) !== 'list') return one
  return operator === 'between' || other !== one ? [one, other] : [one]
}

/**
 * A parameter with its example inside `allOf`, or beside the items of a list: beside the type, @fastify/swagger makes
 * it one of those examples that interactive documentation fills in and sends unasked, for all filters at once.
 */
function withExample (schema: TSchema, example: unknown): TSchema {
  if (schema['type'] === 'array') return { ...schema, items: { ...schema['items'], examples: example } }
  return { ...schema, allOf: [{ examples: [example] }] }
}
