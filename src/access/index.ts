/**
 * Access: what each role may do with each entity. In: the option `access` and the models of the entities. Out: roles,
 * each with a view of the models and a whitelist in which everything that the role may not see does not exist. Errors:
 * unknown names and rules that cannot work, at start-up.
 */
export { Access } from './access.ts'
export { Actor } from './actor.ts'
export { hidingErrors } from './application-calls.ts'
export { checkRoleName, type Entities } from './check-access.ts'
export { defineAccess, type AccessOptions, type EntityRule, type RoleRules } from './access-options.ts'
export { Role } from './role.ts'
export { Rule } from './rule.ts'
export { whitelistFor, writableFor } from './whitelist.ts'
