/** The form of the statement of a write, which depends on the server and not on the plan. */
import { sameIn } from './same-members.ts'
import type { Plan } from '../plan/index.ts'
import { conditionContext } from './condition.ts'
import type { Dialect } from './dialect.ts'
import type { Foreign } from './read.ts'
import type { ConditionContext } from './visibility.ts'

export interface WriteForm {
  readonly dialect: Dialect
  /** Whether several rows may have one key, so that a change must fail if it finds more than one. */
  readonly keysRepeat: boolean
}

/** Whether writes of one shape have the same statement. */
export const isSameWriteForm = sameIn<WriteForm>({ dialect: true, keysRepeat: true })

/** The context in which a write and its conditions are compiled. */
export interface WriteContext extends ConditionContext {
  readonly dialect: Dialect
}

export function writeContext (plan: Pick<Plan, 'filters'>, foreign: Foreign, { dialect }: WriteForm): WriteContext {
  return { ...conditionContext(plan, foreign), dialect }
}
