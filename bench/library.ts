/** The names of the library that the measured processes use, from its bundle. */
import { pathToFileURL } from 'node:url'
import { builtIndex } from './built.ts'

export const {
  AllowedAggregate,
  AllowedFacet,
  AllowedFilters,
  AllowedGroup,
  AllowedInclude,
  AllowedSort,
  CrudBase,
  crudKit,
  DatabaseFactory,
  QueryBuilderConfig,
} = await import(pathToFileURL(builtIndex()).href) as typeof import('../src/index.ts')
