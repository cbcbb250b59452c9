/** The error of a refused form. */
import { CrudError, isCrudError } from '../../client/index.ts'
import { fieldErrorsOf } from '../field-errors.ts'

/** Messages by property, as react-admin's forms show them. Embedded objects have objects of messages. */
export interface FormErrors {
  [name: string]: string | FormErrors
}

/** A `CrudError` about inputs of a form. react-admin shows the messages in `body.errors` beside them. */
export class FormError extends CrudError {
  /** The messages, where react-admin looks for them. */
  readonly body: { readonly errors: FormErrors }

  constructor (error: CrudError, errors: FormErrors) {
    super(error)
    this.body = { errors }
  }
}

/**
 * Returns the error that react-admin's forms can show: each message beside its input, and the sentence of the whole
 * error as a notification. Other errors are returned unchanged.
 */
export function toFormError (error: unknown): unknown {
  if (!isCrudError(error)) return error
  const fields = fieldErrorsOf(error)
  if (fields.length === 0) return error
  // react-admin shows this one as a notification
  const errors: FormErrors = { root: { serverError: error.detail } }
  for (const { path, detail } of fields) {
    let place = errors
    for (const name of path.slice(0, -1)) {
      const inner = Object.hasOwn(place, name) ? place[name] : undefined
      place = typeof inner === 'object' ? inner : define(place, name, {})
    }
    const last = path.at(-1)!
    if (!Object.hasOwn(place, last)) define(place, last, detail)
  }
  return new FormError(error, errors)
}

/** Sets a property whose name comes from the server, which `=` would not do for `__proto__`. */
function define<Value extends string | FormErrors> (object: FormErrors, name: string, value: Value): Value {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  return value
}
