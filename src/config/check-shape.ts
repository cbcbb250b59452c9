/** Checks what a `QueryBuilderConfig` is constructed with against its schema, and says in words what is wrong. */
import { Errors, ValueErrorType, type ValueError } from '@sinclair/typebox/errors'
import { ConfigError } from '../errors.ts'
import { AggregateInclude } from './aggregate-include.ts'
import { AllowedField } from './allowed-field.ts'
import { AllowedInclude } from './allowed-include.ts'
import { AllowedSort } from './allowed-sort.ts'
import { BaseFilter } from './base-filter.ts'
import { CustomSort } from './custom-sort.ts'
import { unknownOption } from './entry-options.ts'
import { shown } from './names.ts'
import { membersOf, notOneOf } from './one-of.ts'
import { PaginationSchema, QueryBuilderConfigSchema } from './schema.ts'

type Class = abstract new(...args: never[]) => object

/** The lists of entries: what they hold, and how an entry is written. */
const LISTS: Readonly<Record<string, { classes: readonly Class[], example: (name: string) => string }>> = {
  allowedFilters: {
    classes: [BaseFilter],
    example: name => `AllowedFilters.exact('${name}')`,
  },
  allowedSorts: { classes: [AllowedSort, CustomSort], example: sortExample },
  allowedFields: { classes: [AllowedField], example: name => `new AllowedField('${name}')` },
  allowedIncludes: { classes: [AllowedInclude, AggregateInclude], example: name => `new AllowedInclude('${name}')` },
}

/** Refuses what isn't the shape of `QueryBuilderConfigSchema`, with the path of the first thing that is wrong. */
export function checkShape (options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigError(`QueryBuilderConfig: the configuration must be an object, got ${shown(options)}`)
  }
  for (const [list, { classes }] of Object.entries(LISTS)) {
    const entries: unknown = (options as Record<string, unknown>)[list]
    if (Array.isArray(entries)) entries.forEach((entry, index) => checkEntry(list, index, entry, classes))
  }
  const error = Errors(QueryBuilderConfigSchema, options).First()
  if (error !== undefined) throw new ConfigError(`QueryBuilderConfig: ${sentence(error)}`)
}

function checkEntry (list: string, index: number, entry: unknown, classes: readonly Class[]): void {
  if (classes.some(expected => entry instanceof expected)) return
  const type = typeof entry === 'object' ? entry?.constructor : undefined
  const got = type !== undefined && type !== Object && type !== Array
    ? `an instance of ${type.name}`
    : shown(entry)
  const name = typeof entry === 'string' && entry !== '' ? entry : 'name'
  throw new ConfigError(`QueryBuilderConfig: ${list}[${index}] is ${got}; write ${LISTS[list]!.example(name)}`)
}

function sortExample (name: string): string {
  return name.startsWith('-')
    ? `new AllowedSort('${name.slice(1)}', { direction: 'desc' })`
    : `new AllowedSort('${name}')`
}

function sentence ({ type, path, schema, value, message }: ValueError): string {
  const place = path.slice(1).replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    const inPagination = place.startsWith('pagination.')
    const known = Object.keys((inPagination ? PaginationSchema : QueryBuilderConfigSchema).properties)
    return (inPagination ? 'pagination: ' : '') + unknownOption(place.slice(place.lastIndexOf('.') + 1), known)
  }
  const members = membersOf(schema)
  if (members !== undefined) return `${place}: ${notOneOf(value, members)}`
  return `${place}: ${message.charAt(0).toLowerCase()}${message.slice(1)}, got ${shown(value)}`
}
