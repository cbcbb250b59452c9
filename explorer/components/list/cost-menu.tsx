/** What the request cost: its time, its stages on the server, its size, and the SQL if the server explains it. */
import { useState } from 'preact/hooks'
import type { Explanation } from '../../../src/explorer/description.ts'
import { ask } from '../../api/ask.ts'
import { explorerRoot } from '../../state/address.ts'
import { useApi } from '../../state/context.ts'
import type { List } from '../../state/list.ts'
import { useLoad } from '../../state/load.ts'
import { formatQuery, type Address } from '../../url/address.ts'
import { Copy } from '../basics/copy.tsx'
import { ErrorNotice } from '../basics/notice.tsx'
import { Popover } from '../basics/popover.tsx'
import { bytesText, timeText } from '../../api/format.ts'

interface CostMenuProps {
  readonly list: List
  readonly address: Address
}

export function CostMenu ({ list, address }: CostMenuProps) {
  const { description } = useApi()
  const { cost, error, busy } = list
  const status = error ? String(error.status || 'no answer') : cost ? '200' : ''
  const text = busy ? '…' : error || !cost ? status : `${timeText(cost.milliseconds)}`
  return (
    <Popover
      name='Cost of the request'
      title={`${text}, cost of the request`}
      align='end'
      class='button button-bare cost'
      label={
        <>
          <span class={error ? 'dot dot-bad' : 'dot'} />
          <span class='figures'>{text}</span>
        </>
      }
    >
      {() => (
        <div class='cost-panel'>
          {cost && !error
            ? (
              <dl class='figures-list'>
                <dt>Total, as this page sees it</dt>
                <dd>{timeText(cost.milliseconds)}</dd>
                {cost.stages.flatMap(({ name, milliseconds }) => [
                  <dt key={name}>Server: {name}</dt>,
                  <dd key={`${name} time`}>{timeText(milliseconds)}</dd>,
                ])}
                {cost.bytes !== undefined && (
                  <>
                    <dt>Answer</dt>
                    <dd>{bytesText(cost.bytes)}</dd>
                  </>
                )}
              </dl>
              )
            : <p class='quiet'>The request has no successful answer yet.</p>}
          {cost && cost.stages.length === 0 && (
            <p class='quiet'>
              The server's own times appear here with the option <code>serverTiming: true</code>.
            </p>
          )}
          {description.explain
            ? <Explain address={address} />
            : (
              <p class='quiet'>
                The SQL appears here with the option <code>explain: true</code> of the explorer.
              </p>
              )}
        </div>
      )}
    </Popover>
  )
}

function Explain ({ address: { path, params } }: { readonly address: Address }) {
  const { profile } = useApi()
  const [asked, setAsked] = useState<string>()
  const target = path + formatQuery(params)
  const [{ value, error, busy }] = useLoad(asked === target ? asked : undefined, async (signal) => {
    const url = new URL(`explain?path=${encodeURIComponent(target)}`, explorerRoot).href
    return (await ask<Explanation>({ url, headers: profile.headers, signal })).data
  })
  if (asked !== target) {
    return (
      <button type='button' class='button' onClick={() => setAsked(target)}>Explain: run it and show the SQL</button>
    )
  }
  if (error) return <ErrorNotice error={error} />
  if (busy || value === undefined) return <p class='quiet'>Explaining…</p>
  const { statements, advice } = value
  return (
    <div class='explanation'>
      <p>
        <strong>{statements.length}</strong> {statements.length === 1 ? 'statement' : 'statements'}
      </p>
      {advice.map((sentence) => <p class='advice' key={sentence}>{sentence}</p>)}
      {statements.map(({ sql, parameters, plan, milliseconds }, index) => (
        <section key={index}>
          <div class='row'>
            <span class='label'>SQL, {timeText(milliseconds)}</span>
            <Copy text={sql} class='button button-small'>Copy</Copy>
          </div>
          <pre tabIndex={0} aria-label='SQL'>{sql}</pre>
          {parameters.length > 0 && (
            <ol>
              {parameters.map((text, at) => (
                <li key={at}>
                  <code>${at + 1} = {text ?? 'null'}</code>
                </li>
              ))}
            </ol>
          )}
          <pre tabIndex={0} aria-label='Plan'>{plan.join('\n')}</pre>
        </section>
      ))}
    </div>
  )
}
