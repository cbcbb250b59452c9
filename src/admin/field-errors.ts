/** The errors of a form's inputs, from the errors of a body. */
import type { CrudError } from '../client/index.ts'

/** The error of one property. */
interface FieldError {
  /** The names that lead to the property, e.g. `['address', 'city']`. */
  readonly path: readonly string[]
  /** A sentence for people. */
  readonly detail: string
}

/** The errors of properties. Errors of the query string, and of the body as a whole, are not among them. */
export function fieldErrorsOf ({ errors }: CrudError): FieldError[] {
  return errors.flatMap(({ source, detail }) =>
    source?.pointer?.startsWith('/') === true ? [{ path: namesOf(source.pointer), detail }] : []
  )
}

/** The names in a JSON pointer (RFC 6901). */
function namesOf (pointer: string): string[] {
  return pointer.slice(1).split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}
