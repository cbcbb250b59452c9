/** Documents the query of a list as a body in JSON: what `QUERY /` and `POST /query` take. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import {
  describeOffer, eachInclude, type DescribedFilter, type DescribedInput, type Offer,
} from '../../catalogue/index.ts'
import { jsonKindsOf } from '../../plan/index.ts'
import { MAX_BODY_LIST_ITEMS, MAX_CONDITIONS, MAX_GROUP_DEPTH } from '../../query/index.ts'
import { textSchema } from '../../schema/index.ts'
import { inputSchemaOf, pageAndRecordParameters, type WrittenValues } from './parameters.ts'

/** @param filter a reference to the schema of its filters */
export function queryBodySchema (offer: Offer, filter: TSchema): TSchema {
  const description = describeOffer(offer)
  const parameters = Object.entries(pageAndRecordParameters(description))
  const sorts = description.sorts.slice(0, 1).map(({ name }) => name)
  const byInclude = eachInclude(description.includes).flatMap(({ path }) =>
    parameters.flatMap(([name, schema]) => name === `fields[${path}]` ? [[path, schema] as const] : [])
  )
  return Type.Object({
    filter: Type.Optional(filter),
    ...optional(parameters.filter(([name]) => !name.includes('['))),
    ...byInclude.length > 0 && {
      fieldsByInclude: Type.Optional(Type.Object(optional(byInclude), {
        additionalProperties: false,
        description: 'Keys to return in included records, by the path of the include.',
      })),
    },
  }, {
    additionalProperties: false,
    description: 'The query of a list.',
    // pages that try requests out send it, and would else make a value of every member
    examples: [{ ...sorts.length > 0 && { sort: sorts }, per_page: 20 }],
  })
}

/**
 * The filters of a query.
 *
 * @param self a reference to this schema, which groups contain
 */
export function filterSchema (offer: Offer, self: TSchema): TSchema {
  const { filters } = describeOffer(offer)
  const group = (description: string): TSchema => Type.Optional(Type.Array(self, { minItems: 1, description }))
  return Type.Object({
    ...optional(filters.map((filter) => [filter.name, conditionSchema(filter)])),
    and: group('All of them hold.'),
    or: group('At least one of them holds.'),
    not: Type.Optional(self),
  }, {
    additionalProperties: false,
    description: 'Filters that all hold. `and`, `or` and `not` contain such filters. `not` keeps the records for ' +
      `which they do not all hold. Groups nest, at most ${MAX_GROUP_DEPTH} deep, around at most ${MAX_CONDITIONS} ` +
      'conditions.',
  })
}

const optional = (members: ReadonlyArray<readonly [name: string, schema: TSchema]>): Record<string, TSchema> =>
  Object.fromEntries(members.map(([name, schema]) => [name, Type.Optional(schema)]))

/** A condition: a value for the default operator, or an object with a value for each of several operators. */
function conditionSchema ({ name, sentence, looks, inputs }: DescribedFilter): TSchema {
  const written = looks === 'anyOf' ? OF_SOME_TYPE : IN_JSON
  const [first, ...others] = inputs
  const value = inputSchemaOf(first!, written)
  if (first!.operator === undefined) return { ...value, description: sentence }
  const byOperator = inputs.map((input) =>
    [
      input.operator!,
      { ...inputSchemaOf(input, written), description: `Records whose \`${name}\` ${input.meaning}.` },
    ] as const
  )
  const list = value['type'] === 'array' ? undefined : others.find(({ operator }) => operator === 'in')
  const item = LISTS.has(first!.takes) ? [inputSchemaOf({ ...first!, takes: 'one' }, written)] : []
  return Type.Union([
    ...item,
    value,
    ...(list === undefined ? [] : [inputSchemaOf(list, written)]),
    Type.Object(optional(byOperator), { additionalProperties: false, minProperties: 1 }),
  ], { description: sentence })
}

/** What takes a list, or one item of it. */
const LISTS: ReadonlySet<DescribedInput['takes']> = new Set(['list', 'items'])

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/** A number that JavaScript does not round. */
const ExactNumber = Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

/** The schema of one value, which has its type in JSON. */
function jsonSchema (value: DescribedInput['value']): TSchema {
  if (value === undefined) return Scalar
  const kinds = jsonKindsOf(value)
  if (kinds.includes('other')) return Type.Unknown()
  if (!kinds.includes('number') || !kinds.includes('string')) return textSchema(value.type)
  if (kinds.includes('boolean')) return Scalar
  return Type.Union([ExactNumber, textSchema('form' in value.type ? { ...value.type, form: 'string' } : value.type)])
}

const IN_JSON: WrittenValues = { item: jsonSchema, any: Scalar, maxItems: MAX_BODY_LIST_ITEMS }

/** The filters of one name may have several types. They are then described as texts, as in URLs. */
const OF_SOME_TYPE: WrittenValues = {
  ...IN_JSON,
  item: (value) => value?.type.kind === 'text' ? Scalar : jsonSchema(value),
}
