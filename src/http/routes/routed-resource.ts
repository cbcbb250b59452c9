/** The resource of some routes and their documentation: bound to an ORM, with checked options. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Role } from '../../access/index.ts'
import type { Offer } from '../../catalogue/index.ts'
import { MAX_AFFECTED, refuseMisplaced, takesBodies } from '../../config/index.ts'
import { CrudBase, entityName } from '../../crud/index.ts'
import { ConfigError } from '../../base/errors.ts'
import type { EntityModel } from '../../model/index.ts'
import type { Whitelist } from '../../plan/index.ts'
import { isGroupWord } from '../../query/index.ts'
import { checkSchema, shown } from '../../base/option-checks.ts'
import { checkCoLocation, type Resource } from '../../resource/index.ts'
import { distributionOf } from '../../run/index.ts'
import { checkDistributed, checkStoredAnswers } from '../../write/index.ts'
import {
  DEFAULT_MAX_BATCH, ResourceOptionsSchema, STREAM_TYPES, type CrudOperation, type CrudRoutesOptions,
} from '../route-options.ts'
import { offeredOperations } from './operations.ts'
import { checkOwnParts } from './own-parts.ts'
import { fillsNothing } from './seen-resource.ts'

export interface RoutedResource {
  /** The subject of messages: `The resource /categories`. */
  readonly what: string
  /** Its name in documentation. */
  readonly name: string
  readonly bound: Resource
  readonly operations: readonly CrudOperation[]
}

/** What requests may do with a resource. The rows of a role may fill in what a body must otherwise have. */
export function offerOf (
  { bound: { model, config, whitelist, writable, upsertKeys }, operations, limited = false, role }: CheckedResource,
  options: CrudRoutesOptions
): Offer {
  const {
    crud,
    scope,
    maxBatch = DEFAULT_MAX_BATCH,
    maxAffected = MAX_AFFECTED,
    stream = false,
    idempotency,
  } = options
  return {
    model,
    whitelist,
    writable,
    upsertKeys,
    config,
    operations,
    scoped: scope !== undefined,
    changesRecords: crud.afterRead !== undefined,
    maxBatch,
    maxAffected,
    hardDelete: options.allowHardDelete === true,
    versions: model.version?.hidden === false,
    requireIfMatch: options.requireIfMatch === true,
    idempotency: idempotency === undefined || idempotency === false
      ? false
      : idempotency !== true && idempotency.required === true
        ? 'required'
        : 'accepted',
    ignoresReadonly: options.readonlyProperties === 'ignore',
    combinesFilters: options.query === true,
    links: options.links === true,
    conditional: options.conditional === true,
    streams: stream === false ? [] : STREAM_TYPES,
    mayWriteChild: (child, operation) => role === undefined || role.ruleOf(child.name)?.allows(operation) === true,
    complete: !limited && fillsNothing(options, operations),
  }
}

type CheckedResource = Pick<RoutedResource, 'bound' | 'operations'> & {
  readonly limited?: boolean,
  readonly role?: Pick<Role, 'ruleOf'>,
}

/**
 * Binds the resource of some routes to an ORM.
 *
 * @param orm `undefined` if the server has none
 * @param outer the prefix of the instance on which the routes are registered
 * @param byRole whether roles limit what requests may do
 * @throws {ConfigError} when the whitelist names a property that the entity does not have, or when the entity does not
 *   support an operation or `requireIfMatch`, and when the ORM lacks the table for `idempotency`
 */
