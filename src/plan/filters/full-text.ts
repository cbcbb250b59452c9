/** Full-text filters, which look for words in several properties, and sort by how well records match. */
import type { FullTextFilter } from '../../config/index.ts'
import { ConfigError } from '../../base/errors.ts'
import {
  isTextual, resolvePath, type EntityModel, type Property, type ScalarProperty, type ValueType,
} from '../../model/index.ts'
import { describe } from '../operand.ts'
import type { Relevance, TextDocument, TextField } from '../condition-types.ts'
import { readSearchedText } from './json-texts.ts'
import { freeName, plainFacts, SEARCHED_TEXT, unaccentOf, type EntryBase, type FilterKind } from './kind.ts'
import { refuseForm } from './planned.ts'
import { storesWords } from './stored-words.ts'

export interface FullTextEntry extends EntryBase {
  readonly kind: 'fullText'
  readonly document: TextDocument
  /** What the sort with the filter's name orders by. */
  readonly relevance: Relevance
}

/** Maximum number of words that a text leaves out. `websearch_to_tsquery` fails for 33 signs without a word between. */
export const MAX_EXCLUDED = 16
const EXCLUDING = /(?<![\p{L}\p{N}])-/gu

/** The type of what `ts_rank` returns. */
const RANK_TYPE: ValueType = { kind: 'float', single: true }

export const fullText: FilterKind<FullTextFilter<string>, FullTextEntry> = {
  takesOperators: false,

  resolve (filter, model) {
    const what = `AllowedFilters.fullText '${filter.field}'`
    const fields = filter.fields.map((field) => textField(field, model, what))
    const name = freeName(filter, model)
    const { config } = filter
    const unaccent = unaccentOf(filter)
    const stored = storedWords(filter, fields, model, what)
    const document: TextDocument = Object.freeze({ config, fields, stored, unaccent })
    const relevance: Relevance = Object.freeze({ kind: 'relevance', name, document, type: RANK_TYPE, nullable: false })
    return { kind: 'fullText', name, document, relevance, unaccent }
  },

  plan (param, { name, document }, values) {
    const text = readSearchedText(param, name)
    if (typeof text !== 'string') return text
    const excluded = text.match(EXCLUDING)?.length ?? 0
    if (excluded > MAX_EXCLUDED) {
      return refuseForm(param, `A text leaves out at most ${MAX_EXCLUDED} words by '-'; this one ${excluded}.`, true)
    }
    return {
      kind: 'condition',
      relations: [],
      condition: { kind: 'match', document, slot: values.add(text) },
    }
  },

  compared: ({ document, unaccent }) => document.fields.map((field) => ({ ...field, by: [], unaccent })),

  document: ({ document }) => document,

  describe: () =>
    plainFacts(
      'fullText',
      'Records with all words of the text, in any of their forms. `"in quotes"` finds a phrase, `or` either word, ' +
        'and `-word` records without it.',
      { takes: 'text', value: SEARCHED_TEXT, example: { type: SEARCHED_TEXT.type, of: (one) => one } }
    ),
}

function textField (field: string, model: EntityModel, what: string): TextField {
  const { relations, property, json } = resolvePath(model, field, what)
  const many = relations.find((relation) => relation.many)
  if (many !== undefined) {
    throw new ConfigError(
      `${what}: '${field}' goes through the to-many relation '${many.name}'. Full text is about one record and those ` +
        'of its to-one relations; AllowedFilters.search also searches lists of related records.'
    )
  }
  if (json !== undefined || property.kind !== 'scalar') {
    throw new ConfigError(`${what}: '${field}' is not a property with text; only text can be searched.`)
  }
  if (!isTextual(property.type)) {
    throw new ConfigError(`${what}: '${field}' is of type ${describe(property.type)}, and only text can be searched.`)
  }
  return Object.freeze({ relations, operand: property })
}

/** The property that stores the words: the one that the filter names, or one that is generated from the fields. */
function storedWords (
  { property: given, config, unaccent }: FullTextFilter<string>,
  fields: readonly TextField[],
  { name, properties }: EntityModel,
  what: string
): ScalarProperty | undefined {
  if (given === undefined) {
    // words with accents are not stored without them
    if (unaccent !== false) return undefined
    return [...properties.values()].find((property): property is ScalarProperty =>
      isVector(property) && storesWords(property, fields, config)
    )
  }
  const related = fields.find(({ relations }) => relations.length > 0)
  if (related !== undefined) {
    throw new ConfigError(
      `${what}: '${related.relations[0]!.name}' is another record, which a request may not see, so no property of ` +
        `${name} stores its words. Leave 'property' out, or name fields of ${name} only.`
    )
  }
  const property = properties.get(given)
  if (property !== undefined && isVector(property)) return property
  const vectors = [...properties.values()].filter(isVector).map((vector) => `'${vector.name}'`)
  const known = vectors.length === 0 ? 'It has none.' : `It has ${vectors.join(', ')}.`
  throw new ConfigError(`${what}: ${name} has no property '${given}' of type tsvector. ${known}`)
}

const isVector = (property: Property): property is ScalarProperty =>
  property.kind === 'scalar' && property.type.kind === 'other' && property.type.columnType === 'tsvector'
