/** Documents the parameters of query strings, by their names in URLs, from the description of a resource. */
import * as Type from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'
import { PAGE_PARAMETERS, type PageParameter, type PageParameterName } from '../../base/page-styles.ts'
import {
  describeOffer, eachInclude, exampleText, isAllowed, type DescribedFilter, type DescribedInclude, type DescribedInput,
  type DescribedTerm, type Description, type Offer,
} from '../../catalogue/index.ts'
import { factsOf, removes, type Pagination } from '../../config/index.ts'
import { countChoices, MAX_INCLUDES, pageParametersOf } from '../../plan/index.ts'
import { MAX_LIST_ITEMS } from '../../query/index.ts'
import { textSchema } from '../../schema/index.ts'
import type { CrudOperation } from '../route-options.ts'

type Parameters = Record<string, TSchema>

/**
 * The parameters of an operation's query string.
 *
 * @param examples whether the document's schemas support `examples`. Descriptions of filters always contain them
 */
export function parametersOf (operation: CrudOperation, offer: Offer, examples: boolean): Parameters {
  return {
    ...PARAMETERS[factsOf(operation).query](offer, examples),
    ...(removes(operation) && offer.hardDelete && {
      hard: Type.Boolean({ description: 'Remove the record for good, instead of marking it as deleted.' }),
    }),
  }
}

const PARAMETERS: Readonly<
  Record<ReturnType<typeof factsOf>['query'], (offer: Offer, examples: boolean) => Parameters>
> = {
  list: (offer, examples) => listParameters(describeOffer(offer), examples),
  record: (offer) => recordParameters(describeOffer(offer)),
  groups: (offer, examples) => aggregateParameters(describeOffer(offer), examples),
  none: () => ({}),
  key: (offer) => ({ on: keyParameter(offer) }),
  filters: (offer, examples) => ({
    ...filterParameters(describeOffer(offer), examples),
    dry_run: Type.Boolean({ description: 'Only count the records that the request would write.' }),
  }),
}

/** The parameter of an upsert. It is an array for no client to escape its commas, as `sort` is. */
function keyParameter ({ upsertKeys }: Offer): TSchema {
  const names = [...new Set(upsertKeys.flatMap(({ properties }) => properties.map(({ publicName }) => publicName)))]
  const keys = upsertKeys.map(({ name }) => `\`${name}\``).join(' or ')
  return namesOf(names, `The key that finds the record: ${keys}.`, { minItems: 1 })
}

/** The parameters of a list, except for filters. */
export function pageAndRecordParameters (description: Description): Parameters {
  const { facets, pages } = description
  return {
    ...sortParameter(description),
    ...recordParameters(description),
    ...pageParameters(pageParametersOf(pages), pages),
    ...facets.length > 0 && {
      facets: namesOf(
        facets.map(({ name }) => name),
        'Properties whose values to count beside the page. Conditions on the same property do not count.'
      ),
    },
  }
}

const listParameters = (description: Description, examples: boolean): Parameters => ({
  ...pageAndRecordParameters(description),
  ...filterParameters(description, examples),
})

const pageParameters = (names: readonly PageParameterName[], limits: Pagination): Parameters =>
  Object.fromEntries(names.map((name) => [name, pageParameter(PAGE_PARAMETERS[name], limits)]))

/** The parameters of aggregates, which have no cursors. */
function aggregateParameters (description: Description, examples: boolean): Parameters {
  const { groups, numbers, groupPages } = description
  const sortable = [...groups, ...numbers].flatMap(({ name }) => [name, `-${name}`])
  const asked = (terms: readonly DescribedTerm[], sentence: string): TSchema =>
    namesOf(terms.map(({ name }) => name), sentence)
  return {
    ...groups.length > 0 && { group: asked(groups, 'What to group by. Without it, all records are one group.') },
    ...numbers.length > 0 && { aggregate: asked(numbers, 'Numbers about the records of each group.') },
    sort: namesOf(sortable, 'Groups and numbers of the request to sort by. `-` is descending.'),
    ...pageParameters(pageParametersOf(groupPages).filter((name) => name !== 'cursor'), groupPages),
    ...filterParameters(description, examples),
  }
}

function filterParameters ({ filters }: Description, examples: boolean): Parameters {
  return Object.fromEntries(
    filters.flatMap((filter) =>
      filter.inputs.map((input) => [input.parameter, inputParameter(filter, input, examples)])
    )
  )
}

/** The parameters of a read of one record. */
function recordParameters ({ name, fields, includes }: Description): Parameters {
  const all = eachInclude(includes)
  const parameters: Parameters = {}
  if (all.length > 0) parameters['include'] = includeParameter(all)
  if (fields.size > 0) {
    parameters['fields'] = namesOf([...fields.keys()], `Keys to return in records of ${name}. Default: all.`)
  }
  for (const include of all) {
    if (include.kind === 'aggregate' || include.fields.size === 0) continue
    parameters[`fields[${include.path}]`] = namesOf(
      [...include.fields.keys()],
      `Keys to return in included records of \`${include.path}\`. Default: all.`
    )
  }
  return parameters
}

function includeParameter (includes: readonly DescribedInclude[]): TSchema {
  const allowed = includes.filter(isAllowed)
  const notes = allowed.map(noteOf).filter((note) => note !== undefined)
  return namesOf(
    allowed.map(({ path }) => path),
    ['Related records, or numbers about them, to put into each record.', ...notes].join(' '),
    { maxItems: MAX_INCLUDES }
  )
}