export function routedResource (
  orm: MikroORM | undefined,
  options: CrudRoutesOptions,
  outer: string,
  byRole: boolean
): RoutedResource {
  const { crud, prefix, logLevel, logSerializers, ...rest } = options
  const what = `The resource ${prefix ?? '/'}`
  checkPrefix(what, prefix, outer)
  checkCrud(what, crud)
  if (orm === undefined) {
    throw new ConfigError(`${what}: register crudKit first, and await it: await fastify.register(crudKit, { ... }).`)
  }
  refuseMisplaced(what, rest, 'routes')
  checkSchema(what, ResourceOptionsSchema, rest)
  const bound = crud.bind(orm.em)
  const operations = offeredOperations(what, bound, options, byRole)
  checkOwnParts(what, options, operations)
  if (rest.idempotency !== undefined && rest.idempotency !== false) checkStoredAnswers(what, orm.em)
  if (rest.query) checkGroupNames(what, bound.whitelist)
  if (rest.requireIfMatch) checkHasVersion(what, bound.model)
  const name = options.name ?? crud.name ?? bound.model.tableName
  bound.addName(name)
  return { what, name, bound, operations }
}

/**
 * Checks a resource whose server has been asked about its tables, and whether they are distributed.
 *
 * @throws {ConfigError} for tables that cannot serve the resource
 */
export function checkTables (
  { what, bound: { model, whitelist, writable }, operations }: RoutedResource,
  { idempotency }: Offer,
  em: EntityManager
): void {
  const distribution = distributionOf(em)
  if (distribution === undefined) return
  checkDistributed(what, distribution, em, model, {
    creates: takesBodies(operations, 'create'),
    keepsAnswers: idempotency !== false,
  })
  checkCoLocation(what, distribution, whitelist, takesBodies(operations, 'update') ? writable.update : undefined)
}

/** Refuses filters that have the name of a group: `filter[not]` would mean either. */
function checkGroupNames (what: string, { filters }: Whitelist): void {
  const name = [...filters.keys()].find(isGroupWord)
  if (name === undefined) return
  throw new ConfigError(
    `${what}: with 'query', '${name}' combines filters, so no filter can have this name. Give the filter an alias, ` +
      "or leave 'query' out."
  )
}

/** Refuses to require If-Match of clients that cannot know any version. */
function checkHasVersion (what: string, { name, version }: EntityModel): void {
  if (version?.hidden === false) return
  throw new ConfigError(
    `${what}: 'requireIfMatch' needs a version for If-Match to name, and ${
      version === undefined
        ? `${name} has none. Give it one: version: p.integer().version(). Or leave 'requireIfMatch' out.`
        : `that of ${name} is hidden. Show '${version.name}', or leave 'requireIfMatch' out.`
    }`
  )
}

/** Refuses a prefix under which clients would not find the routes, or would find them in front of all others. */
function checkPrefix (what: string, prefix: unknown, outer: string): void {
  if (prefix === undefined) {
    if (outer !== '') return
    throw new ConfigError(
      `${what}: crudRoutes needs a prefix, such as { prefix: '/books', crud }. To serve the resource at the root, ` +
        "write prefix: '/'. For several resources, write { resources: { '/books': crud } }."
    )
  }
  if (typeof prefix !== 'string' || !prefix.startsWith('/')) {
    throw new ConfigError(`${what}: the prefix must start with a slash: '/${String(prefix)}'.`)
  }
  if (prefix !== '/' && prefix.endsWith('/')) {
    throw new ConfigError(`${what}: the prefix must not end with a slash: '${prefix.replace(/\/+$/, '') || '/'}'.`)
  }
}

function checkCrud (what: string, crud: unknown): void {
  if (crud instanceof CrudBase) return
  throw new ConfigError(`${what}: 'crud' must be an instance of CrudBase, got ${instead(crud)}`)
}

/** The value that was given for a CrudBase, and what to write. */
function instead (crud: unknown): string {
  const entity = entityName(crud)
  if (typeof crud === 'function' && crud.prototype instanceof CrudBase) {
    return `the class ${crud.name}. Write new ${crud.name}().`
  }
  if (crud === CrudBase) return 'the class CrudBase. Write new CrudBase({ model: Book }).'
  return entity === undefined
    ? `${shown(crud)}. Write new CrudBase({ model: Book }).`
    : `the entity ${entity}. Write new CrudBase({ model: ${entity} }).`
}
