/** Checks how a subclass of CrudBase is constructed and what it declares. */
import { ConfigError } from '../base/errors.ts'
import { isObject } from '../base/is-object.ts'
import { checkOptions, shown } from '../base/option-checks.ts'
import { isTypo } from '../base/suggest.ts'
import { refuseMisplaced } from '../config/index.ts'
import { HOOK_NAMES, type CrudHooks } from '../resource/index.ts'

/** The options of the constructor. */
const OPTIONS: readonly string[] = ['model', 'queryConfig', 'writable', 'upsertKeys', 'previous', 'name']

/**
 * Checks the options of the constructor.
 *
 * @param what the name of the class
 * @throws {ConfigError} for an entity instead of options, an option of another place, an unknown option, and options
 *   without `model`
 */
export function checkCrudOptions (what: string, options: unknown): void {
  const entity = entityName(options)
  if (entity !== undefined) {
    throw new ConfigError(`${what}: pass the entity as the option 'model': new CrudBase({ model: ${entity} }).`)
  }
  refuseMisplaced(what, options, 'CrudBase', what)
  checkOptions(what, options, OPTIONS)
  if ((options as { readonly model?: unknown } | undefined)?.model === undefined) {
    throw new ConfigError(`${what}: 'model' is required, the entity of the resource: new CrudBase({ model: Book }).`)
  }
}

/** The name of an entity: a class that is not a CRUD class, or an EntitySchema. `undefined` for other values. */
export function entityName (value: unknown): string | undefined {
  if (typeof value === 'function') {
    return value.name === '' || 'bind' in (value.prototype ?? {})
      ? undefined
      : value.name
  }
  const meta = isObject(value) && isObject(value['meta']) ? value['meta'] : undefined
  return meta === undefined ? undefined : String(meta['className'])
}

/**
 * Refuses a misspelt hook, since it would never run.
 *
 * @param base the prototype of CrudBase
 * @throws {ConfigError} for a method whose name is almost that of a hook
 */
export function checkHookNames (crud: object, base: object): void {
  for (let at = crud; at !== base && at !== null; at = Object.getPrototypeOf(at) as object) {
    for (const name of Object.getOwnPropertyNames(at)) {
      const { get, value } = Object.getOwnPropertyDescriptor(at, name)!
      if (get === undefined && typeof value !== 'function') continue
      const hook = HOOK_NAMES.includes(name) || name in base ? undefined : HOOK_NAMES.find((hook) => isTypo(name, hook))
      if (hook === undefined || typeof (crud as Record<string, unknown>)[name] !== 'function') continue
      throw new ConfigError(
        `${crud.constructor.name}: CrudBase has no hook '${name}', so it would never run. Did you mean '${hook}'? ` +
          'Write override before its name, and TypeScript checks it.'
      )
    }
  }
}

/**
 * Reads the option `previous`. Its names are looked up when the class meets its ORM.
 *
 * @throws {ConfigError} unless it is a list of names
 */
export function readPrevious (what: string, previous: unknown): readonly string[] | undefined {
  if (previous === undefined) return undefined
  if (Array.isArray(previous) && previous.every((name) => typeof name === 'string')) return [...new Set(previous)]
  throw new ConfigError(`${what}: 'previous' must be a list of names of properties, got ${shown(previous)}.`)
}

/** @throws {ConfigError} for an option `previous` that no hook would see */
export function checkAfterHooks (crud: CrudHooks, previous: readonly string[] | undefined): void {
  if (previous === undefined || crud.afterUpdate !== undefined || crud.afterDelete !== undefined) return
  throw new ConfigError(
    `${crud.constructor.name}: 'previous' has no effect, because the class has neither afterUpdate nor afterDelete. ` +
      'Add one of these hooks, or leave the option out.'
  )
}
