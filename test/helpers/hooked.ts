/** Resources whose hooks are functions of a test. */
import { CrudBase } from '../../src/index.ts'

type Hook = (...args: any[]) => unknown

/** Hooks by their names. Their `this` is the resource. */
export type Hooks = {
  readonly [name in keyof CrudBase as name extends `${'before' | 'after'}${string}` ? name : never]?: Hook
}

/**
 * An object of a class that extends `CrudBase` with hooks.
 *
 * @example const crud = hooked({ model: Plant, writable: 'all' }, {
 *   beforeCreate: (data) => ({ ...data, position: 1 }),
 * })
 */
export function hooked (options: object, hooks: Hooks): CrudBase {
  class Hooked extends CrudBase {}
  Object.assign(Hooked.prototype, hooks)
  return new Hooked(options as never)
}
