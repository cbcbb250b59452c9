/** Documents filters: one parameter for each operator that the whitelist allows. */
import { Type, type TSchema } from '@sinclair/typebox'
import { MAX_PATTERN_LENGTH, type OperatorForm } from '../../operators/index.ts'
import { takesOperators, TRASHED, type FilterEntry, type OperatorFilter, type Whitelist } from '../../plan/index.ts'
import { joinList, MAX_LIST_ITEMS } from '../../query/index.ts'
import { exampleOf, secondExampleOf, textSchema } from '../../schema/index.ts'

/**
 * The parameters of filters by name, in the order of the whitelist. The default operator of a filter comes first.
 *
 * @param examples whether the document's schemas support `examples`; descriptions always contain them
 */
export function filterParameters ({ filters }: Whitelist, examples: boolean): Record<string, TSchema> {
  const parameters: Record<string, TSchema> = {}
  for (const filter of filters.values()) {
    if (!takesOperators(filter)) {
      parameters[`filter[${filter.name}]`] = namedParameter(filter)
      continue
    }
    const { defaultOperator, operators } = filter
    const others = [...operators].filter(([operator]) => operator !== defaultOperator)
    for (const [operator, form] of [[defaultOperator, operators.get(defaultOperator)!] as const, ...others]) {
      const name = operator === defaultOperator ? `filter[${filter.name}]` : `filter[${filter.name}][${operator}]`
      parameters[name] = operatorParameter(name, filter, form, examples)
    }
  }
  return parameters
}

/** A filter of a kind without operators. */
export type NamedFilter = Exclude<FilterEntry, OperatorFilter>

/** The parameters of the kinds without operators. */
const NAMED: {
  readonly [Kind in NamedFilter['kind']]: (filter: Extract<NamedFilter, { readonly kind: Kind }>) => TSchema
} = {
  custom: ({ name }) => Type.String({ description: `The filter \`${name}\`, as this server defines it.` }),
  search: () =>
    Type.String({
      maxLength: MAX_PATTERN_LENGTH,
      description: 'Records that contain the text somewhere, in upper or lower case.',
    }),
  trashed: () =>
    Type.Unsafe<string>({
      type: 'string',
      enum: [...TRASHED],
      description: 'Records that are marked as deleted: `with` them, `only` them, or `without`, as by default.',
    }),
  anyOf: ({ filters }) => {
    const names = filters.map(({ name }) => `\`${name}\``).join(', ')
    return Type.String({ description: `Records that match the value in at least one of: ${names}.` })
  },
  scope: scopeParameter,
}

/** The parameter of a filter without operators. */
export const namedParameter = (filter: NamedFilter): TSchema =>
  (NAMED[filter.kind] as (filter: NamedFilter) => TSchema)(filter)

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

function operatorParameter (name: string, filter: OperatorFilter, form: OperatorForm, examples: boolean): TSchema {
  const example = exampleFor(filter, form)
  const schema = {
    ...valueSchema(filter, form),
    description: `Records whose \`${filter.name}\` ${form.meaning}. Example: \`${name}=${asText(example)}\``,
  }
  return examples ? withExample(schema, example) : schema
}

function valueSchema (filter: OperatorFilter, { value }: OperatorForm): TSchema {
  switch (value) {
    case 'one':
      return itemSchema(filter)
    case 'text':
      return Type.String({ maxLength: MAX_PATTERN_LENGTH })
    case 'part':
      return Type.String()
    case 'list':
    case 'items':
      return Type.Array(itemSchema(filter), { maxItems: MAX_LIST_ITEMS })
    case 'pair':
      return Type.Array(itemSchema(filter), { minItems: 2, maxItems: 2 })
    case 'boolean':
      return Type.Boolean()
  }
}

/** The schema of one value. Values of custom types are documented as strings, since only the type knows their form. */
function itemSchema ({ operand, type }: OperatorFilter): TSchema {
  return operand.kind === 'scalar' && operand.codec?.toDatabase !== undefined
    ? Type.String()
    : textSchema(type.kind === 'array' ? type.element : type)
}

/** An example of an operator's value, as it is written in a URL. */
export const exampleText = (filter: OperatorFilter, form: OperatorForm): string => asText(exampleFor(filter, form))

const asText = (example: unknown): string =>
  Array.isArray(example) ? joinList(example.map(String)) : String(example)

function exampleFor ({ type }: OperatorFilter, { example }: OperatorForm): unknown {
  const item = type.kind === 'array' ? type.element : type
  const [one, other] = [exampleOf(item), secondExampleOf(item)].map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : value
  )
  return example(one, other)
}

/**
 * A parameter with its example inside `allOf`, or in the items of a list. Next to the type, @fastify/swagger would turn
 * it into an example that interactive documentation fills in and sends by default, for all filters at once.
 */
function withExample (schema: TSchema, example: unknown): TSchema {
  if (schema['type'] === 'array') return { ...schema, items: { ...schema['items'], examples: example } }
  return { ...schema, allOf: [{ examples: [example] }] }
}