/** Describes an include if its name does not say enough. */
function noteOf (include: DescribedInclude): string | undefined {
  const { path } = include
  if (include.kind === 'relation') {
    return include.limit === undefined ? undefined : `\`${path}\`: at most ${include.limit} of each record.`
  }
  const { name, function: fn, relation, property } = include.aggregate
  const key = path === name || path.endsWith(`.${name}`) ? '' : `, as \`${name}\``
  return property === undefined
    ? `\`${path}\`: ${fn === 'count' ? 'how many' : 'whether there is any'} \`${relation.publicName}\`${key}.`
    : `\`${path}\`: ${WORDS[fn]} \`${property.publicName}\` of \`${relation.publicName}\`, null for none${key}.`
}

const WORDS: Readonly<Record<string, string>> = {
  sum: 'the sum of',
  min: 'the least',
  max: 'the greatest',
  avg: 'the mean',
}

function sortParameter ({ sorts, defaultSort }: Description): Parameters {
  if (sorts.length === 0) return {}
  // if the bare name sorts in descending order, `+` sorts in ascending order
  const names = sorts.flatMap(({ name, descending }) => [name, `-${name}`, ...(descending ? [`+${name}`] : [])])
  const descending = sorts.filter((sort) => sort.descending).map(({ name }) => `\`${name}\``)
  const bare = descending.length === 0
    ? ''
    : ` Without a sign, ${descending.join(', ')} ${descending.length > 1 ? 'are' : 'is'} descending.`
  const ranked = sorts.filter(({ relevance }) => relevance).map(({ name }) =>
    ` \`-${name}\`: the best matches of \`filter[${name}]\` first, only beside it.`
  )
  const order = defaultSort.length === 0 ? '' : ` Default: \`${defaultSort.map(({ written }) => written).join()}\`.`
  return {
    sort: namesOf(
      names,
      `Names to sort by, in order of precedence. \`-\` is descending.${bare}${ranked.join('')}${order}`
    ),
  }
}

function namesOf (
  names: readonly string[],
  description: string,
  limits: { readonly maxItems?: number, readonly minItems?: number } = {}
): TSchema {
  return Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...names] }), {
    uniqueItems: true,
    description,
    ...limits,
  })
}

function pageParameter (parameter: PageParameter, limits: Pagination): TSchema {
  const meaning = parameter.meaning(limits)
  if (parameter.value === 'text') return Type.String({ maxLength: parameter.maxLength, description: meaning })
  if (parameter.value === 'choice') {
    return Type.Unsafe<string>({ type: 'string', enum: [...countChoices(limits)], description: meaning })
  }
  const { minimum, maximum, documentedDefault } = parameter
  return Type.Integer({
    minimum,
    ...(maximum !== undefined && { maximum: limits[maximum] }),
    // interactive documentation would send a `default`, and together with `limit` or `cursor` that is an error
    description: documentedDefault === undefined ? meaning : `${meaning} Default: ${documentedDefault(limits)}.`,
  })
}

function inputParameter (filter: DescribedFilter, input: DescribedInput, examples: boolean): TSchema {
  const { operator, parameter, meaning, example } = input
  const schema = inputSchemaOf(input, IN_URL)
  const sentence = operator === undefined ? filter.sentence : `Records whose \`${filter.name}\` ${meaning}.`
  if (example === undefined) return { ...schema, description: sentence }
  const described = { ...schema, description: `${sentence} Example: \`${parameter}=${exampleText(example)}\`` }
  return examples ? withExample(described, example) : described
}

/** How values are written. */
export interface WrittenValues {
  /** The schema of one value of a filter. */
  readonly item: (value: DescribedInput['value']) => TSchema
  /** The schema of a value whose type the operator or the server decides. */
  readonly any: TSchema
  readonly maxItems: number
}

/** The schema of the value of a filter. */
export function inputSchemaOf (
  { takes, value, parts = [] }: DescribedInput,
  { item, any, maxItems }: WrittenValues
): TSchema {
  switch (takes) {
    case 'one':
      return item(value)
    case 'text':
      return Type.String({ maxLength: value?.maxLength })
    case 'part':
      return any
    case 'list':
    case 'items':
      return Type.Array(item(value), { maxItems })
    case 'pair':
      return Type.Array(item(value), { minItems: 2, maxItems: 2 })
    case 'boolean':
      return Type.Boolean()
    case 'tuple':
      return Type.Array(any, { minItems: parts.length, maxItems: parts.length })
  }
}

/** The schema of one value. If only the server or a custom type knows its form, it is documented as a string. */
const itemSchema = (value: DescribedInput['value']): TSchema =>
  value === undefined || value.codec?.toDatabase !== undefined ? Type.String() : textSchema(value.type)

const IN_URL: WrittenValues = { item: itemSchema, any: Type.String(), maxItems: MAX_LIST_ITEMS }

/**
 * A parameter with its example inside `allOf`, or in the items of a list. Next to the type, @fastify/swagger would turn
 * it into an example that interactive documentation fills in and sends by default, for all filters at once.
 */
function withExample (schema: TSchema, example: unknown): TSchema {
  if (schema['type'] === 'array') return { ...schema, items: { ...schema['items'], examples: example } }
  return { ...schema, allOf: [{ examples: [example] }] }
}
