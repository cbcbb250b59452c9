/**
 * Documents the parameters of reads: sorts, includes, fields, pagination and filters, by their names in URLs.
 */
import { Type, type TSchema } from '@sinclair/typebox'
import {
  PAGE_PARAMETER_NAMES,
  PAGE_PARAMETERS,
  type NumberParameter,
  type PageLimits,
  type TextParameter,
} from '../../base/page-styles.ts'
import { MAX_INCLUDES, type IncludeEntry, type Whitelist } from '../../plan/index.ts'
import { relationEntries } from '../../schema/index.ts'
import { filterParameters } from './filter-parameters.ts'

type Parameters = Record<string, TSchema>

/** The parameters of a list. */
export function listParameters (
  whitelist: Whitelist,
  { defaultSort, examples }: { readonly defaultSort: readonly string[], readonly examples: boolean }
): Parameters {
  return {
    ...sortParameter(whitelist, defaultSort),
    ...recordParameters(whitelist),
    ...pageParameters(whitelist),
    ...filterParameters(whitelist, examples),
  }
}

/** The parameters of a read of one record. */
export function recordParameters (whitelist: Whitelist): Parameters {
  const { fields, includes } = whitelist
  const [name] = whitelist.names
  const parameters: Parameters = {}
  if (includes.size > 0) parameters['include'] = includeParameter(whitelist)
  if (fields.size > 0) {
    parameters['fields'] = namesOf([...fields.keys()], `Keys to return in records of ${name}. Default: all.`)
  }
  for (const { name, fields } of relationEntries(whitelist)) {
    if (fields.size > 0) {
      parameters[`fields[${name}]`] = namesOf(
        [...fields.keys()],
        `Keys to return in included records of \`${name}\`. Default: all.`
      )
    }
  }
  return parameters
}

function includeParameter ({ includes }: Whitelist): TSchema {
  const notes = [...includes.values()].map(noteOf).filter((note) => note !== undefined)
  return namesOf(
    [...includes.keys()],
    ['Related records, or numbers about them, to put into each record.', ...notes].join(' '),
    { maxItems: MAX_INCLUDES }
  )
}

/** Describes an include if its name does not say enough. */
function noteOf (entry: IncludeEntry): string | undefined {
  if (entry.kind === 'relation') {
    const limit = entry.rules?.limit
    return limit === undefined ? undefined : `\`${entry.name}\`: at most ${limit} of each record.`
  }
  const { name, function: fn, relation, property } = entry.aggregate
  const key = entry.name === name || entry.name.endsWith(`.${name}`) ? '' : `, as \`${name}\``
  return property === undefined
    ? `\`${entry.name}\`: ${fn === 'count' ? 'how many' : 'whether there is any'} \`${relation.publicName}\`${key}.`
    : `\`${entry.name}\`: ${WORDS[fn]} \`${property.publicName}\` of \`${relation.publicName}\`, null for none${key}.`
}

const WORDS: Readonly<Record<string, string>> = {
  sum: 'the sum of',
  min: 'the least',
  max: 'the greatest',
  avg: 'the mean',
}

function sortParameter ({ sorts }: Whitelist, defaultSort: readonly string[]): Parameters {
  if (sorts.size === 0) return {}
  // if the bare name sorts in descending order, `+` sorts in ascending order
  const names = [...sorts.values()].flatMap((
    { name, descending }
  ) => [name, `-${name}`, ...(descending ? [`+${name}`] : [])])
  const descending = [...sorts.values()].filter((sort) => sort.descending).map(({ name }) => `\`${name}\``)
  const bare = descending.length === 0
    ? ''
    : ` Without a sign, ${descending.join(', ')} ${descending.length > 1 ? 'are' : 'is'} descending.`
  const order = defaultSort.length === 0 ? '' : ` Default: \`${defaultSort.join()}\`.`
  return { sort: namesOf(names, `Names to sort by, in order of precedence. \`-\` is descending.${bare}${order}`) }
}

function namesOf (names: readonly string[], description: string, limits: { readonly maxItems?: number } = {}): TSchema {
  return Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...names] }), {
    uniqueItems: true,
    description,
    ...limits,
  })
}

/** The parameters of pages by number, by offset and by cursor. */
function pageParameters ({ pagination }: Whitelist): Parameters {
  return Object.fromEntries(
    PAGE_PARAMETER_NAMES.map((name) => [name, pageParameter(PAGE_PARAMETERS[name], pagination)])
  )
}

function pageParameter (parameter: NumberParameter | TextParameter, limits: PageLimits): TSchema {
  const meaning = parameter.meaning(limits)
  if (parameter.value === 'text') return Type.String({ maxLength: parameter.maxLength, description: meaning })
  const { minimum, maximum, documentedDefault } = parameter
  return Type.Integer({
    minimum,
    ...(maximum !== undefined && { maximum: limits[maximum] }),
    // interactive documentation would send a `default`, and together with `limit` or `cursor` that is an error
    description: documentedDefault === undefined ? meaning : `${meaning} Default: ${documentedDefault(limits)}.`,
  })
}
