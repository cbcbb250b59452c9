/** Checks the options of `QueryBuilderConfig` against their schema, and describes the first mistake. */
import { Type } from '@sinclair/typebox'
import { ConfigError } from '../base/errors.ts'
import { checkSchema, shown } from '../base/option-checks.ts'
import { AggregateInclude, AllowedInclude } from './allowed-include.ts'
import { AllowedField } from './allowed-field.ts'
import { AllowedSort, CustomSort } from './allowed-sort.ts'
import { BaseFilter } from './base-filter.ts'
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

const AnyObject = Type.Object({})

/** `QueryBuilderConfigSchema` without the schemas of entries. */
const OptionsSchema = Type.Object({
  ...QueryBuilderConfigSchema.properties,
  ...Object.fromEntries(Object.keys(LISTS).map(list => [list, Type.Optional(Type.Array(Type.Unknown()))])),
}, { additionalProperties: false })

/**
 * Refuses options that do not match `QueryBuilderConfigSchema`, with the path of the first mistake. Entries have been
 * checked by the constructors of their classes.
 */
export function checkShape (options: unknown): void {
  checkSchema('QueryBuilderConfig', AnyObject, options)
  for (const [list, { classes }] of Object.entries(LISTS)) {
    const entries: unknown = (options as Record<string, unknown>)[list]
    if (Array.isArray(entries)) entries.forEach((entry, index) => checkEntry(list, index, entry, classes))
  }
  checkSchema('QueryBuilderConfig', OptionsSchema, options)
}

function checkEntry (list: string, index: number, entry: unknown, classes: readonly Class[]): void {
  // the constructors freeze what they have checked
  if (Object.isFrozen(entry) && classes.some(expected => entry instanceof expected)) return
  const name = typeof entry === 'string' && entry !== '' ? entry : 'name'
  throw new ConfigError(`QueryBuilderConfig: ${list}[${index}] is ${shown(entry)}; write ${LISTS[list]!.example(name)}`)
}

function sortExample (name: string): string {
  return name.startsWith('-')
    ? `new AllowedSort('${name.slice(1)}', { direction: 'desc' })`
    : `new AllowedSort('${name}')`
}
