/** The end of a form: the request that it sends, and its buttons. */
import type { ComponentChildren } from 'preact'
import { CrudError } from '../../../src/client/error.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import type { Property } from '../../api/drafts.ts'
import { useApi } from '../../state/context.ts'
import { usePhone } from '../../state/phone.ts'
import { formatQuery } from '../../url/address.ts'
import { ErrorNotice } from '../basics/notice.tsx'
import { CopyMenu, type Copied } from '../list/copy-menu.tsx'
import { ProfileMenu } from '../profiles/profile-menu.tsx'
import { otherErrors } from './fields.tsx'

interface FormFootProps {
  readonly resource: ResourceDescription
  /** The request of the form. Without a body, there is nothing to send yet, unless it deletes. */
  readonly request: Copied
  readonly action: string
  /** Whether the action loses something. */
  readonly isBad?: boolean
  readonly busy: boolean
  readonly isOff: boolean
  readonly onCancel: () => void
  /** Text above the buttons. */
  readonly children?: ComponentChildren
}

export function FormFoot ({ resource, request, action, isBad, busy, isOff, onCancel, children }: FormFootProps) {
  const { method, path, params, body, ifMatch } = request
  const isEmpty = body === undefined && method !== 'DELETE'
  return (
    <footer class='form-foot'>
      <div class='sent'>
        <details>
          <summary>
            <span class='method'>{method}</span> {isEmpty ? 'nothing is changed yet' : 'what is sent'}
          </summary>
          <pre tabIndex={0}>
            {`${method} ${path}${formatQuery(params)}\n${ifMatch === undefined ? '' : `If-Match: ${ifMatch}\n`}` +
              `${resource.idempotency ? 'Idempotency-Key: a random one\n' : ''}` +
              `${body === undefined ? '' : `\n${JSON.stringify(body, null, 2)}`}`}
          </pre>
        </details>
        {!isEmpty && <CopyMenu resource={resource} request={request} />}
      </div>
      {children}
      <div class='row'>
        <button class={isBad ? 'button button-bad' : 'button button-main'} aria-disabled={isOff || busy}>
          {busy ? 'Sending…' : action}
        </button>
        <button type='button' class='button' onClick={onCancel}>Cancel</button>
      </div>
    </footer>
  )
}

/** The error of a form's latest request. */
export interface FormFailure {
  readonly error: CrudError
  /** Whether the request was a write, and neither a dry run nor a read: it may be done although its answer is lost. */
  readonly wasWrite: boolean
}

interface FormErrorProps extends FormFailure {
  readonly resource: ResourceDescription
  readonly properties: readonly Property[]
}

/** Statuses of proxies that had no complete answer of the server. */
const LOST = [502, 504]

/** The errors that no input shows. If the inputs show all of them, it says so. */
export function FormError ({ resource, error, wasWrite, properties }: FormErrorProps) {
  const { description } = useApi()
  const isPhone = usePhone()
  const others = otherErrors(error, properties)
  if (error.errors.length > 0 && others.length === 0) {
    const count = error.errors.length
    return (
      <p class='notice notice-error' role='alert'>
        {count === 1
          ? 'The API refuses one value. The reason is at its field.'
          : `The API refuses ${count} values. The reasons are at their fields.`}
      </p>
    )
  }
  const { status, code, detail } = error
  return (
    <ErrorNotice error={new CrudError({ status, code, detail, errors: others })}>
      {status === 401 && <p>Enter other headers under “Ask as”, and save again. The form keeps your changes.</p>}
      {wasWrite && (code === 'NETWORK' || LOST.includes(status)) && (
        <p>
          {resource.idempotency
            ? 'Send it again: it is done only once.'
            : 'It may be done all the same: look before you send it again.'} The form keeps what you typed.
        </p>
      )}
      {/* there, the form covers the line with the caller */}
      {status === 401 && isPhone && <ProfileMenu description={description} />}
    </ErrorNotice>
  )
}
