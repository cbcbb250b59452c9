/** Copies the request as a URL, a curl command, a call of fetch, or a call of the package's client. */
import { useMemo, useState } from 'preact/hooks'
import { newWriteKey } from '../../../src/client/pending-writes.ts'
import type { ResourceDescription } from '../../../src/explorer/description.ts'
import { rootOf, useApi } from '../../state/context.ts'
import { toClient, toCurl, toFetch, toUrl, type ClientMethod, type Request, type ValueKind } from '../../url/code.ts'
import { Copy } from '../basics/copy.tsx'
import { Icon } from '../basics/icon.tsx'
import { Popover } from '../basics/popover.tsx'

/** A request, without what all requests of the page share. */
export type Copied = Pick<Request, 'method' | 'path' | 'params' | 'body' | 'ifMatch'> & {
  /** The method of the client that sends it. */
  readonly call: ClientMethod,
}

interface CopyMenuProps {
  readonly resource: ResourceDescription
  readonly request: Copied
}

const FORMS = ['curl', 'URL', 'fetch', 'client'] as const
type Form = typeof FORMS[number]

export function CopyMenu ({ resource, request: { call, ...copied } }: CopyMenuProps) {
  const { description, profile } = useApi()
  const [form, setForm] = useState<Form>('curl')
  // the request that is copied is another one than that of the page, and one key is for one request
  const key = useMemo(
    () => resource.idempotency && copied.method !== 'GET' ? newWriteKey() : undefined,
    [resource, JSON.stringify(copied)]
  )
  const root = new URL(rootOf(description))
  const prefix = root.pathname === '/' ? '' : root.pathname
  const request: Request = {
    ...copied,
    origin: root.origin,
    path: prefix + copied.path,
    headers: profile.headers,
    key,
  }
  const write: Readonly<Record<Form, () => string>> = {
    curl: () => toCurl(request),
    URL: () => toUrl(request),
    fetch: () => toFetch(request),
    client: () =>
      toClient(
        { ...request, origin: root.href.replace(/\/$/, ''), path: resource.path },
        call,
        {
          kindOf: (field, operator) => kindOf(resource, field, operator),
          isList: (field, operator) => takesList(resource, field, operator),
        }
      ),
  }
  return (
    <Popover
      name='Copy the request'
      title='Copy as…'
      align='end'
      label={
        <>
          <Icon name='copy' />
          <span>Copy as…</span>
        </>
      }
    >
      {() => {
        const text = write[form]()
        return (
          <div class='copy-menu'>
            <div class='segments' role='radiogroup' aria-label='Form'>
              {FORMS.map((each) => (
                <label key={each} class='segment'>
                  <input type='radio' name='form' checked={each === form} onChange={() => setForm(each)} />
                  <span>{each}</span>
                </label>
              ))}
            </div>
            <pre tabIndex={0} aria-label={`The request as ${form}`}>{text}</pre>
            {profile.headers.length > 0 && form !== 'URL' && (
              <p class='quiet'>It holds the headers of “{profile.name}”: take care where you paste it.</p>
            )}
            <Copy text={text} class='button button-main'>Copy</Copy>
          </div>
        )
      }}
    </Popover>
  )
}

function operatorOf (resource: ResourceDescription, field: string, operator: string | undefined) {
  const operators = resource.filters.find(({ name }) => name === field)?.operators
  return operator === undefined ? operators?.[0] : operators?.find(({ name }) => name === operator)
}

function kindOf (resource: ResourceDescription, field: string, operator: string | undefined): ValueKind {
  const found = operatorOf(resource, field, operator)
  if (found?.takes === 'boolean') return 'boolean'
  const json = found?.value?.json
  return json === 'number' || json === 'boolean' ? json : 'text'
}

function takesList (resource: ResourceDescription, field: string, operator: string | undefined): boolean {
  const takes = operatorOf(resource, field, operator)?.takes
  return takes === 'list' || takes === 'pair' || takes === 'tuple'
}
