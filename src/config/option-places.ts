/** Options of a resource, by the place where an application writes them. Each place is often mistaken for another. */
import { ConfigError } from '../base/errors.ts'
import { isObject } from '../base/is-object.ts'

const PLACES = ['routes', 'CrudBase', 'whitelist', 'pagination'] as const
type Place = typeof PLACES[number]

/** All options but `name`, which routes and CRUD classes have. */
const OPTIONS: Readonly<Record<Place, readonly string[]>> = {
  routes: [
    'operations', 'scope', 'hooks', 'config', 'schemas', 'maxBatch', 'maxAffected', 'allowHardDelete', 'requireIfMatch',
    'idempotency', 'readonlyProperties', 'unknownParameters', 'transaction', 'stream', 'serverTiming', 'query', 'links',
    'conditional',
  ],
  CrudBase: ['model', 'queryConfig', 'writable', 'upsertKeys', 'previous'],
  whitelist: [
    'allowedFilters', 'allowedSorts', 'allowedFields', 'allowedIncludes', 'allowedFacets', 'allowedGroups',
    'allowedAggregates', 'defaultSort', 'ignoreInvalidErrors', 'pagination',
  ],
  pagination: [
    'defaultPerPage', 'maxPerPage', 'maxOffset', 'maxIncluded', 'maxBytes', 'count', 'countParameter',
    'estimateAllRows',
  ],
}

/**
 * Refuses an option that belongs to another place.
 *
 * @param who the beginning of the error's message
 * @param here the place where the options stand
 * @param crud the CRUD class, as an example writes it
 * @throws {ConfigError} that says where it belongs
 */
export function refuseMisplaced (who: string, options: unknown, here: Place, crud = 'CrudBase'): void {
  if (!isObject(options)) return
  for (const name of Object.keys(options)) {
    if (OPTIONS[here].includes(name)) continue
    const place = PLACES.find((place) => OPTIONS[place].includes(name))
    if (place !== undefined) throw new ConfigError(`${who}: '${name}' ${belongsTo(place, name, crud)}.`)
  }
}

function belongsTo (place: Place, name: string, crud: string): string {
  if (place === 'routes') {
    const example = `new ${crud}(${crud === 'CrudBase' ? '...' : ''})`
    return "is an option of the resource's routes. Write it beside 'crud', as in " +
      `resources: { '/books': { crud: ${example}, ${name}: ... } }, or in the options of crudRoutes`
  }
  if (place === 'CrudBase') {
    const option = name === 'model' ? '' : `, ${name}: ...`
    return `is an option of CrudBase. Write it there, as in new CrudBase({ model: Book${option} })`
  }
  const [owner, option] = place === 'whitelist'
    ? ['the whitelist', `${name}: ...`]
    : ["the whitelist's pagination", `pagination: { ${name}: ... }`]
  return `is an option of ${owner}. Write it there, as in new CrudBase({ model: Book, queryConfig: { ${option} } })`
}
