/** The form of the statement of a write, which depends on the server and not on the plan. */
import { sameIn } from '../base/same-members.ts'
import type { Dialect } from './dialect.ts'

export interface WriteForm {
  readonly dialect: Dialect
  /**
   * Whether several rows may have one key, so that a change must fail if it finds more than one. A distributed server
   * accepts no such form.
   */
  readonly keysRepeat: boolean
}

/** Whether writes of one shape have the same statement. */
export const isSameWriteForm = sameIn<WriteForm>({ dialect: true, keysRepeat: true })
