/** Checks the options of `QueryBuilderConfig` against their schema, and describes the first mistake. */
import { Type } from '@sinclair/typebox'
import { ConfigError } from '../errors.ts'
import { checkSchema, shown } from '../options.ts'
import { AggregateInclude } from './aggregate-include.ts'
import { AllowedField } from './allowed-field.ts'
import { AllowedInclude } from './allowed-include.ts'
import { AllowedSort } from './allowed-sort.ts'
import { BaseFilter } from './base-filter.ts'
import { CustomSort } from './custom-sort.ts'
import { QueryBuilderConfigSchema } from './schema.ts'

type Class = abstract new(...args: never[]) => object

/** The lists of entries: the classes of their entries, and an example of an entry. */
const LISTS: Readonly<Record<string, { classes: readonly Class[], example: (name: string) => string }>> = {
  allowedFilters: {
    classes: [BaseFilter],
    example: name => `AllowedFilters.exact('${name}')`,
  },
  allowedSorts: { classes: [AllowedSort, CustomSort], example: sortExample },
  allowedFields: { classes: [AllowedField], example: name => `new AllowedField('${name}')` },
  allowedIncludes: { classes: [AllowedInclude, AggregateInclude], example: name => `new AllowedInclude('${name}')` },
}

/** Refuses options that do not match `QueryBuilderConfigSchema`, with the path of the first mistake. */
export function checkShape (options: unknown): void {
  checkSchema('QueryBuilderConfig', Type.Object({}), options)
  for (const [list, { classes }] of Object.entries(LISTS)) {
    const entries: unknown = (options as Record<string, unknown>)[list]
    if (Array.isArray(entries)) entries.forEach((entry, index) => checkEntry(list, index, entry, classes))
  }
  checkSchema('QueryBuilderConfig', QueryBuilderConfigSchema, options)
}

function checkEntry (list: string, index: number, entry: unknown, classes: readonly Class[]): void {
  if (classes.some(expected => entry instanceof expected)) return
  const name = typeof entry === 'string' && entry !== '' ? entry : 'name'
  throw new ConfigError(`QueryBuilderConfig: ${list}[${index}] is ${shown(entry)}; write ${LISTS[list]!.example(name)}`)
}

function sortExample (name: string): string {
  return name.startsWith('-')
    ? `new AllowedSort('${name.slice(1)}', { direction: 'desc' })`
    : `new AllowedSort('${name}')`
}
