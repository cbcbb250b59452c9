/** The argument of after hooks, with the types of an entity. */
import type { AnyKey, KindOf } from '../config/index.ts'
import type { AnyAfterContext } from '../resource/index.ts'
import type { WireInput } from './record-types.ts'

/**
 * The argument `context` of after hooks.
 *
 * `em` is an EntityManager outside of the transaction that has ended. A client that disconnects does not cancel its
 * statements. It acts for the role of the request, as in other hooks. `changed` has the names of the entity's
 * properties that the body has set, and `deleted_at` after `restore`. `previous` has the values before an update or a
 * delete, in the form of records, of the properties that the option `previous` of the class names.
 *
 * @typeParam Previous the names in the option `previous`
 * @example
 * class Tickets extends CrudBase<Ticket> {
 *   constructor () { super({ model: Ticket, writable: ['status'], previous: ['status'] }) }
 *   override async afterUpdate (ticket: WireRecord<Ticket>, { previous }: AfterContext<Ticket, 'status'>) {
 *     if (ticket.status === 'closed' && previous.status !== 'closed') await tellOwner(ticket)
 *   }
 * }
 */
export interface AfterContext<Entity = any, Previous extends AnyKey<Entity> = never> extends AnyAfterContext {
  readonly changed: ReadonlyArray<AnyKey<Entity>>
  readonly previous: [Previous] extends [never]
    ? { readonly [Name in AnyKey<Entity>]?: PreviousValue<Entity[Name]> } | undefined
    : { readonly [Name in Previous]: PreviousValue<Entity[Name]> }
}

/** The type of a hidden property is not known. */
type PreviousValue<T> = [KindOf<T>] extends [never] ? any : WireInput<T>
