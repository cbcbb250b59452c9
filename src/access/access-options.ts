/** The option `access` as an application writes it: what each role may do with each entity. */
import type { FastifyRequest } from 'fastify'
import type { AnyKey, CrudOperation, EntityCondition, IsAny } from '../config/index.ts'

/** The name that stands for all entities that a role does not name. */
export const OTHERS = '*'

/** The names of an entity's properties, hidden ones included. */
type PropertyName<Entity> = IsAny<Entity> extends true ? string : AnyKey<Entity>

/** What a role may do with an entity. A rule without members sets no limits. */
export interface EntityRule<Entity = any> {
  /**
   * The rows that the role may use, as a condition in MikroORM's query language: an object for all requests, or a
   * function of the request. The condition applies wherever rows of the entity are used. New rows get the values of its
   * plain equalities.
   */
  readonly rows?:
    | EntityCondition<Entity>
    | ((request: FastifyRequest) => EntityCondition<Entity> | Promise<EntityCondition<Entity>>)
  /** The properties that do not exist for the role. The other side of a relation does not exist either. */
  readonly hidden?: ReadonlyArray<PropertyName<Entity>>
  /** The properties that exist for the role, instead of `hidden`. The primary key must be one of them. */
  readonly only?: ReadonlyArray<PropertyName<Entity>>
  /** The properties that bodies may not set, or `true` for all: then the default of `operations` is list and get. */
  readonly readonly?: true | ReadonlyArray<PropertyName<Entity>>
  /** The operations that the role may use, as far as the resource offers them. Default: all. */
  readonly operations?: readonly CrudOperation[]
}

/**
 * What a role may do, by the names of entities: a rule, `true` for no limits, `false` for nothing. `'*'` stands for all
 * entities that are not named. The role may not use an entity that is not named. With single-table inheritance, a class
 * that is not named has the rule of the nearest class that it extends, before `'*'`. `true` in place of the object
 * means no limits at all.
 */
export type RoleRules<Entities = any> =
  | true
  | (IsAny<Entities> extends true ? { readonly [Entity: string]: boolean | EntityRule }
    : { readonly [Name in keyof Entities]?: boolean | EntityRule<Entities[Name]> } & {
      /** The rule of all entities that are not named. */
      readonly '*'?: boolean | EntityRule,
    })

/** The option `access` of `crudKit`. */
export interface AccessOptions<Entities = any, Name extends string = string> {
  /**
   * Returns the name of a request's role. In the routes of resources it runs after all `onRequest` and `preValidation`
   * hooks of the application. A request without a role (`undefined`, `null` or `''`) is refused. An error that it
   * throws is answered with its own status.
   */
  readonly role: (request: FastifyRequest) => Name | null | undefined | Promise<Name | null | undefined>
  /** The rules by role. A request with another role is refused. */
  readonly roles: { readonly [Role in Name]: RoleRules<Entities> }
  /** The role that the OpenAPI document is made for. Default: all roles together. */
  readonly documentFor?: NoInfer<Name>
}

/**
 * Returns the option `access` unchanged, with checked types: the names of entities and their properties must exist.
 *
 * @example
 * const access = defineAccess<{ Project: Project, Country: Country }>()({
 *   role: (request) => request.headers.authorization === undefined ? 'guest' : 'member',
 *   roles: {
 *     member: { Project: { hidden: ['budget'] }, Country: true },
 *     guest: { Country: { only: ['id', 'name'], operations: ['list', 'get'] } },
 *   },
 * })
 * await app.register(crudKit, { database, resources, access })
 */
export function defineAccess<Entities extends object = any> () {
  return <const Name extends string = string>(
    access: Omit<AccessOptions<Entities, Name>, 'role'> & {
      readonly role: (request: FastifyRequest) => string | null | undefined | Promise<string | null | undefined>,
    }
  ): AccessOptions<any, any> => access as AccessOptions<any, any>
}
